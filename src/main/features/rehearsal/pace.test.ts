import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { delayReply, PACES, type Pace, TokenClock } from './pace.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** The ms until a reply of these tokens has been streamed. */
async function msOf(pace: () => Pace, tokens: readonly ('text' | 'input')[]): Promise<number> {
  const startedAt = performance.now()
  const clock = new TokenClock(pace, () => performance.now())
  for (const token of tokens) {
    if (clock.early > 0) await vi.advanceTimersByTimeAsync(clock.early)
    clock.count(token === 'input')
  }
  return performance.now() - startedAt
}
const tokens = (amount: number, kind: 'text' | 'input' = 'text') => Array.from({ length: amount }, () => kind)

test('text comes as fast as one can read it along; what nobody reads along comes faster', async () => {
  expect(await msOf(() => PACES.readable, tokens(101))).toBeCloseTo(4000, -1)
  expect(await msOf(() => PACES.readable, tokens(101, 'input'))).toBeCloseTo(400, -1)
  expect(await msOf(() => PACES.faster, tokens(101))).toBeCloseTo(1000, -1)
  expect(await msOf(() => PACES.instant, tokens(5000))).toBe(0)
})

test('a change of the pace takes effect within the reply, in both directions', async () => {
  let pace: Pace = PACES.readable
  const clock = new TokenClock(
    () => pace,
    () => performance.now(),
  )
  clock.count(false)
  expect(clock.early).toBeCloseTo(40, 0)
  pace = PACES.instant
  expect(clock.early).toBe(0)
  for (let at = 0; at < 100; at++) clock.count(false)
  pace = PACES.readable
  clock.count(false)
  clock.count(false)
  expect(clock.early).toBeCloseTo(80, 0)
})

test('the delay before a reply ends soon after the pace changes to instant, and with the request', async () => {
  let pace: Pace = PACES.readable
  let isOver = false
  const gone = new AbortController()
  void delayReply(
    () => pace,
    () => performance.now(),
    gone.signal,
  ).then(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(500)
  expect(isOver).toBe(false)
  pace = PACES.instant
  await vi.advanceTimersByTimeAsync(50)
  expect(isOver).toBe(true)

  pace = PACES.readable
  const stopped = delayReply(
    () => pace,
    () => performance.now(),
    gone.signal,
  )
  gone.abort()
  await stopped
})
