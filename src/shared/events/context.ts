/** What an agent is told while it runs, and how full its context window is: the fold and the rows of the events, and the share in use. */
import type { ContextFill, EventOf } from './agent-event.ts'
import { type EventParts, instructionRow, noticeRow } from './event-parts.ts'

/** The share of the context window at which compaction starts. */
export const COMPACTION_SHARE = 0.8
/** The share from which little room is left, even for one more turn. */
const FULL_SHARE = 0.95
const CHARACTERS_PER_TOKEN = 4

export const contextParts: EventParts<
  | 'context-cleared'
  | 'context-compacted'
  | 'tools-changed'
  | 'instructions-loaded'
  | 'servers-told'
  | 'files-told'
  | 'permissions-told'
> = {
  'context-cleared': {
    rows(event) {
      const count = event.toolUseIds.length
      const results = `${count} older tool ${count === 1 ? 'result is' : 'results are'}`
      return noticeRow(
        event,
        `The context was nearly full: ${results} no longer sent to the model. This transcript keeps them.`,
      )
    },
  },
  'context-compacted': {
    fold: ({ context }, { summary }) => ({
      context: { ...context, used: context.prefix + tokensOf(summary.length) },
    }),
    rows: (event) =>
      noticeRow(
        event,
        `The context was nearly full: the model continues from a summary. This transcript keeps everything above.\n\n${event.summary}`,
      ),
  },
  'tools-changed': { rows: (event) => noticeRow(event, event.note) },
  'instructions-loaded': { rows: (event) => instructionRow(event, event.files) },
  'servers-told': { rows: (event) => noticeRow(event, event.note) },
  'files-told': { rows: (event) => noticeRow(event, event.note) },
  'permissions-told': {},
}

/** The fill after an answer. */
export function contextAfter(
  fill: ContextFill,
  { usage, contextUsed, contextWindow }: EventOf<'assistant-message'>,
): ContextFill {
  const used = contextUsed ?? usage.input + usage.output + usage.cacheRead + usage.cacheWrite
  // A branch counts nothing for the answers that it copied.
  return used > 0 ? { ...fill, used, window: contextWindow ?? null } : fill
}

type Prefixed = Pick<EventOf<'agent-spawned'>, 'system' | 'tools'>

/** The size of system prompt and tools, in tokens: an estimate from their length. */
export function prefixTokens({ system, tools }: Prefixed): number {
  return tokensOf(tools.reduce((sum, tool) => sum + toolLength(tool), system.length))
}

/** The characters of a tool in a request. */
export function toolLength({ name, description, input_schema }: Prefixed['tools'][number]): number {
  return name.length + description.length + JSON.stringify(input_schema).length
}

const tokensOf = (characters: number): number => Math.round(characters / CHARACTERS_PER_TOKEN)

export interface ContextUse {
  readonly window: number
  readonly used: number
  readonly prefix: number
  readonly messages: number
  readonly free: number
  readonly percent: number
  /** `near`: compaction starts before the next request. `full`: little room is left. */
  readonly level: 'plain' | 'near' | 'full'
}

/** Null before the first answer, and for logs without the size of the window. */
export function contextUse({ prefix, used, window }: ContextFill): ContextUse | null {
  if (used === null || window === null || window <= 0) return null
  const share = used / window
  return {
    window,
    used,
    prefix: Math.min(prefix, used),
    messages: Math.max(0, used - prefix),
    free: Math.max(0, window - used),
    percent: Math.floor((used * 100) / window),
    level: share >= FULL_SHARE ? 'full' : share >= COMPACTION_SHARE ? 'near' : 'plain',
  }
}
