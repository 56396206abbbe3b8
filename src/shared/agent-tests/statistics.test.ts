import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { triesOf } from '../testing/tries.ts'
import {
  CHANCE_LIMIT,
  chanceOfDifference,
  EARLY_CHANCE_LIMIT,
  isClear,
  judge,
  median,
  type PassCount,
  rateInterval,
} from './statistics.ts'

const count = (passed: number, counted: number): PassCount => ({ passed, counted })
const chance = (a: readonly [number, number], b: readonly [number, number]): number =>
  chanceOfDifference([[count(...a), count(...b)]])

const anyCount = (most: number) =>
  fc.nat(most).chain((counted) => fc.nat(counted).map((passed): PassCount => ({ passed, counted })))

/** log(n!) by its definition, for a second way to the same numbers. */
const logFactorial = (n: number): number =>
  Array.from({ length: n }, (_, at) => Math.log(at + 1)).reduce((sum, each) => sum + each, 0)
const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k)

describe('the interval of a rate', () => {
  // Published values: Newcombe (1998), "Two-sided confidence intervals for the single proportion", table I, method 3.
  test.each([
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ])('of %i of %i is the published one', (passed, counted, low, high) => {
    expect(rateInterval(count(passed, counted)).low).toBeCloseTo(low, 4)
    expect(rateInterval(count(passed, counted)).high).toBeCloseTo(high, 4)
  })

  test('contains the rate, stays between 0 and 1, and mirrors', () => {
    fc.assert(
      fc.property(anyCount(500), ({ passed, counted }) => {
        const { low, high } = rateInterval(count(passed, counted))
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeLessThanOrEqual(1)
        if (counted === 0) return
        expect(low).toBeLessThanOrEqual(passed / counted)
        expect(high).toBeGreaterThanOrEqual(passed / counted)
        const mirrored = rateInterval(count(counted - passed, counted))
        expect(mirrored.low).toBeCloseTo(1 - high, 10)
      }),
      { numRuns: triesOf(500) },
    )
  })

  test('rises with the passed attempts, and narrows with more of them', () => {
    for (let passed = 0; passed < 50; passed++)
      expect(rateInterval(count(passed + 1, 50)).low).toBeGreaterThan(rateInterval(count(passed, 50)).low)
    const width = (times: number) => {
      const { low, high } = rateInterval(count(3 * times, 4 * times))
      return high - low
    }
    for (let times = 1; times < 100; times++) expect(width(times + 1)).toBeLessThan(width(times))
  })

  test('of no attempts is everything', () => {
    expect(rateInterval(count(0, 0))).toEqual({ low: 0, high: 1 })
  })
})

describe('the chance of a difference', () => {
  // Fisher's tea tasting and his twins, as R's documentation has them; whales and sharks, as SciPy's; the others by hand.
  test.each([
    ['tea tasting', [3, 4], [1, 4], 0.4857142857],
    ['convictions of twins', [2, 17], [10, 13], 0.0005367241],
    ['all against none, 6 each', [6, 6], [0, 6], 2 / 924],
    ['all against none, 4 each', [4, 4], [0, 4], 2 / 70],
    ['all against half, 6 each', [6, 6], [3, 6], 40 / 220],
    ['whales and sharks', [8, 10], [1, 6], 0.0349650349],
  ] as const)('of %s is the known one', (_, a, b, p) => {
    expect(chance(a, b)).toBeCloseTo(p, 9)
  })

  test('is a chance, and the same from both sides and of what failed', () => {
    fc.assert(
      fc.property(anyCount(200), anyCount(200), (a, b) => {
        const p = chanceOfDifference([[a, b]])
        expect(p).toBeGreaterThanOrEqual(0)
        expect(p).toBeLessThanOrEqual(1)
        expect(chanceOfDifference([[b, a]])).toBeCloseTo(p, 9)
        const failed = (all: PassCount) => count(all.counted - all.passed, all.counted)
        expect(chanceOfDifference([[failed(a), failed(b)]])).toBeCloseTo(p, 9)
      }),
      { numRuns: triesOf(500) },
    )
  })

  test('is the sum of hypergeometric probabilities, up to 500 attempts a version', () => {
    fc.assert(
      fc.property(anyCount(500), anyCount(500), (a, b) => {
        const passed = a.passed + b.passed
        const logs: number[] = []
        const at = (k: number) =>
          logChoose(a.counted, k) +
          logChoose(b.counted, passed - k) -
          logChoose(a.counted + b.counted, passed)
        for (let k = Math.max(0, passed - b.counted); k <= Math.min(passed, a.counted); k++) logs.push(at(k))
        expect(logs.reduce((sum, log) => sum + Math.exp(log), 0)).toBeCloseTo(1, 8)
        const seen = at(a.passed) + 1e-7
        const expected = logs.reduce((sum, log) => (log <= seen ? sum + Math.exp(log) : sum), 0)
        expect(chanceOfDifference([[a, b]])).toBeCloseTo(expected, 7)
      }),
      { numRuns: triesOf(100) },
    )
  })

  test('falls while a difference between equal numbers of attempts grows', () => {
    for (const counted of [6, 20, 500])
      for (let passed = 1; passed < counted; passed++)
        expect(chance([counted, counted], [passed - 1, counted])).toBeLessThan(
          chance([counted, counted], [passed, counted]),
        )
  })

  test('of several cases is judged within each, so that an easy case is no merit', () => {
    // Both versions pass the easy case always and the hard one half the time; the second was given the easy case more often.
    const easy = [count(2, 2), count(40, 40)] as const
    const hard = [count(20, 40), count(1, 2)] as const
    expect(chance([22, 42], [41, 42])).toBeLessThan(0.001)
    expect(chanceOfDifference([easy, hard])).toBe(1)
  })

  test('of several cases finds what each alone cannot show', () => {
    const one = [count(6, 6), count(3, 6)] as const
    expect(chanceOfDifference([one])).toBeGreaterThan(CHANCE_LIMIT)
    expect(chanceOfDifference([one, one, one])).toBeLessThan(0.01)
  })

  test('of hundreds of cases is what its normal approximation says', () => {
    const half = [count(25, 50), count(25, 50)] as const
    const ahead = [count(25, 50), count(28, 50)] as const
    const pairs = [...Array(300).fill(half), ...Array(60).fill(ahead)]
    // Mantel and Haenszel (1959), with the correction for whole numbers: z = 1.878, so p = 0.0604.
    expect(chanceOfDifference(pairs)).toBeCloseTo(0.0604, 3)
    const opposite = [count(50, 50), count(0, 50)] as const
    expect(chanceOfDifference(Array(300).fill(opposite))).toBeCloseTo(0, 12)
  })

  test('without attempts is 1', () => {
    expect(chanceOfDifference([])).toBe(1)
    expect(chance([0, 0], [3, 6])).toBe(1)
  })
})

test('a version is better or worse only where chance is no explanation', () => {
  expect(judge([[count(6, 6), count(1, 6)]])).toBe('worse')
  expect(judge([[count(0, 6), count(6, 6)]])).toBe('better')
  expect(judge([[count(6, 6), count(3, 6)]])).toBeNull()
  expect(judge([[count(5, 6), count(6, 6)]])).toBeNull()
  expect(judge([[count(0, 0), count(6, 6)]])).toBeNull()
  expect(judge([])).toBeNull()
  const slightly = [count(6, 6), count(3, 6)] as const
  expect(judge([slightly, slightly, slightly])).toBe('worse')
})

describe('an early end', () => {
  const progress = (passed: number, counted: number, left: number) => ({ passed, counted, left })

  test('comes when the attempts that are left cannot change the judgment', () => {
    expect(isClear(progress(3, 3, 3), progress(3, 3, 3))).toBe(true)
    expect(isClear(progress(6, 6, 0), progress(0, 5, 1))).toBe(true)
    expect(isClear(progress(12, 12, 0), progress(6, 11, 1))).toBe(true)
    expect(isClear(progress(5, 5, 1), progress(0, 5, 1))).toBe(false)
    expect(isClear(progress(0, 0, 6), progress(0, 0, 6))).toBe(false)
    expect(isClear(progress(0, 0, 2), progress(0, 0, 2))).toBe(true)
  })

  test('comes when the difference is far beyond chance', () => {
    expect(isClear(progress(7, 7, 43), progress(0, 7, 43))).toBe(true)
    expect(isClear(progress(5, 5, 45), progress(0, 5, 45))).toBe(false)
  })

  test('keeps the judgment where it came because nothing could change it', () => {
    fc.assert(
      fc.property(anyCount(8), anyCount(8), fc.nat(4), fc.nat(4), (a, b, leftA, leftB) => {
        if (
          chanceOfDifference([[a, b]]) <= EARLY_CHANCE_LIMIT ||
          !isClear({ ...a, left: leftA }, { ...b, left: leftB })
        )
          return
        for (let more = 0; more <= leftA; more++)
          for (let others = 0; others <= leftB; others++)
            expect(
              judge([
                [count(a.passed + more, a.counted + leftA), count(b.passed + others, b.counted + leftB)],
              ]),
            ).toBe(judge([[a, b]]))
      }),
      { numRuns: triesOf(500) },
    )
  })

  test('tells equal versions apart in at most 5% of runs, computed for every outcome', () => {
    for (const attempts of [3, 6, 10, 20, 50])
      for (const order of ['ab'.repeat(attempts), 'a'.repeat(attempts) + 'b'.repeat(attempts)])
        for (const rate of [0.05, 0.1, 0.2, 0.3, 0.4, 0.5])
          expect(errorOf(order, rate), `${attempts} attempts, rate ${rate}`).toBeLessThan(CHANCE_LIMIT)
  })

  test('tells equal versions apart in at most 5% of runs, tried', () => {
    const random = seeded(7)
    for (const rate of [0.2, 0.5, 0.9]) {
      const runs = triesOf(2000)
      let wrong = 0
      for (let run = 0; run < runs; run++) if (triedRun(12, [rate, rate], random).judgment !== null) wrong++
      expect(wrong / runs).toBeLessThan(CHANCE_LIMIT)
    }
  })

  test('saves attempts, and finds a large difference', () => {
    const random = seeded(11)
    const runs = Array.from({ length: 100 }, () => triedRun(12, [0.95, 0.15], random))
    expect(runs.filter(({ judgment }) => judgment === 'worse').length).toBeGreaterThan(90)
    expect(median(runs.map(({ attempts }) => attempts))).toBeLessThan(16)
    const equal = Array.from({ length: 100 }, () => triedRun(6, [1, 1], random))
    expect(median(equal.map(({ attempts }) => attempts))).toBeLessThan(9)
  })
})

/** A run of two versions in turns that ends when the answer is clear. */
function triedRun(each: number, rates: readonly [number, number], random: () => number) {
  const a = { passed: 0, counted: 0, left: each }
  const b = { ...a }
  while (!isClear(a, b)) {
    const [one, rate] = a.left >= b.left ? [a, rates[0]] : [b, rates[1]]
    one.left--
    one.counted++
    if (random() < rate) one.passed++
  }
  return { attempts: a.counted + b.counted, judgment: judge([[a, b]]) }
}

/** mulberry32: the same numbers for the same seed. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const known = new Map<string, number>()
function knownChance(a: PassCount, b: PassCount): number {
  const key = `${a.passed}/${a.counted} ${b.passed}/${b.counted}`
  const chance = known.get(key) ?? chanceOfDifference([[a, b]])
  known.set(key, chance)
  return chance
}

/**
 * The exact probability that a run of two versions with one rate ends with a difference, if somebody looks after each
 * attempt: the sum over all outcomes. An end because nothing can change the judgment has the error of the judgment.
 */
function errorOf(order: string, rate: number): number {
  let error = 0
  let outcomes = new Map<number, number>([[0, 1]])
  const counted = { a: 0, b: 0 }
  for (const [at, version] of [...order].entries()) {
    counted[version as 'a' | 'b']++
    const next = new Map<number, number>()
    for (const [outcome, chance] of outcomes) {
      const passed = outcome + (version === 'a' ? 100 : 1)
      next.set(passed, (next.get(passed) ?? 0) + chance * rate)
      next.set(outcome, (next.get(outcome) ?? 0) + chance * (1 - rate))
    }
    outcomes = new Map()
    const isLast = at === order.length - 1
    for (const [outcome, chance] of next) {
      const a = count(Math.floor(outcome / 100), counted.a)
      const b = count(outcome % 100, counted.b)
      const ends = knownChance(a, b) <= (isLast ? CHANCE_LIMIT : EARLY_CHANCE_LIMIT)
      if (ends) error += chance
      else outcomes.set(outcome, chance)
    }
  }
  return error
}

test('the median is in the middle', () => {
  expect(median([3, 1, 2])).toBe(2)
  expect(median([4, 1, 2, 3])).toBe(2.5)
  expect(median([])).toBeNull()
})
