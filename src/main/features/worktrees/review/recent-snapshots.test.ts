import { expect, test } from 'vitest'
import { createRecentSnapshots } from './recent-snapshots.ts'

const WORK = { commit: 'a' }

test('a snapshot can be used once, shortly after it was taken and before any change', () => {
  let time = 1000
  const looks = createRecentSnapshots<typeof WORK>(() => time)
  looks.put('/one', WORK)
  expect(looks.take('/other')).toBeNull()
  expect(looks.take('/one')).toBe(WORK)
  expect(looks.take('/one')).toBeNull()
  for (const later of [501, -1]) {
    looks.put('/one', WORK)
    time += later
    expect(looks.take('/one')).toBeNull()
  }
  looks.put('/one', WORK)
  looks.clear()
  expect(looks.take('/one')).toBeNull()
})
