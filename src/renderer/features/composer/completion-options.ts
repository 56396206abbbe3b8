/** The options for the word at the caret. */
import type { DefinitionInfo } from '../../../shared/agent-definition/agent-catalog.ts'
import type { McpServerState } from '../../../shared/mcp/mcp.ts'
import { efforts } from '../../../shared/models/effort.ts'
import type { SlashCommand, SlashSource } from '../../../shared/slash/slash-command.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { hasNamesake } from '../../stores/conversation-store.ts'
import { agentText, displayName } from '../../ui/text/agent-text.ts'
import type { ExternalAgentCommand } from '../../ui/text/external-agent-text.ts'
import { PERMISSION_MODES } from '../../ui/text/permission-modes.ts'
import { everyoneIn } from './recipient.ts'
import { ofTheWindow, SLASH_COMMANDS, type SlashCommandName } from './slash-commands.ts'

/** The effect of picking an option. */
type CompletionEffect =
  | { readonly kind: 'insert'; readonly text: string }
  | { readonly kind: 'recipient'; readonly agentId: string }
  | { readonly kind: 'run'; readonly name: SlashCommandName; readonly argument: string }

export interface CompletionOption {
  readonly key: string
  readonly label: string
  readonly hint: string
  /** The color of the dot; null: no dot. */
  readonly color: string | null
  readonly live: boolean
  readonly mono: boolean
  /** Where the option comes from; missing: the program. */
  readonly source?: string
  readonly effect: CompletionEffect
}

const MAX_OPTIONS = 12

interface AgentSources {
  readonly teams: readonly Team[]
  readonly agents: ReadonlyMap<string, AgentState>
  readonly definitions: readonly DefinitionInfo[]
  /** The MCP servers, with their resources. */
  readonly servers: readonly Pick<McpServerState, 'name' | 'resources'>[]
}

/**
 * At the start of a message, an agent of the conversation becomes its recipient; a finished agent resumes
 * then. Elsewhere, and for definitions, only the name is inserted.
 */
export function agentCompletions(query: CompletionQuery, sources: AgentSources): readonly CompletionOption[] {
  const isStart = query.from === 0
  const subagents = [...sources.agents.values()].filter((agent) => agent.parentId !== null)
  const running = subagents.filter((agent) => agent.endedAt === null)
  const finished = subagents.filter((agent) => agent.endedAt !== null && !agent.definition.oneShot)
  const ofAgents = (agents: readonly AgentState[]) =>
    rankByName(agents, query.query, (agent) => titleFor(agent, sources.agents)).map((agent) =>
      agentOption(agent, { isStart, agents: sources.agents }),
    )
  const ofDefinitions = rankByName(
    sources.definitions.filter((definition) => !definition.hidden),
    query.query,
    (definition) => definition.name,
  ).map(definitionOption)
  return [
    ...(isStart ? everyone(query, sources.teams) : []),
    ...ofAgents(running),
    ...ofDefinitions,
    ...(isStart ? ofAgents(finished) : []),
    ...resources(query, sources.servers),
  ].slice(0, MAX_OPTIONS)
}

/** `@server:uri`: agents read it with ReadMcpResource. */
function resources(
  { query }: CompletionQuery,
  servers: AgentSources['servers'],
): readonly CompletionOption[] {
  const all = servers.flatMap((server) =>
    server.resources.map(({ uri, name }) => ({ label: `${server.name}:${uri}`, name })),
  )
  return rankByName(all, query, ({ label, name }) => `${label} ${name}`).map(({ label, name }) =>
    textOption({ label, hint: name, mono: true, effect: { kind: 'insert', text: `@${label}` } }),
  )
}

/** `@all`, while a team works. */
function everyone(query: CompletionQuery, teams: readonly Team[]): readonly CompletionOption[] {
  const { length } = everyoneIn(teams)
  if (length === 0) return []
  const hint = `${length} agents: the leader and every worker`
  return rankByName(['all'], query.query, (name) => name).map((label) =>
    textOption({ label, hint, mono: false, effect: { kind: 'insert', text: '@all' } }),
  )
}

/** Agents of one name are also found by their tasks. */
function titleFor(agent: AgentState, agents: AgentSources['agents']): string {
  const name = displayName(agent)
  return hasNamesake(agent, agents) ? `${name} ${agent.task}` : name
}

function agentOption(
  agent: AgentState,
  { isStart, agents }: { readonly isStart: boolean; readonly agents: AgentSources['agents'] },
): CompletionOption {
  const { color } = agent.definition
  const name = displayName(agent)
  const namesake = agent.task !== '' && hasNamesake(agent, agents)
  return {
    key: agent.id,
    label: namesake ? agent.task : name,
    hint: `${namesake ? name : agent.task} · ${agentText(agent)}`,
    color,
    live: agent.endedAt === null,
    mono: false,
    effect: isStart ? { kind: 'recipient', agentId: agent.id } : { kind: 'insert', text: `@${name}` },
  }
}

function definitionOption({ source, name, description, color }: DefinitionInfo): CompletionOption {
  return {
    key: `definition:${source}:${name}`,
    label: name,
    hint: description,
    color,
    live: false,
    mono: false,
    effect: { kind: 'insert', text: `@${name}` },
  }
}

/** Files after `#`: their paths. */
export function fileOptions(paths: readonly string[]): readonly CompletionOption[] {
  return paths.slice(0, MAX_OPTIONS).map((path) => fileOption(path, quoted(path)))
}

/** Agents and files after `@`. A word with a point or a slash is rather a file. */
export function mentionOptions(
  { query }: CompletionQuery,
  agents: readonly CompletionOption[],
  paths: readonly string[],
): readonly CompletionOption[] {
  // The list may be the answer to a shorter word.
  const words = query.toLowerCase().split(/\s+/)
  const files = paths
    .filter((path) => words.every((word) => scoreOf(path.toLowerCase(), word) !== null))
    .slice(0, MAX_OPTIONS)
    .map((path) => fileOption(path, mentionOf(path)))
  return /[./]/.test(query) ? [...files, ...agents] : [...agents, ...files]
}

const fileOption = (path: string, text: string): CompletionOption => ({
  ...textOption({ label: path, hint: '', mono: true, effect: { kind: 'insert', text } }),
  key: `file:${path}`,
  source: 'file',
})

/** `@src/cart.ts`; with characters that end a mention, `@"my notes.md"`. */
function mentionOf(path: string): string {
  return /[\s`,;:()'@\\]|[.!?]$/.test(path) && !path.includes('"') ? `@"${path}"` : `@${path}`
}

const SOURCES: Readonly<Record<SlashSource, string>> = {
  project: 'project',
  user: 'user',
  plugin: 'plugin',
  skill: 'skill',
  mcp: 'MCP',
  'built-in': 'Troupe',
}

/** The commands of the recipient's program. `name`: the recipient. */
export interface ProgramCommands {
  readonly commands: readonly ExternalAgentCommand[]
  readonly name: string
  readonly isMain: boolean
}

const NO_PROGRAM: ProgramCommands = { commands: [], name: '', isMain: true }

/**
 * Those of the recipient's program come first, which reads them itself. Among equal matches, command files follow: they
 * are the ones that the user added.
 */
export function commandOptions(
  { query }: CompletionQuery,
  commands: readonly SlashCommand[],
  program: ProgramCommands = NO_PROGRAM,
): readonly CompletionOption[] {
  const ofProgram = program.commands
    .filter(({ name }) => !program.isMain || !ofTheWindow.has(name.toLowerCase()))
    .map(({ name, description, hint }) => ({
      name,
      option: {
        ...textOption({
          label: `/${name}`,
          hint: hint === null ? description : `${hint} · ${description}`,
          mono: true,
          effect: { kind: 'insert' as const, text: `/${name}` },
        }),
        key: `program:${name}`,
        source: program.name,
      },
    }))
  const taken = new Set(ofProgram.map(({ name }) => name.toLowerCase()))
  const builtIn = SLASH_COMMANDS.filter(({ name }) => !taken.has(name)).map((command) => ({
    name: command.name,
    option: textOption({
      label: `/${command.name}`,
      hint: command.hint,
      mono: true,
      effect:
        'argument' in command
          ? { kind: 'insert', text: `/${command.name}` }
          : { kind: 'run', name: command.name, argument: '' },
    }),
  }))
  const names = new Set<string>(SLASH_COMMANDS.map(({ name }) => name))
  const others = commands
    .filter(({ name }) => !names.has(name.toLowerCase()) && !taken.has(name.toLowerCase()))
    .map(({ name, description, source, problem }) => ({
      name,
      isFirst: problem === null && source !== 'skill' && source !== 'mcp' && source !== 'built-in',
      option: {
        ...textOption({
          label: `/${name}`,
          hint: problem === null ? description : `Can’t be used. ${problem}`,
          mono: true,
          effect: { kind: 'insert', text: `/${name}` },
        }),
        source: SOURCES[source],
      },
    }))
  const first = others.filter(({ isFirst }) => isFirst)
  const last = others.filter(({ isFirst }) => !isFirst)
  return rankByName([...ofProgram, ...first, ...builtIn, ...last], query, ({ name }) => name)
    .slice(0, MOST_COMMANDS)
    .map(({ option }) => option)
}

/** The list scrolls. */
const MOST_COMMANDS = 60

interface ArgumentSources {
  readonly models: readonly { readonly value: string; readonly label: string; readonly hint: string }[]
  readonly bypassAllowed: boolean
}

const EFFORTS = ['default', ...efforts].map((value) => ({ value, label: value, hint: '' }))

/** The arguments of `/model`, `/mode` and `/effort`. */
export function argumentOptions(
  query: CompletionQuery,
  sources: ArgumentSources,
): readonly CompletionOption[] {
  const name = query.command
  if (name !== 'model' && name !== 'mode' && name !== 'effort') return []
  const choices =
    name === 'model'
      ? sources.models
      : name === 'effort'
        ? EFFORTS
        : PERMISSION_MODES.filter((mode) => sources.bypassAllowed || mode.value !== 'bypassPermissions')
  return rankByName(choices, query.query, (choice) => `${choice.value} ${choice.label}`)
    .slice(0, MAX_OPTIONS)
    .map(({ label, hint, value }) =>
      textOption({ label, hint, mono: false, effect: { kind: 'run', name, argument: value } }),
    )
}

type TextOption = Pick<CompletionOption, 'label' | 'hint' | 'mono' | 'effect'>

function textOption(option: TextOption): CompletionOption {
  return { ...option, key: option.label, color: null, live: false }
}

/** A path with spaces gets quotes, so that its end is clear. */
export function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path
}

/** The word at the caret: agents and files follow `@`, paths `#`, and commands a `/` at the start. */
type CompletionKind = 'mention' | 'file' | 'command' | 'argument'

/** The word to complete. */
export interface CompletionQuery {
  readonly kind: CompletionKind
  readonly query: string
  /** The start of the word, including its prefix. */
  readonly from: number
  readonly to: number
  /** The command that the argument belongs to. */
  readonly command: string
}

/** The word around the caret, or null. */
export function queryAt(text: string, caret: number): CompletionQuery | null {
  // A command of the user has its own syntax.
  if (text.startsWith('!')) return null
  const before = text.slice(0, caret)
  const command = /^\/([\p{L}\p{N}_.:-]*)$/u.exec(before)
  if (command) return { kind: 'command', query: command[1] ?? '', from: 0, to: caret, command: '' }
  const open = /(?:^|\s)@"([^"\n]*)$/.exec(before)?.[1]
  if (open !== undefined)
    return { kind: 'mention', query: open, from: caret - open.length - 2, to: caret, command: '' }
  const word = /(?:^|\s)([@#])([^\s@#"]*)$/.exec(before)
  if (word === null) {
    const [, name = '', query = ''] = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*) ([^\n]*)$/u.exec(before) ?? []
    if (name === '') return null
    return { kind: 'argument', query, from: caret - query.length, to: caret, command: name }
  }
  const query = word[2] ?? ''
  return {
    kind: word[1] === '@' ? 'mention' : 'file',
    query,
    from: caret - query.length - 1,
    to: caret,
    command: '',
  }
}

/** The text with the word replaced, and the new caret. */
export function complete(
  text: string,
  query: CompletionQuery,
  replacement: string,
): { text: string; caret: number } {
  const space = text[query.to] === ' ' ? '' : ' '
  const inserted = replacement === '' ? '' : replacement + space
  return {
    text: text.slice(0, query.from) + inserted + text.slice(query.to),
    caret: query.from + inserted.length + (space === '' && replacement !== '' ? 1 : 0),
  }
}

/** Keeps names that contain the letters of the query in order, the best match first: the whole name beats a prefix, a prefix beats a middle. */
function rankByName<T>(items: readonly T[], query: string, nameOf: (item: T) => string): readonly T[] {
  const wanted = query.toLowerCase()
  const scored: { item: T; score: number }[] = []
  for (const item of items) {
    const score = scoreOf(nameOf(item).toLowerCase(), wanted)
    if (score !== null) scored.push({ item, score })
  }
  return scored.sort((a, b) => a.score - b.score).map(({ item }) => item)
}

function scoreOf(name: string, wanted: string): number | null {
  if (name === wanted) return -1
  const at = name.indexOf(wanted)
  if (at !== -1) return at === 0 ? 0 : 1 + at / 1000
  let from = 0
  for (const letter of wanted) {
    from = name.indexOf(letter, from) + 1
    if (from === 0) return null
  }
  return 10 + from
}
