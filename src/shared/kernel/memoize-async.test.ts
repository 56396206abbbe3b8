import { expect, it } from 'vitest'
import { memoizeAsync } from './memoize-async.ts'
import { fail, ok } from './result.ts'

it('computes a key once, also for concurrent calls', async () => {
  const memoized = memoizeAsync<number>(10)
  let calls = 0
  const compute = async () => ok(++calls)
  expect(await Promise.all([memoized('a', compute), memoized('a', compute)])).toEqual([ok(1), ok(1)])
  expect(await memoized('a', compute)).toEqual(ok(1))
  expect(await memoized('b', compute)).toEqual(ok(2))
})

it('computes again after a failure and after a throw', async () => {
  const memoized = memoizeAsync<number>(10)
  const failure = { type: 'git', message: 'no' }
  expect(await memoized('a', async () => fail(failure))).toEqual(fail(failure))
  await expect(memoized('a', () => Promise.reject(new Error('thrown')))).rejects.toThrow('thrown')
  expect(await memoized('a', async () => ok(3))).toEqual(ok(3))
})

it('drops the oldest entry above its limit', async () => {
  const memoized = memoizeAsync<number>(2)
  let calls = 0
  for (const key of ['a', 'b', 'c', 'b', 'a']) await memoized(key, async () => ok(++calls))
  expect(calls).toBe(4)
})
