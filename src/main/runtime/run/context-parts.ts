/** Counts what fills the next request of an agent, from the parts of which the loop makes the request. */

import type { AgentState } from '../../../shared/events/agent-event.ts'
import { toolLength } from '../../../shared/events/context.ts'
import type { LoadedInstructions, ToolSchema } from '../../../shared/events/event-schema.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { AssistantBlock } from '../../../shared/messages/content.ts'
import {
  type ContextGroup,
  type ContextKind,
  type ContextReport,
  contextKinds,
} from '../../../shared/state/context-report.ts'
import { systemPromptParts } from '../definitions/system-prompt-parts.ts'
import { SUMMARIZED } from '../loop/history.ts'
import { IMAGE_LENGTH } from '../loop/message-blocks.ts'
import { asReminder, isReminder } from '../loop/system-reminder.ts'
import type { ModelMessage, ToolResultBlock } from '../ports/model.ts'
import { namesToFind, TOOL_SEARCH } from '../tools/tool-search.ts'

const CHARACTERS_PER_TOKEN = 4
/** Bounds of the correction by the API's count: a count of another request must not distort the report. */
const [LEAST_SCALE, MOST_SCALE] = [0.3, 3]

interface NextRequest {
  readonly state: Pick<AgentState, 'id' | 'model' | 'context'>
  readonly system: string
  readonly tools: readonly ToolSchema[]
  readonly messages: readonly ModelMessage[]
  /** The files whose text the system prompt or a message contains. */
  readonly instructions: readonly LoadedInstructions[]
  /** In tokens. */
  readonly window: number | null
}

export function contextReport(request: NextRequest): ContextReport {
  const { state, system, tools, messages, instructions, window } = request
  const counted = new Counts()
  for (const { kind, label, length } of systemPromptParts(system, instructions))
    counted.add(kind, { label, length })
  for (const tool of tools) countTool(tool, counted)
  const deferred = deferredByServer(tools)
  for (const server of deferred.keys()) counted.group('tools', server)
  const answered = messages.findLastIndex(({ role }) => role === 'assistant')
  const names = callNames(messages)
  const paths = instructions.map(({ path }) => path)
  let known = answered < 0 ? null : 0
  for (const [index, message] of messages.entries()) {
    countMessage(message, { names, paths }, counted)
    if (index === answered) known = counted.length
  }
  const measured = known === null || known === 0 ? null : state.context.used
  const scale =
    measured === null || known === null
      ? 1
      : Math.min(MOST_SCALE, Math.max(LEAST_SCALE, (measured * CHARACTERS_PER_TOKEN) / known))
  const groups = counted.groups(scale / CHARACTERS_PER_TOKEN, deferred)
  return {
    agentId: state.id,
    model: state.model,
    window,
    used: groups.reduce((sum, { tokens }) => sum + tokens, 0),
    basis: measured === null ? 'length' : 'usage',
    groups,
  }
}

interface Counted {
  readonly label: string
  /** In characters. */
  readonly length: number
  /** Whether the item counts its parts: results of a tool, messages. */
  readonly many?: boolean
}

interface ItemCount {
  length: number
  count: number
  largest: number
  readonly many: boolean
}

/** Lengths by kind, server and item. */
class Counts {
  length = 0
  private readonly byKey = new Map<
    string,
    { readonly kind: ContextKind; readonly server: string | null; readonly items: Map<string, ItemCount> }
  >()

  group(kind: ContextKind, server: string | null = null): Map<string, ItemCount> {
    const key = `${kind} ${server ?? ''}`
    const group = this.byKey.get(key) ?? { kind, server, items: new Map() }
    this.byKey.set(key, group)
    return group.items
  }

  add(kind: ContextKind, { label, length, many = false }: Counted, server: string | null = null): void {
    if (length === 0) return
    const items = this.group(kind, server)
    const item = items.get(label) ?? { length: 0, count: 0, largest: 0, many }
    item.length += length
    item.count++
    item.largest = Math.max(item.largest, length)
    items.set(label, item)
    this.length += length
  }

  groups(tokensPerCharacter: number, deferred: ReadonlyMap<string, number>): readonly ContextGroup[] {
    const tokensOf = (length: number) => Math.round(length * tokensPerCharacter)
    const groups = [...this.byKey.values()].map(({ kind, server, items: counts }) => {
      const items = [...counts]
        .map(([label, { length, count, largest, many }]) => ({
          label,
          tokens: tokensOf(length),
          ...(many ? { count } : {}),
          ...(many && count > 1 ? { largest: tokensOf(largest) } : {}),
        }))
        .sort((one, other) => other.tokens - one.tokens)
      const tokens = items.reduce((sum, item) => sum + item.tokens, 0)
      const label = server === null ? LABELS[kind] : `Tools of ${server}`
      return { kind, server, label, tokens, items, deferred: (server !== null && deferred.get(server)) || 0 }
    })
    const order = ({ kind, server }: ContextGroup) => contextKinds.indexOf(kind) + (server === null ? 0 : 0.5)
    return groups.sort((one, other) => order(one) - order(other) || other.tokens - one.tokens)
  }
}

const LABELS: Readonly<Record<ContextKind, string>> = {
  system: 'System prompt',
  instructions: 'Instructions',
  memory: 'Memory',
  skills: 'Skills',
  agents: 'List of agents',
  tools: 'Tools of Troupe',
  user: 'Messages to the agent',
  agent: 'Messages of the agent',
  results: 'Tool results',
  notices: 'Notices',
}

/** The lists of agents and skills in a description are counted by themselves. */
function countTool(tool: ToolSchema, counted: Counts): void {
  const entries = tool.name === TOOL_SEARCH ? {} : tool.entries
  const listed = Object.entries(entries ?? {}).filter(([, line]) => tool.description.includes(line))
  for (const [label, line] of listed)
    counted.add(tool.name === 'Skill' ? 'skills' : 'agents', { label, length: line.length + 1 })
  const inLists = listed.reduce((sum, [, line]) => sum + line.length + 1, 0)
  counted.add('tools', { label: tool.name, length: toolLength(tool) - inLists }, serverOf(tool))
}

const serverOf = ({ source }: ToolSchema): string | null => source?.replace(/^mcp:/, '') ?? null

/** By server: the number of tools that only ToolSearch names. */
function deferredByServer(tools: readonly ToolSchema[]): ReadonlyMap<string, number> {
  const search = tools.find(({ name }) => name === TOOL_SEARCH)
  const loaded = new Set(tools.map(({ name }) => name))
  const unloaded = (search === undefined ? [] : namesToFind(search.description)).filter(
    (name) => !loaded.has(name),
  )
  const servers = new Map<string, number>()
  for (const name of unloaded) {
    const server = /^mcp__(.+?)__/.exec(name)?.[1] ?? 'other sources'
    servers.set(server, (servers.get(server) ?? 0) + 1)
  }
  return servers
}

/** The tools by call. */
function callNames(messages: readonly ModelMessage[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ role, content }) =>
    role === 'assistant' ? content.filter((block) => block.type === 'tool_use') : [],
  )
  return new Map(calls.map(({ id, name }) => [id, name]))
}

interface Known {
  readonly names: ReadonlyMap<string, string>
  /** Of instruction files. */
  readonly paths: readonly string[]
}

function countMessage(message: ModelMessage, known: Known, counted: Counts): void {
  if (message.role === 'assistant') {
    for (const block of message.content)
      counted.add('agent', { label: LABEL_OF[block.type], length: blockLength(block), many: true })
    return
  }
  let follows = ''
  for (const block of message.content) {
    if (block.type === 'tool_result') {
      const label = known.names.get(block.tool_use_id) ?? 'Unknown tool'
      counted.add('results', { label, length: resultLength(block), many: true })
    } else if (block.type === 'image') {
      counted.add('user', { label: 'Images', length: IMAGE_LENGTH, many: true })
    } else if (isReminder(block.text)) countReminder(block.text, known.paths, counted)
    else {
      const isSummary = follows === SUMMARY_FOLLOWS
      counted.add('user', {
        label: isSummary ? 'Summary' : 'Messages',
        length: block.text.length,
        many: !isSummary,
      })
    }
    follows = block.type === 'text' ? block.text : ''
  }
}

const SUMMARY_FOLLOWS = asReminder(SUMMARIZED)

/** A notice; the instructions of files that it brings are counted by file. */
function countReminder(text: string, paths: readonly string[], counted: Counts): void {
  const starts = paths
    .map((path) => ({ path, at: text.indexOf(`\n## From ${makeVisible(path)}`) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
  for (const [index, { path, at }] of starts.entries())
    counted.add('instructions', { label: path, length: (starts[index + 1]?.at ?? text.length) - at })
  counted.add('notices', {
    label: 'From Troupe and other agents',
    length: starts[0]?.at ?? text.length,
    many: true,
  })
}

const LABEL_OF: Readonly<Record<AssistantBlock['type'], string>> = {
  text: 'Text',
  thinking: 'Thinking',
  redacted_thinking: 'Thinking',
  tool_use: 'Tool calls',
  foreign: 'Other content',
}

function blockLength(block: AssistantBlock): number {
  switch (block.type) {
    case 'text':
      return block.text.length
    case 'thinking':
      return block.thinking.length
    case 'redacted_thinking':
      return block.data.length
    case 'tool_use':
      return block.name.length + (JSON.stringify(block.input)?.length ?? 0)
    case 'foreign':
      return JSON.stringify(block.block).length
  }
}

function resultLength({ content }: ToolResultBlock): number {
  if (typeof content === 'string') return content.length
  return content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : IMAGE_LENGTH), 0)
}
