import { expect, test } from 'vitest'
import { createHandClock } from '../../../runtime/testing/hand-clock.ts'
import { type HeldSession, HeldSessions } from './held-sessions.ts'

test('the process of a program that does not answer to the end of a session is released', async () => {
  const hand = createHandClock()
  const connection = { can: { resume: true, load: false }, isStale: false }
  let isReleased = false
  const held = {
    session: { connection, serve() {}, close: () => new Promise(() => {}) },
    lease: {
      process: { ended: new Promise(() => {}) },
      release: () => {
        isReleased = true
      },
    },
  } as unknown as HeldSession
  new HeldSessions(hand.clock, { resumable: 0, other: 0 }).put('a-1', held)
  await hand.until(4999)
  expect(isReleased).toBe(false)
  await hand.until(5000)
  expect(isReleased).toBe(true)
  expect(connection.isStale).toBe(true)
  expect(hand.sleepers).toBe(0)
})
