/** A prompt of `troupe run` that begins with a command: `/deploy staging`. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { SlashCommand, SlashCommands } from '../../../shared/slash/slash-command.ts'
import { readSlashLine } from '../../../shared/slash/slash-line.ts'
import { unknownCommand } from '../../runtime/slash/create-slash-commands.ts'

/** The window's own commands, and what does the same on the command line. */
const INSTEAD: Readonly<Record<string, string>> = {
  clear: 'Each troupe run without --resume begins a new conversation.',
  model: 'Use troupe run "…" --model NAME.',
  effort: 'Set the effort in the window’s settings, or in an agent’s definition.',
  mode: 'Use troupe run "…" --permission-mode MODE.',
  coordinator: 'Use troupe run "…" --coordinator.',
  cost: 'Use troupe conversations show ID.',
  context: 'Use troupe context CONVERSATION.',
  changes: 'Use troupe changes list.',
  agents: 'Use troupe agents list.',
  mcp: 'Use troupe mcp list.',
  hooks: 'Use troupe hooks list.',
  permissions: 'Use troupe permissions list.',
  stop: 'Press Ctrl+C to stop a run.',
}

type SlashTask =
  /** The task is a message, or a command that can be expanded. */
  | { readonly kind: 'task' }
  /** The answer to print; nothing runs. */
  | { readonly kind: 'answer'; readonly text: string }

/** Looks at a task before a conversation is created. Fails with `unknown` for a command that does not exist. */
export async function readTask(
  task: string,
  folder: string,
  slash: Pick<SlashCommands, 'list'>,
): Promise<Result<SlashTask>> {
  const line = readSlashLine(task)
  if (line === null) return ok({ kind: 'task' })
  const name = line.name.toLowerCase()
  const instead = INSTEAD[name]
  if (instead !== undefined) return ok({ kind: 'answer', text: `/${name} works in the window. ${instead}` })
  // The servers of prompts have not started yet.
  if (name.startsWith('mcp__')) return ok({ kind: 'task' })
  const commands = await slash.list(folder)
  if (name === 'help') return ok({ kind: 'answer', text: helpText(commands) })
  if (commands.some((one) => one.name === line.name)) return ok({ kind: 'task' })
  const names = commands.map((one) => one.name)
  return fail({
    type: 'unknown',
    message: `${unknownCommand(line.name, names)} troupe run /help lists the commands. To send this as text, begin with a space: troupe run " /${line.name}".`,
  })
}

function helpText(commands: readonly SlashCommand[]): string {
  if (commands.length === 0)
    return 'This folder has no commands. Add files to .claude/commands, and trust the folder.'
  return commands
    .map(({ name, argumentHint, description, source, problem }) => {
      const usage = `/${name}${argumentHint === '' ? '' : ` ${argumentHint}`}`
      return `${usage}\n    ${problem === null ? description.split('\n')[0] : `Can’t be used. ${problem}`} (${source})`
    })
    .join('\n')
}
