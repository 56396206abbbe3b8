/**
 * The prompts that a server has answered, and for how long it keeps them. A prompt that is not kept is read again, which
 * takes time in proportion to its length.
 */
import type { CacheLife } from '../../runtime/ports/model.ts'
import type { PromptPiece, WireRequest } from './wire-request.ts'

export interface AnsweredPrompts {
  /** The tokens that the server has to read before its first byte, estimated. @param now ms since the epoch */
  uncached(request: Pick<WireRequest, 'prompt'>, now: number): number
  /** Notes that the server answered the request now. */
  answered(request: Pick<WireRequest, 'prompt' | 'cachedFor'>, now: number): void
}

interface KeptPrompt {
  readonly prompt: readonly PromptPiece[]
  readonly until: number
}

const LIFE_MS: Readonly<Record<CacheLife, number>> = { '5m': 5 * 60_000, '1h': 60 * 60_000 }
/** Prompts that are remembered: more than agents that run at once. */
const MOST_PROMPTS = 200

export function createAnsweredPrompts(): AnsweredPrompts {
  /** Latest last. */
  let kept: readonly KeptPrompt[] = []
  return {
    uncached({ prompt }, now) {
      const begins = kept.map(({ prompt: other, until }) => (until > now ? sharedBegin(prompt, other) : 0))
      const known = Math.max(0, ...begins)
      return prompt.slice(known).reduce((sum, { tokens }) => sum + tokens, 0)
    },
    answered({ prompt, cachedFor }, now) {
      if (cachedFor === null) return
      const until = now + LIFE_MS[cachedFor]
      // Its next turn takes the place of a prompt, as long as that one is not kept for longer.
      const isReplaced = (other: KeptPrompt) =>
        other.until <= now ||
        (other.until <= until && sharedBegin(prompt, other.prompt) === other.prompt.length)
      kept = [...kept.filter((other) => !isReplaced(other)), { prompt, until }].slice(-MOST_PROMPTS)
    },
  }
}

/** The number of pieces that both begin with. */
function sharedBegin(a: readonly PromptPiece[], b: readonly PromptPiece[]): number {
  const end = a.findIndex((piece, at) => piece.digest !== b[at]?.digest)
  return end === -1 ? a.length : end
}
