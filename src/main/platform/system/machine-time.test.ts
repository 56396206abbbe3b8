import { getEventListeners } from 'node:events'
import { afterEach, expect, it, vi } from 'vitest'
import { createSystemClock } from './machine-time.ts'

afterEach(() => {
  vi.useRealTimers()
})

it('sleeps for the given time, and leaves no listener or timer behind', async () => {
  vi.useFakeTimers()
  const { signal } = new AbortController()
  const woke = vi.fn()
  void createSystemClock().sleep(1000, signal).then(woke)
  await vi.advanceTimersByTimeAsync(999)
  expect(woke).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(woke).toHaveBeenCalled()
  expect(getEventListeners(signal, 'abort')).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

it('wakes at once when aborted, and never sleeps if aborted before', async () => {
  vi.useFakeTimers()
  const controller = new AbortController()
  const sleep = createSystemClock().sleep(1000, controller.signal)
  controller.abort()
  await sleep
  await createSystemClock().sleep(1000, controller.signal)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
})

it('sleeps longer than the maximum of a Node timer', async () => {
  vi.useFakeTimers()
  const days = 24 * 3_600_000
  const woke = vi.fn()
  void createSystemClock()
    .sleep(40 * days, new AbortController().signal)
    .then(woke)
  await vi.advanceTimersByTimeAsync(39 * days)
  expect(woke).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(days)
  expect(woke).toHaveBeenCalled()
})

it('returns the current time', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 })
  expect(createSystemClock().now()).toBe(1_700_000_000_000)
})
