/** Parses and checks the command line. */

import { ok, type Result } from '../shared/kernel/result.ts'
import { type PermissionMode, permissionModes } from '../shared/permissions/permission-modes.ts'
import { type ChangesArguments, parseChanges } from './features/changes/parse-changes.ts'
import { type ContextArguments, parseContext } from './features/conversations/parse-context.ts'
import {
  type AgentsArguments,
  GIVEN_AGENTS,
  type GivenAgents,
  givenAgents,
  parseAgents,
} from './features/definitions/command-line/parse-agents.ts'
import { type AcpArguments, parseAcp } from './features/editors/parse-acp.ts'
import { type ProgramsArguments, parsePrograms } from './features/external-agents/parse-programs.ts'
import { type HooksArguments, parseHooks } from './features/hooks/parse-hooks.ts'
import { type McpArguments, parseMcp } from './features/mcp/parse-mcp.ts'
import { type ModelsArguments, parseModels } from './features/models/parse-models.ts'
import { type PermissionsArguments, parsePermissions } from './features/permissions/parse-permissions.ts'
import { parseTrust, type TrustArguments } from './features/permissions/parse-trust.ts'
import { type PluginsArguments, parsePlugins } from './features/plugins/parse-plugins.ts'
import { type BestOptions, parseBest } from './features/run/parse-best.ts'
import { LIMIT_OPTIONS, type RunLimits, runLimits } from './features/run/run-limits.ts'
import type { RunRules } from './features/run/run-rules.ts'
import { type DoctorArguments, parseDoctor } from './features/setup/parse-doctor.ts'
import {
  type NatsArguments,
  parseNats,
  parseRemoteWorker,
} from './features/workers/command-line/parse-nats.ts'
import { parseWorker, type WorkerArguments } from './features/workers/command-line/parse-worker.ts'
import { parseWorktrees, type WorktreesArguments } from './features/worktrees/command-line/parse-worktrees.ts'
import { type OptionKinds, readOptions, usage } from './platform/command-line/read-options.ts'

export interface RunOptions {
  readonly verb: 'run'
  readonly task: string
  readonly cwd: string | null
  readonly agent: string | null
  /** Whether the main agent only coordinates. Null: not said. */
  readonly coordinator: boolean | null
  readonly model: string | null
  readonly permissionMode: PermissionMode | null
  readonly maxTurns: number | null
  /** The limits given for the conversation. */
  readonly limits: RunLimits
  readonly resume: string | null
  readonly trust: boolean
  /** Marks the folder for the mode bypassPermissions, for this run. */
  readonly markFolder: boolean
  /** Permission rules for this run, as given. */
  readonly rules: RunRules
  /** Files with MCP servers for this run. */
  readonly mcpConfig: readonly string[]
  readonly rehearsal: boolean
  readonly scenario: string | null
  readonly agents: GivenAgents
  readonly json: boolean
  /** Verifies the changes after the run. */
  readonly verify: boolean
  /** Waits for the end of a usage limit of the API; otherwise the run ends. */
  readonly waitForLimit: boolean
}

/** `troupe [FOLDER]`. */
export interface WindowArguments {
  readonly verb: 'window'
  readonly folder: string | null
  /** Permission rules until the window's program ends, as given. */
  readonly rules: RunRules
  /** Files with MCP servers until the window's program ends. */
  readonly mcpConfig: readonly string[]
}

export type Arguments =
  | RunOptions
  | BestOptions
  | AcpArguments
  | AgentsArguments
  | WorktreesArguments
  | McpArguments
  | ModelsArguments
  | DoctorArguments
  | HooksArguments
  | PermissionsArguments
  | ChangesArguments
  | ContextArguments
  | PluginsArguments
  | ProgramsArguments
  | TrustArguments
  | WorkerArguments
  | NatsArguments
  | { readonly verb: 'conversations-list'; readonly json: boolean }
  | { readonly verb: 'conversations-show'; readonly id: string; readonly json: boolean }
  /** `of`: the command that the user asks about; null: all. */
  | { readonly verb: 'help'; readonly of: string | null }
  | { readonly verb: 'version' }
  /** Opens the window, which is another program. */
  | WindowArguments

/** The options of `troupe run`. */
export const RUN_OPTIONS = {
  cwd: 'text',
  agent: 'text',
  coordinator: 'flag',
  'no-coordinator': 'flag',
  model: 'text',
  'permission-mode': 'text',
  'max-turns': 'text',
  ...LIMIT_OPTIONS,
  resume: 'text',
  trust: 'flag',
  'mark-folder': 'flag',
  allow: 'texts',
  'mcp-config': 'texts',
  deny: 'texts',
  rehearsal: 'flag',
  scenario: 'text',
  json: 'flag',
  verify: 'flag',
  'wait-for-limit': 'flag',
  ...GIVEN_AGENTS,
} as const satisfies OptionKinds

/** The failure is `usage`; its message names the mistake. */
export function parseArguments(args: readonly string[]): Result<Arguments> {
  const [verb, ...rest] = args
  // --help counts anywhere before `--`.
  const end = args.indexOf('--')
  if (args.slice(0, end < 0 ? undefined : end).some((arg) => arg === '--help' || arg === '-h'))
    return ok({ verb: 'help', of: verb?.startsWith('-') ? null : (verb ?? null) })
  switch (verb) {
    case undefined:
      return parseWindow([])
    case 'help':
      return ok({ verb: 'help', of: rest[0] ?? null })
    case '--version':
    case '-v':
      return ok({ verb: 'version' })
    case 'run':
      return parseRun(rest)
    case 'best':
      return parseBest(rest)
    case 'acp':
      return parseAcp(rest)
    case 'agents':
      return parseAgents(rest)
    case 'conversations':
      return parseConversations(rest)
    case 'worktrees':
      return parseWorktrees(rest)
    case 'changes':
      return parseChanges(rest)
    case 'context':
      return parseContext(rest)
    case 'doctor':
      return parseDoctor(rest)
    case 'hooks':
      return parseHooks(rest)
    case 'mcp':
      return parseMcp(rest)
    case 'models':
      return parseModels(rest)
    case 'plugins':
      return parsePlugins(rest)
    case 'programs':
      return parsePrograms(rest)
    case 'permissions':
      return parsePermissions(rest)
    case 'trust':
      return parseTrust(rest)
    case 'worker':
      return parseRemoteWorker(rest) ?? parseWorker(rest)
    case 'nats':
      return parseNats(rest)
    default:
      if (/^--(allow|deny|mcp-config)(=|$)/s.test(verb) || (!verb.startsWith('-') && /[/\\.]/.test(verb)))
        return parseWindow(args)
      if (verb.startsWith('-')) return usage(`Unknown option ${verb}.`)
      return usage(`Unknown command "${verb}". To open a folder, write ./${verb}.`)
  }
}

function parseWindow(args: readonly string[]): Result<Arguments> {
  const read = readOptions(args, { allow: 'texts', deny: 'texts', 'mcp-config': 'texts' })
  if (!read.ok) return read
  const { positionals, texts } = read.value
  if (positionals.length > 1) return usage('Give one folder. To run a task, write troupe run TASK.')
  return ok({
    verb: 'window',
    folder: positionals[0] ?? null,
    rules: { allow: texts('allow'), deny: texts('deny') },
    mcpConfig: texts('mcp-config'),
  })
}

function parseRun(args: readonly string[]): Result<Arguments> {
  const read = readOptions(args, RUN_OPTIONS)
  if (!read.ok) return read
  const { text, texts, flag, positionals } = read.value
  const agents = givenAgents(read.value)
  if (!agents.ok) return agents
  const mode = text('permission-mode')
  const known = permissionModes.find((candidate) => candidate === mode)
  if (mode !== null && known === undefined)
    return usage(`Unknown permission mode "${mode}". Use one of: ${permissionModes.join(', ')}.`)
  const turns = text('max-turns')
  if (turns !== null && !/^[1-9]\d{0,5}$/.test(turns))
    return usage(`--max-turns must be a whole number from 1, not "${turns}".`)
  const limits = runLimits(read.value)
  if (!limits.ok) return limits
  if (flag('rehearsal') && text('scenario') !== null)
    return usage('--rehearsal and --scenario exclude each other. Give only one.')
  const task = positionals.join(' ').trimEnd()
  const own =
    ['agent', 'max-turns'].find((name) => text(name) !== null) ?? ['coordinator', 'no-coordinator'].find(flag)
  if (own !== undefined && text('resume') !== null)
    return usage(`--${own} is for a new conversation and can’t be combined with --resume.`)
  if (flag('coordinator') && flag('no-coordinator'))
    return usage('--coordinator and --no-coordinator exclude each other. Give only one.')
  if (flag('coordinator') && text('agent') !== null)
    return usage('--coordinator and --agent exclude each other: coordinator mode has its own main agent.')
  if (task.trim() === '')
    return usage('The task is missing. Example: troupe run "find out why the build fails"')
  return ok({
    verb: 'run',
    task,
    cwd: text('cwd'),
    agent: text('agent'),
    coordinator: flag('coordinator') ? true : flag('no-coordinator') ? false : null,
    model: text('model'),
    permissionMode: known ?? null,
    maxTurns: turns === null ? null : Number(turns),
    limits: limits.value,
    resume: text('resume'),
    trust: flag('trust'),
    markFolder: flag('mark-folder'),
    rules: { allow: texts('allow'), deny: texts('deny') },
    mcpConfig: texts('mcp-config'),
    rehearsal: flag('rehearsal'),
    scenario: text('scenario'),
    agents: agents.value,
    json: flag('json'),
    verify: flag('verify'),
    waitForLimit: flag('wait-for-limit'),
  })
}

function parseConversations([action, ...args]: readonly string[]): Result<Arguments> {
  const read = readOptions(args, { json: 'flag' })
  if (!read.ok) return read
  const { positionals, flag } = read.value
  const json = flag('json')
  if (action === 'list' && positionals.length === 0) return ok({ verb: 'conversations-list', json })
  const id = positionals[0]
  if (action === 'show' && id !== undefined && positionals.length === 1)
    return ok({ verb: 'conversations-show', id, json })
  return usage('Use troupe conversations list, or troupe conversations show ID.')
}
