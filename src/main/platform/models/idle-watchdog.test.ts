import { expect, test } from 'vitest'
import { createHandClock } from '../../runtime/testing/hand-clock.ts'
import { watchIdle } from './idle-watchdog.ts'

const limits = { first: 100_000, idle: 60_000, pingsOnly: 600_000 }

function watched() {
  const time = createHandClock()
  const ends: unknown[] = []
  const watchdog = watchIdle(time.clock, limits, (reached, ms) => ends.push([time.clock.now(), reached, ms]))
  return { ...watchdog, until: time.until, ends }
}

test('the first byte may take longer than the next ones', async () => {
  const { until, ends } = watched()
  await until(99_999)
  expect(ends).toEqual([])
  await until(100_000)
  expect(ends).toEqual([[100_000, 'first', 100_000]])
})

test('after the first byte the shorter limit holds at once', async () => {
  const { until, received, ends } = watched()
  await until(1000)
  received()
  await until(200_000)
  expect(ends).toEqual([[61_000, 'idle', 60_000]])
})

test('data without an event of the message ends after its own time', async () => {
  const { until, received, progressed, ends } = watched()
  for (let at = 0; at <= 300_000; at += 30_000) {
    await until(at)
    received()
  }
  progressed()
  for (let at = 330_000; at < 900_000; at += 30_000) {
    await until(at)
    received()
  }
  expect(ends).toEqual([])
  await until(1_000_000)
  expect(ends).toEqual([[900_000, 'pingsOnly', 600_000]])
})

test('nothing happens after the end of the watch', async () => {
  const { until, stop, ends } = watched()
  stop()
  await until(1_000_000)
  expect(ends).toEqual([])
})
