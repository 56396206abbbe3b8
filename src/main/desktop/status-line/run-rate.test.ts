import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRunRate, type RunRate } from './run-rate.ts'

/** Start times in ms. */
let starts: number[]
let works: boolean
let takes: number
let rate: RunRate

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  starts = []
  works = true
  takes = 10
  rate = createRunRate({
    now: () => Date.now(),
    run: async () => {
      starts.push(Date.now())
      await new Promise((resolve) => setTimeout(resolve, takes))
      return works
    },
  })
})
afterEach(() => {
  rate.stop()
  vi.useRealTimers()
})

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** Requests a run every few ms, as 24 busy agents do. */
async function ask(ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 5) {
    rate.request()
    await pass(5)
  }
}

const gaps = () => starts.slice(1).map((at, index) => at - (starts[index] ?? 0))

describe('the rate', () => {
  test('simultaneous requests share one run', async () => {
    for (let call = 0; call < 50; call++) rate.request()
    await pass(5000)
    expect(starts).toHaveLength(1)
  })

  test('is three runs a second under constant requests', async () => {
    await ask(10_000)
    for (const begin of starts)
      expect(starts.filter((at) => at >= begin && at < begin + 1000).length).toBeLessThanOrEqual(3)
    expect(starts.length).toBeGreaterThanOrEqual(28)
  })

  test('requests during a run share one run after it', async () => {
    takes = 200
    rate.request()
    await pass(60)
    expect(starts).toHaveLength(1)
    rate.request()
    rate.request()
    await pass(5000)
    expect(starts).toHaveLength(2)
  })

  test('never starts two runs at once', async () => {
    takes = 900
    await ask(5000)
    expect(Math.min(...gaps())).toBeGreaterThanOrEqual(900)
  })

  test('without requests starts nothing and keeps no timer', async () => {
    rate.request()
    await pass(60_000)
    expect(starts).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('failures', () => {
  test('lengthen the pause, up to a minute', async () => {
    works = false
    await ask(200_000)
    expect(gaps().map((gap) => Math.round(gap / 1000))).toEqual([2, 4, 8, 16, 32, 60, 60])
  })

  test('are not retried without a request', async () => {
    works = false
    rate.request()
    await pass(100_000)
    expect(starts).toHaveLength(1)
  })

  test('are forgotten after one success', async () => {
    works = false
    await ask(10_000)
    works = true
    await ask(10_000)
    const before = starts.length
    await ask(1000)
    expect(starts.length - before).toBeGreaterThanOrEqual(2)
  })

  test('are forgotten by a reset, which also ignores a run in progress', async () => {
    works = false
    await ask(8000)
    const before = starts.length
    takes = 200
    rate.resetBackoff()
    rate.request()
    await pass(50)
    expect(starts.length).toBe(before + 1)
    // The reset comes during the run, which then fails.
    rate.resetBackoff()
    await pass(200)
    rate.request()
    await pass(400)
    expect(starts.length).toBe(before + 2)
  })

  test('include a run that throws', async () => {
    const throwing = createRunRate({
      now: () => Date.now(),
      run: () => {
        starts.push(Date.now())
        return Promise.reject(new Error('bug'))
      },
    })
    for (let at = 0; at < 1900; at += 50) {
      throwing.request()
      await pass(50)
    }
    throwing.stop()
    expect(starts).toHaveLength(1)
  })
})

test('while paused nothing starts; afterwards pending requests share one run', async () => {
  rate.request()
  rate.pause(true)
  await ask(5000)
  expect(starts).toEqual([])
  rate.pause(false)
  await pass(5000)
  expect(starts).toHaveLength(1)
  rate.pause(true)
  rate.pause(false)
  await pass(5000)
  expect(starts).toHaveLength(1)
})

test('after stop nothing starts', async () => {
  rate.request()
  rate.stop()
  await ask(2000)
  rate.pause(false)
  rate.resetBackoff()
  await pass(2000)
  expect(starts).toEqual([])
})
