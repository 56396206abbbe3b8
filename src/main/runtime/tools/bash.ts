/** The Bash tool: a command in a shell whose folder is kept from call to call. */
import { z } from 'zod'
import type { Shell } from '../ports.ts'
import { type Tool, type ToolOutcome, type ToolSession, toolError } from '../tool.ts'

const TIMEOUT_MS = 120_000
const LONGEST_TIMEOUT_MS = 600_000

const schema = z
  .object({
    command: z.string().min(1).describe('What to run.'),
    timeout: z
      .number()
      .int()
      .min(1)
      .max(LONGEST_TIMEOUT_MS)
      .optional()
      .describe(`Milliseconds until it is ended; ${TIMEOUT_MS} where it is left out.`),
    description: z.string().optional().describe('What it does, in five to ten words, for the user.'),
  })
  .strict()

type Input = z.infer<typeof schema>

export function createBashTool({ shell }: { readonly shell: Shell }): Tool<Input> {
  return {
    name: 'Bash',
    aliases: [],
    description: `Runs a command with bash. The folder you change to is kept for the next call. Nothing can be typed into it, so use options that do not ask. A command ends after ${TIMEOUT_MS / 60_000} minutes, or after timeout, at most ${LONGEST_TIMEOUT_MS / 60_000} minutes; what it left running in the background is ended with it. For reading, searching and changing files use Read, Grep, Glob, Edit and Write.`,
    schema,
    concurrent: false,
    sideEffects: () => true,
    summary: ({ command }) => command.replace(/\s+/g, ' ').trim(),
    target: async ({ command }) => ({ kind: 'command', command }),
    run: async ({ command, timeout }, { session, signal, onOutput }) => {
      const timeoutMs = timeout ?? TIMEOUT_MS
      const ran = await shell.run({ command, cwd: session.cwd, timeoutMs, signal, onOutput })
      if (!ran.ok) return toolError(ran.failure.message)
      const { output, exitCode, ended, endedBackground } = ran.value
      const notes = [keepInside(session, ran.value.cwd)]
      if (endedBackground) notes.push('[What it left running in the background was ended.]')
      if (ended === 'timeout') notes.push(`[Ended after its time limit of ${timeoutMs / 1000} s.]`)
      if (ended === 'aborted') notes.push('[Stopped by the user before it finished.]')
      if (ended === 'exit' && exitCode !== 0)
        notes.push(exitCode === null ? '[Ended by a signal.]' : `[Exit code ${exitCode}]`)
      const content = [withoutColours(output).trimEnd(), ...notes].filter(Boolean).join('\n')
      return {
        isError: ended !== 'exit' || exitCode !== 0,
        content: content === '' ? '(no output)' : content,
        note: noteFor(ended, exitCode, output),
        display: { kind: 'terminal', exitCode, timedOut: ended === 'timeout' },
      } satisfies ToolOutcome
    },
  }
}

/** The next command starts where this one ended, unless it left the agent's folder. */
function keepInside(session: ToolSession, cwd: string): string {
  if (cwd === session.root || cwd.startsWith(`${session.root}/`)) {
    session.cwd = cwd
    return ''
  }
  session.cwd = session.root
  return `[The shell is back in ${session.root}: commands start inside the folder you work in.]`
}

function noteFor(ended: 'exit' | 'timeout' | 'aborted', exitCode: number | null, output: string): string {
  if (ended === 'timeout') return 'time limit'
  if (ended === 'aborted') return 'stopped'
  if (exitCode !== 0) return exitCode === null ? 'signal' : `exit ${exitCode}`
  const lines = output.trimEnd() === '' ? 0 : output.trimEnd().split('\n').length
  return lines === 0 ? 'done' : `${lines} line${lines === 1 ? '' : 's'}`
}

/** Colours and cursor movements are for terminals; of a line that was drawn again the last state is kept. */
function withoutColours(text: string): string {
  return text
    .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g, '')
    .replace(/\r\n/g, '\n')
    .replace(/[^\n]*\r(?!\n)/g, '')
}
