/** Parses `troupe best`. */
import { FEWEST_ATTEMPTS, MOST_ATTEMPTS } from '../../../shared/comparison/comparison-amounts.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { type PermissionMode, permissionModes } from '../../../shared/permissions/permission-modes.ts'
import { type OptionKinds, readOptions, usage } from '../../platform/command-line/read-options.ts'
import type { WantedAttempt } from '../../runtime/comparisons.ts'
import type { GivenAgents } from '../definitions/command-line/parse-agents.ts'
import { LIMIT_OPTIONS, type RunLimits, runLimits } from './run-limits.ts'
import type { RunRules } from './run-rules.ts'

export interface BestOptions {
  readonly verb: 'best'
  readonly task: string
  readonly attempts: readonly WantedAttempt[]
  /** The command that checks each attempt; null: the one that the folder suggests. */
  readonly test: string | null
  /** Whether nothing is checked. */
  readonly noTest: boolean
  readonly cwd: string | null
  /** For agents whose definition names none. */
  readonly model: string | null
  readonly permissionMode: PermissionMode | null
  readonly limits: RunLimits
  readonly trust: boolean
  readonly rules: RunRules
  readonly mcpConfig: readonly string[]
  readonly rehearsal: boolean
  readonly scenario: string | null
  readonly agents: GivenAgents
  readonly json: boolean
}

/** The options of `troupe best`. */
export const BEST_OPTIONS = {
  agents: 'text',
  test: 'text',
  'no-test': 'flag',
  'agent-file': 'texts',
  cwd: 'text',
  model: 'text',
  'permission-mode': 'text',
  ...LIMIT_OPTIONS,
  trust: 'flag',
  allow: 'texts',
  deny: 'texts',
  'mcp-config': 'texts',
  rehearsal: 'flag',
  scenario: 'text',
  json: 'flag',
} as const satisfies OptionKinds

/** The failure is `usage`; its message names the mistake. */
export function parseBest(args: readonly string[]): Result<BestOptions> {
  const read = readOptions(args, BEST_OPTIONS)
  if (!read.ok) return read
  const { text, texts, flag, positionals } = read.value
  const task = positionals.join(' ').trimEnd()
  if (task.trim() === '') return usage(`The task is missing. Example: ${EXAMPLE}`)
  const attempts = attemptsOf(text('agents'))
  if (!attempts.ok) return attempts
  const mode = text('permission-mode')
  const known = permissionModes.find((candidate) => candidate === mode)
  if (mode !== null && known === undefined)
    return usage(`Unknown permission mode "${mode}". Use one of: ${permissionModes.join(', ')}.`)
  const limits = runLimits(read.value)
  if (!limits.ok) return limits
  const test = text('test')
  if (test !== null && flag('no-test'))
    return usage('--test and --no-test exclude each other. Give only one.')
  if (test?.trim() === '') return usage('--test is empty. Give a command, or use --no-test.')
  if (flag('rehearsal') && text('scenario') !== null)
    return usage('--rehearsal and --scenario exclude each other. Give only one.')
  return ok({
    verb: 'best',
    task,
    attempts: attempts.value,
    test,
    noTest: flag('no-test'),
    cwd: text('cwd'),
    model: text('model'),
    permissionMode: known ?? null,
    limits: limits.value,
    trust: flag('trust'),
    rules: { allow: texts('allow'), deny: texts('deny') },
    mcpConfig: texts('mcp-config'),
    rehearsal: flag('rehearsal'),
    scenario: text('scenario'),
    agents: { json: null, files: texts('agent-file') },
    json: flag('json'),
  })
}

/** "claude,general-purpose=opus": the agents, each with a model where one is given. */
function attemptsOf(list: string | null): Result<readonly WantedAttempt[]> {
  if (list === null) return usage(`Say which agents get the task. Example: ${EXAMPLE}`)
  const attempts: WantedAttempt[] = []
  for (const part of list.split(',')) {
    const [agent = '', ...rest] = part.trim().split('=')
    const model = rest.join('=').trim()
    if (agent.trim() === '' || (rest.length > 0 && model === ''))
      return usage(`"${list}" is not a list of agents. Write NAME or NAME=MODEL, with commas between.`)
    attempts.push({ agent: agent.trim(), model: rest.length === 0 ? null : model })
  }
  return attempts.length < FEWEST_ATTEMPTS || attempts.length > MOST_ATTEMPTS
    ? usage(
        `Give ${FEWEST_ATTEMPTS} to ${MOST_ATTEMPTS} agents, not ${attempts.length}. The same one may be given several times.`,
      )
    : ok(attempts)
}

const EXAMPLE = 'troupe best "make the parser faster" --agents general-purpose,general-purpose=opus'
