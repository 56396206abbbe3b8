/** The filling of an agent's context window, as far as its events tell. */
import type { EventOf } from './agent-event.ts'

/** The share of the context window at which compaction starts. */
export const COMPACTION_SHARE = 0.8
/** The share from which little room is left, even for one more turn. */
const FULL_SHARE = 0.95
const CHARACTERS_PER_TOKEN = 4

/** In tokens. */
export interface ContextFill {
  /** System prompt and tools: an estimate from their length. */
  readonly prefix: number
  /** The last request with its answer; after a compaction an estimate. Null: no answer yet. */
  readonly used: number | null
  /** The size of the model's context window; null: unknown. */
  readonly window: number | null
}

export function contextAtSpawn(event: Prefixed): ContextFill {
  return { prefix: prefixOf(event), used: null, window: null }
}

/** The fill after an event that may change it. */
export function contextAfter(
  fill: ContextFill,
  event: EventOf<'assistant-message' | 'context-compacted' | 'definition-renewed'>,
): ContextFill {
  switch (event.type) {
    case 'assistant-message': {
      const { input, output, cacheRead, cacheWrite } = event.usage
      const used = event.contextUsed ?? input + output + cacheRead + cacheWrite
      // A branch counts nothing for the answers that it copied.
      return used > 0 ? { ...fill, used, window: event.contextWindow ?? null } : fill
    }
    case 'context-compacted':
      return { ...fill, used: fill.prefix + tokensOf(event.summary.length) }
    case 'definition-renewed':
      return { ...fill, prefix: prefixOf(event) }
  }
}

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

type Prefixed = Pick<EventOf<'agent-spawned'>, 'system' | 'tools'>

function prefixOf({ system, tools }: Prefixed): number {
  return tokensOf(tools.reduce((sum, tool) => sum + toolLength(tool), system.length))
}

/** The characters of a tool in a request. */
export function toolLength({ name, description, input_schema }: Prefixed['tools'][number]): number {
  return name.length + description.length + JSON.stringify(input_schema).length
}

const tokensOf = (characters: number): number => Math.round(characters / CHARACTERS_PER_TOKEN)
