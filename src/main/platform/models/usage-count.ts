/**
 * The tokens and the pace of one message. A server's count holds if a model could have used it. Missing and impossible counts are
 * estimated, so that no server can lift a limit.
 */
import type { Usage } from '../../../shared/events/agent-event.ts'

/** More than the context window of any model. */
const MAX_COUNT = 10_000_000
const CHARACTERS_PER_TOKEN = 4
/** An image costs at most about 1,600 tokens, regardless of the length of its data. */
const IMAGE_CHARACTERS = 6400

type Count = 'input' | 'output' | 'cacheRead' | 'cacheWrite'
type Counts = { [Key in Count]?: number }

const KEYS = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cacheRead', 'cache_read_input_tokens'],
  ['cacheWrite', 'cache_creation_input_tokens'],
] as const

export class UsageCount {
  private counts: Counts = {}
  private cacheWriteHour = 0
  private readonly impossible = new Set<Count>()

  /** Counts are cumulative: a later count replaces an earlier one. */
  take(usage: { readonly [key: string]: unknown }): void {
    for (const [key, name] of KEYS) {
      const count = usage[name]
      if (isCount(count)) this.counts[key] = count
      else if (count !== undefined && count !== null) this.impossible.add(key)
    }
    const written = usage['cache_creation']
    const forAnHour =
      typeof written === 'object' && written !== null && 'ephemeral_1h_input_tokens' in written
        ? written.ephemeral_1h_input_tokens
        : undefined
    if (isCount(forAnHour)) this.cacheWriteHour = forAnHour
  }

  /** Forgets the output counted so far: at the start of a message it says nothing. */
  forgetOutput(): void {
    delete this.counts.output
  }

  /** Whether the server left out a count, or sent an impossible one. */
  get isEstimated(): boolean {
    return !this.knowsPrompt || !this.knowsOutput
  }

  private get knowsPrompt(): boolean {
    const { input, cacheRead = 0, cacheWrite = 0 } = this.counts
    const isPossible = !(['input', 'cacheRead', 'cacheWrite'] as const).some((key) =>
      this.impossible.has(key),
    )
    return input !== undefined && input + cacheRead + cacheWrite > 0 && isPossible
  }

  private get knowsOutput(): boolean {
    return (this.counts.output ?? 0) > 0 && !this.impossible.has('output')
  }

  /** `promptTokens` and `outputTokens` estimate the request and the message. */
  total(promptTokens: () => number, outputTokens: () => number): Usage {
    const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = this.counts
    const cached = cacheRead + cacheWrite
    const { knowsPrompt, knowsOutput } = this
    const cacheWriteHour = Math.min(this.cacheWriteHour, cacheWrite)
    return {
      input: knowsPrompt ? input : Math.max(input, promptTokens() - cached),
      output: knowsOutput ? output : Math.max(output, outputTokens()),
      cacheRead,
      cacheWrite,
      ...(cacheWriteHour > 0 && { cacheWriteHour }),
    }
  }
}

/** The tokens of a request's body, for a server that does not count them. */
export function estimatePrompt(body: string): number {
  let characters = body.length
  for (const [image] of body.matchAll(/"data":"[\w+/=]+"/g))
    characters -= Math.max(0, image.length - IMAGE_CHARACTERS)
  return tokensIn(characters)
}

/** Tokens in that many characters, roughly. */
export const tokensIn = (characters: number): number => Math.ceil(characters / CHARACTERS_PER_TOKEN)

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT

const MAX_PAIRS = 200

/** The pace of a message, for replay: [ms since the request, characters so far], at most `MAX_PAIRS` pairs. */
export class PaceRecorder {
  private pairs: [number, number][] = []
  private counted = 0
  /** Pieces closer together than this share a pair. Doubles each time the list is full. */
  private gapMs = 0

  add(ms: number, characters: number): void {
    if (characters === 0) return
    this.counted += characters
    const last = this.pairs.at(-1)
    if (last !== undefined && ms - last[0] <= this.gapMs) {
      last[1] = this.counted
      return
    }
    this.pairs.push([ms, this.counted])
    if (this.pairs.length > MAX_PAIRS) this.thin()
  }

  /** All characters so far. */
  get characters(): number {
    return this.counted
  }

  /** Pairs with increasing times and characters. The last pair counts all characters. */
  pace(): readonly (readonly [number, number])[] {
    return this.pairs
  }

  private thin(): void {
    while (this.pairs.length > MAX_PAIRS / 2) {
      this.gapMs = this.gapMs === 0 ? 16 : this.gapMs * 2
      const kept: [number, number][] = []
      for (const pair of this.pairs) {
        const last = kept.at(-1)
        if (last !== undefined && pair[0] - last[0] <= this.gapMs) last[1] = pair[1]
        else kept.push(pair)
      }
      this.pairs = kept
    }
  }
}
