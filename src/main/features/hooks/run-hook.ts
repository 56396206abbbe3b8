/** Runs one hook once, whatever it is, and reads its answer. */
import { existsSync } from 'node:fs'
import type { HookSource } from '../../../shared/hooks/hooks.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import type { AgentReach, InterceptionSubject } from '../../runtime/ports/interceptors.ts'
import type { ConfiguredHook, ConfiguredHooks } from './configured-hooks.ts'
import { type HookOutput, type ReadAnswer, readAnswer } from './hook-answer.ts'
import { EXPORTING, withExports } from './hook-exports.ts'
import { type EventInput, hookInput } from './hook-input.ts'
import type { HookWatchOptions } from './hook-watches.ts'
import { type HookCommands, TimedOut } from './run-command-hook.ts'
import { runJudge } from './run-judge.ts'
import type { ScriptTranscripts } from './script-transcript.ts'

export interface HooksOptions extends HookWatchOptions {
  readonly configured: ConfiguredHooks
  readonly transcripts: ScriptTranscripts
  readonly commands: HookCommands
  /** The environment of hooks, without the program's keys. */
  readonly environment: Readonly<Record<string, string>>
  /** Whether the user's own hooks may answer requests to the user. */
  readonly mayAllow: () => boolean
  /** ms, for durations. */
  readonly elapsed: () => number
}

/** The sources whose hooks may allow calls: nobody but the user and the administrator writes them. */
const MAY_ALLOW: readonly HookSource[] = ['managed', 'command-line', 'own', 'user']

export type TestedHook =
  | { readonly output: HookOutput; readonly read: ReadAnswer; readonly failure: null }
  | { readonly output: HookOutput | null; readonly failure: Error }

/** Runs a hook once, and reads its answer. Never rejects. Without `reach` no model can judge. */
export async function testRun(
  hook: ConfiguredHook,
  run: {
    readonly input: EventInput
    readonly agent: InterceptionSubject
    readonly signal: AbortSignal
    readonly reach: AgentReach | null
  },
  { commands, environment, transcripts, mayAllow }: HooksOptions,
): Promise<TestedHook> {
  const { definition, variables } = hook
  const { agent, signal, reach } = run
  const transcriptPath = await transcripts(agent)
  const shared = {
    input: hookInput(run.input, { ...agent, transcriptPath }),
    timeLimitMs: definition.timeout * 1000,
    signal,
  }
  let output: HookOutput | null = null
  let leftOut: readonly string[] = []
  const runCommand = (more: Readonly<Record<string, string>>) =>
    commands.run({
      ...shared,
      command: definition.run,
      // The folder of a removed worktree is gone.
      cwd: existsSync(agent.cwd) ? agent.cwd : agent.project,
      environment: { ...environment, ...variables, CLAUDE_PROJECT_DIR: agent.project, ...more },
    })
  try {
    switch (definition.kind) {
      case 'http':
        output = await runHttpHook({
          ...shared,
          url: definition.run,
          headers: filled(definition, environment),
        })
        break
      case 'command':
        output = EXPORTING.includes(definition.event)
          ? await withExports(runCommand, environment, ({ variables: set, leftOut: lines }) => {
              reach?.setVariables(hook.id, set)
              leftOut = lines
            })
          : await runCommand({})
        break
      default:
        output = await runJudge(definition, { ...shared, judge: reach?.judge ?? null })
    }
    const answered = readAnswer(run.input.event, output)
    const read =
      leftOut.length === 0 ? answered : { ...answered, message: withLeftOut(answered.message, leftOut) }
    const allows = MAY_ALLOW.includes(hook.source) && mayAllow()
    return { output, read: allows ? read : withoutAllow(read), failure: null }
  } catch (thrown) {
    return { output, failure: thrown instanceof Error ? thrown : new Error(messageOf(thrown)) }
  }
}

function withLeftOut(message: string | null, lines: readonly string[]): string {
  const told = `Commands don’t get what it wrote to CLAUDE_ENV_FILE in these lines. Only plain NAME=value is read, nothing is run, and some names would change what commands do: ${lines.slice(0, 5).join(' · ')}${lines.length > 5 ? ' …' : ''}`
  return message === null ? told : `${message}\n${told}`
}

function withoutAllow({ answer, ...read }: ReadAnswer): ReadAnswer {
  if (answer?.allow === undefined) return { answer, ...read }
  const { allow: _ignored, ...rest } = answer
  return { ...read, answer: Object.keys(rest).length === 0 ? null : rest }
}

/** The headers with the values of the variables that the hook names; another variable is empty. */
function filled(
  { headers, headerVariables = [] }: ConfiguredHook['definition'],
  environment: HooksOptions['environment'],
): Readonly<Record<string, string>> {
  const fill = (value: string) =>
    value.replace(/\$(?:\{(\w+)\}|(\w+))/g, (_all, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? ''
      return headerVariables.includes(name) ? (environment[name] ?? '') : ''
    })
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]))
}

/** Sends a hook's input to an address. */
interface HttpHook {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly input: unknown
  /** ms */
  readonly timeLimitMs: number
  readonly signal: AbortSignal
}

/** Characters. */
const MOST_BODY = 256 * 1024

/** The answer's body counts as a command's output. Rejects for redirects, other statuses, and at the time limit. */
async function runHttpHook({ url, headers, input, timeLimitMs, signal }: HttpHook): Promise<HookOutput> {
  const limit = AbortSignal.timeout(timeLimitMs)
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(input),
      // The input would go to an address that nobody approved.
      redirect: 'manual',
      signal: AbortSignal.any([signal, limit]),
    })
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel()
      throw new Error(`It redirects (HTTP ${response.status}), which is refused.`)
    }
    const body = await readUpTo(response)
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${body.slice(0, 500)}`)
    return { exitCode: 0, stdout: body, stderr: '' }
  } catch (thrown) {
    if (limit.aborted && !signal.aborted) throw new TimedOut(timeLimitMs)
    throw thrown instanceof TypeError ? new Error(`${url} could not be reached.`) : thrown
  }
}

async function readUpTo(response: Response): Promise<string> {
  if (response.body === null) return ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MOST_BODY) throw new Error('Its answer is too long.')
  }
  return text
}
