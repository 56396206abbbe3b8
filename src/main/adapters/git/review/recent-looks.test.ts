import { expect, test } from 'vitest'
import { createRecentLooks } from './recent-looks.ts'

const WORK = { commit: 'a' }

test('a look is good once, right after it was taken, and until something is changed', () => {
  let time = 1000
  const looks = createRecentLooks<typeof WORK>(() => time)
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
