/** What may be said of few attempts: how sure a pass rate is, whether two rates differ by more than chance, when to stop. */

/** Attempts that passed, of those that count. */
export interface PassCount {
  readonly passed: number
  readonly counted: number
}

/** Two versions' attempts at one case. */
export type PassPair = readonly [PassCount, PassCount]

export interface Interval {
  /** From 0 to 1. */
  readonly low: number
  readonly high: number
}

/** A difference counts as one if chance alone makes it, or a more unlikely one, at most so often. */
export const CHANCE_LIMIT = 0.05

/**
 * The limit before the last attempt. Each look at unfinished attempts is one more opportunity for chance, so it needs a
 * clearer difference (Haybittle 1971, Peto et al. 1976). With this limit, two equal versions are told apart in at most 5% of
 * runs of up to 50 attempts a version, also when somebody looks after each attempt: `statistics.test.ts` computes it.
 */
export const EARLY_CHANCE_LIMIT = 0.005

/** The two-sided quantile of the normal distribution for 95%. */
const Z_95 = 1.959963984540054

/** Equal probabilities may differ in their last digits. */
const ROUNDING = 1 + 1e-7

/** The rates that are compatible with what was seen, with a confidence of 95% (Wilson 1927). Without attempts: all. */
export function rateInterval({ passed, counted }: PassCount): Interval {
  if (counted === 0) return { low: 0, high: 1 }
  const rate = passed / counted
  const weight = Z_95 ** 2 / counted
  const center = (rate + weight / 2) / (1 + weight)
  const reach = (Z_95 / (1 + weight)) * Math.sqrt((rate * (1 - rate)) / counted + weight / (4 * counted))
  return { low: passed === 0 ? 0 : center - reach, high: passed === counted ? 1 : center + reach }
}

/**
 * How often chance alone makes a difference as unlikely as this one, or more so, if both versions are equally good at each
 * case: Fisher's exact test, two-sided. Several cases are compared each within itself, and their sums are judged, so that
 * an easy case that one version was given more often is no merit of it.
 */
export function chanceOfDifference(pairs: readonly PassPair[]): number {
  const { lowest, chances } = pairs.map(chancesOf).reduce(sumOf, { lowest: 0, chances: [1] })
  const seen = chances[pairs.reduce((sum, [{ passed }]) => sum + passed, 0) - lowest] ?? 0
  const chance = chances.reduce((sum, each) => (each <= seen * ROUNDING ? sum + each : sum), 0)
  return Math.min(1, chance)
}

/** How likely the whole numbers from the lowest one on are. */
interface Distribution {
  readonly lowest: number
  readonly chances: readonly number[]
}

/** The hypergeometric distribution of the first version's passed attempts, given how many passed in both together. */
function chancesOf([first, second]: PassPair): Distribution {
  const passed = first.passed + second.passed
  const all = first.counted + second.counted
  const lowest = Math.max(0, passed - second.counted)
  const highest = Math.min(passed, first.counted)
  const likeliest = Math.min(
    highest,
    Math.max(lowest, Math.floor(((first.counted + 1) * (passed + 1)) / (all + 2))),
  )
  /** Relative to the likeliest number: neither factorials nor their logarithms, which overflow or lose digits. */
  const weights = new Array<number>(highest - lowest + 1).fill(1)
  const ratio = (k: number) =>
    ((passed - k) * (first.counted - k)) / ((k + 1) * (all - passed - first.counted + k + 1))
  for (let k = likeliest; k < highest; k++) weights[k + 1 - lowest] = (weights[k - lowest] ?? 0) * ratio(k)
  for (let k = likeliest; k > lowest; k--) weights[k - 1 - lowest] = (weights[k - lowest] ?? 0) / ratio(k - 1)
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return { lowest, chances: weights.map((weight) => weight / sum) }
}

/** The distribution of the sum of two independent numbers. */
function sumOf(one: Distribution, other: Distribution): Distribution {
  const chances = new Array<number>(one.chances.length + other.chances.length - 1).fill(0)
  for (const [i, chance] of one.chances.entries())
    for (const [j, factor] of other.chances.entries())
      chances[i + j] = (chances[i + j] ?? 0) + chance * factor
  // Ends that change no result would make the time grow with the square of the number of cases.
  const from = chances.findIndex((chance) => chance > NEGLIGIBLE)
  const to = chances.findLastIndex((chance) => chance > NEGLIGIBLE)
  return { lowest: one.lowest + other.lowest + from, chances: chances.slice(from, to + 1) }
}

const NEGLIGIBLE = 1e-300

export type VersionJudgment = 'better' | 'worse'

/** How a version compares with the one in use, which stands first in each pair. Null: chance may have made the difference. */
export function judge(pairs: readonly PassPair[]): VersionJudgment | null {
  if (chanceOfDifference(pairs) > CHANCE_LIMIT) return null
  const lead = pairs.reduce((sum, pair) => sum + leadOf(pair), 0)
  return lead === 0 ? null : lead > 0 ? 'better' : 'worse'
}

/** By how many attempts the second version is ahead of what it would have if both were equally good. */
function leadOf([inUse, other]: PassPair): number {
  const all = inUse.counted + other.counted
  return all === 0 ? 0 : (other.passed * inUse.counted - inUse.passed * other.counted) / all
}

/** Attempts at a case, of which some have not ended. */
export interface CaseProgress extends PassCount {
  /** Attempts that have not ended. */
  readonly left: number
}

/**
 * Whether more attempts at a case are needless: they could not change the judgment, whatever they bring, or the versions
 * differ so much that the error of an early end stays within the limit (`EARLY_CHANCE_LIMIT`).
 */
export function isClear(inUse: CaseProgress, other: CaseProgress): boolean {
  if (inUse.left === 0 && other.left === 0) return true
  if (chanceOfDifference([[inUse, other]]) <= EARLY_CHANCE_LIMIT) return true
  const now = judge([[inUse, other]])
  return outcomesOf(inUse).every((one) => outcomesOf(other).every((two) => judge([[one, two]]) === now))
}

/** What the attempts may have come to at the end. */
function outcomesOf({ passed, counted, left }: CaseProgress): readonly PassCount[] {
  return Array.from({ length: left + 1 }, (_, more) => ({ passed: passed + more, counted: counted + left }))
}

/** The middle one; of an even number, the mean of both in the middle. Null: there are no values. */
export function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  const above = sorted[Math.floor(sorted.length / 2)]
  const below = sorted[Math.ceil(sorted.length / 2) - 1]
  return above === undefined || below === undefined ? null : (below + above) / 2
}
