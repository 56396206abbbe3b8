/** What fills an agent's context window, by part, and what the user can do about it. */
import { COMPACTION_SHARE } from '../events/context.ts'
import { formatTokens } from '../kernel/amounts.ts'

/** The kinds of parts, in the order of the report. */
export const contextKinds = [
  'system',
  'instructions',
  'memory',
  'skills',
  'agents',
  'tools',
  'user',
  'agent',
  'results',
  'notices',
] as const
export type ContextKind = (typeof contextKinds)[number]

export interface ContextItem {
  readonly label: string
  /** An estimate. */
  readonly tokens: number
  /** The number of tool results, messages or notices; missing: the item is one thing. */
  readonly count?: number
  /** The largest one, in tokens, where `count` is more than 1. */
  readonly largest?: number
}

export interface ContextGroup {
  readonly kind: ContextKind
  /** The MCP server of these tools; null: everything else. */
  readonly server: string | null
  readonly label: string
  /** The sum of the items. */
  readonly tokens: number
  /** Largest first. */
  readonly items: readonly ContextItem[]
  /** The number of tools that only ToolSearch loads, and that take no room. */
  readonly deferred: number
}

/** The next request of an agent. */
export interface ContextReport {
  readonly agentId: string
  readonly model: string
  /** The model's context window in tokens; null: unknown. */
  readonly window: number | null
  readonly used: number
  /** `usage`: parts are scaled to the tokens that the API counted. `length`: all is estimated from the length. */
  readonly basis: 'usage' | 'length'
  readonly groups: readonly ContextGroup[]
}

/** Tokens at which compaction begins; null: the window is unknown. */
export function compactionStart({ window }: Pick<ContextReport, 'window'>): number | null {
  return window === null ? null : Math.round(window * COMPACTION_SHARE)
}

/**
 * Shares of the window from which a part is worth an advice. Tools and files are sent with every request and cost each
 * time, so a larger window than the usual one does not raise their limit.
 */
const LARGE_RESULTS = 0.2
const LARGE_RESULT = 0.05
const LARGE_SERVER = 0.04
const LARGE_FILE = 0.02
/** In tokens. An unknown window is taken as this one. */
const USUAL_WINDOW = 200_000
const MOST_ADVICE = 4

/** What the user can do to free room, the largest part first. Empty: nothing stands out. */
export function contextAdvice(report: ContextReport): readonly string[] {
  const window = report.window ?? USUAL_WINDOW
  const found = report.groups.flatMap((group) => adviceOn(group, window))
  return found
    .sort((one, other) => other.tokens - one.tokens)
    .slice(0, MOST_ADVICE)
    .map(({ text }) => text)
}

interface Advice {
  readonly tokens: number
  readonly text: string
}

function adviceOn({ kind, server, tokens, items }: ContextGroup, window: number): readonly Advice[] {
  const usual = Math.min(window, USUAL_WINDOW)
  if (kind === 'tools' && server !== null && tokens > usual * LARGE_SERVER)
    return [
      {
        tokens,
        text: `The tools of ${server} take about ${formatTokens(tokens)} tokens in each request. Turn the server off in Settings › MCP servers if this work does not need it.`,
      },
    ]
  if (kind === 'instructions' || kind === 'memory')
    return items
      .filter((file) => file.tokens > usual * LARGE_FILE)
      .map((file) => ({
        tokens: file.tokens,
        text: `${file.label} takes about ${formatTokens(file.tokens)} tokens in each request. Shorten it, or move parts into files that agents read when they need them.`,
      }))
  if (kind !== 'results') return []
  const single = items
    .filter((item) => largestOf(item) > window * LARGE_RESULT)
    .map((item) => ({
      tokens: largestOf(item),
      text: `One result of ${item.label} takes about ${formatTokens(largestOf(item))} tokens. Ask for a smaller part next time, or let a subagent read it.`,
    }))
  if (tokens <= window * LARGE_RESULTS) return single
  return [
    {
      tokens,
      text: `Tool results take about ${formatTokens(tokens)} tokens. Compaction clears old results first; subagents keep large searches out of this context.`,
    },
    ...single,
  ]
}

const largestOf = ({ tokens, largest }: ContextItem): number => largest ?? tokens

/** The report as lines of plain text. `name`: the agent's. */
export function contextText(report: ContextReport, name: string): string {
  const { window, used, basis, groups, model } = report
  const total =
    window === null
      ? `about ${formatTokens(used)} tokens; the context window of ${model} is unknown`
      : `about ${formatTokens(used)} of ${formatTokens(window)} tokens (${percentOf(used, window)}%)`
  const start = compactionStart(report)
  const width = Math.max(...groups.flatMap(({ label, items }) => [label.length, ...items.map(itemWidth)]), 4)
  const line = (label: string, tokens: number, note = '') =>
    `${label.padEnd(width)}  ${formatTokens(tokens).padStart(6)}${note === '' ? '' : `  ${note}`}`
  const lines = groups.flatMap((group) => [
    line(group.label, group.tokens, deferredNote(group)),
    ...group.items.map((item) => line(`  ${itemLabel(item)}`, item.tokens)),
  ])
  const free = window === null ? [] : [line('Free', Math.max(0, window - used))]
  const advice = contextAdvice(report)
  return [
    `Context of ${name}: ${total}`,
    ...(basis === 'length' ? ['Estimated from the length: the API has counted nothing yet.'] : []),
    '',
    ...lines,
    ...free,
    ...(start === null ? [] : ['', `Compaction begins at ${formatTokens(start)} tokens.`]),
    ...(advice.length === 0 ? [] : ['', ...advice.map((text) => `- ${text}`)]),
    '',
  ].join('\n')
}

/** "Read (12)". */
export function itemLabel({ label, count }: ContextItem): string {
  return count === undefined ? label : `${label} (${count})`
}

const itemWidth = (item: ContextItem): number => itemLabel(item).length + 2

/** "58 more with ToolSearch"; empty if no tool is deferred. */
export function deferredNote({ deferred, items }: Pick<ContextGroup, 'deferred' | 'items'>): string {
  if (deferred === 0) return ''
  return `${deferred} ${items.length === 0 ? '' : 'more '}with ToolSearch`
}

export function percentOf(tokens: number, window: number): number {
  return Math.floor((tokens * 100) / window)
}
