import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPageCode } from './page-life.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Whether the page has loaded its code after this time. */
async function isThere(code: ReturnType<typeof createPageCode>, ms: number): Promise<boolean> {
  let there = false
  void code.there.then(() => {
    there = true
  })
  await vi.advanceTimersByTimeAsync(ms)
  return there
}

test('the page has loaded its code after a moment without requests for code', async () => {
  const code = createPageCode()
  code.served('/renderer/index.html')
  expect(await isThere(code, 1000)).toBe(false)
  code.served('/renderer/assets/index.js')
  expect(await isThere(code, 10)).toBe(false)
  code.served('/renderer/assets/index.css')
  expect(await isThere(code, 10)).toBe(false)
  expect(await isThere(code, 10)).toBe(true)
})

test('a page that is ready or failed to load ends the wait', async () => {
  const code = createPageCode()
  code.enough()
  expect(await isThere(code, 0)).toBe(true)
})
