import { expect, test } from 'vitest'
import { isQuick } from '../shared/testing/tries.ts'
import { torture } from './testing/torture/torture.ts'

/** `npm run torture` does hundreds. */
const ROUNDS = isQuick ? 5 : 12

test(`a process is killed in ${ROUNDS} rounds, at random moments and at each boundary: nothing is lost or done twice, and every agent resumes`, {
  timeout: 600_000,
}, async () => {
  const seed = Math.floor(Math.random() * 1_000_000)
  const { failed, ...tally } = await torture({ rounds: ROUNDS, seed })
  // The findings, and the folder with their data.
  expect({ seed, failed }).toEqual({ seed, failed: [] })
  expect(tally).toMatchObject({ rounds: ROUNDS, lost: 0, doubled: 0, resumed: tally.cutOff })
  // The process was killed often enough for the result to mean something.
  expect(tally.killed).toBeGreaterThan(ROUNDS / 4)
  expect(tally.acknowledged).toBeGreaterThan(ROUNDS * 100)
  // The moments are random, so the amounts are only proof that such kills were among them.
  expect(tally.unknownOutcomes).toBeGreaterThan(ROUNDS / 4)
  expect(tally.cutOff).toBeGreaterThan(ROUNDS / 4)
})
