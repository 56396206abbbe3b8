import { expect, it } from 'vitest'
import { KeyedLock } from './keyed-lock.ts'

/** A promise and the function that resolves it. */
function gate() {
  let resolve = () => {}
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}

it('runs calls with one key one after the other, in the order they arrived', async () => {
  const lock = new KeyedLock()
  const events: string[] = []
  const first = gate()
  const call = (name: string, until: Promise<void>) =>
    lock.withLock('key', async () => {
      events.push(`${name} begins`)
      await until
      events.push(`${name} ends`)
    })
  const calls = [call('one', first.promise), call('two', Promise.resolve()), call('three', Promise.resolve())]
  first.resolve()
  await Promise.all(calls)
  expect(events).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
})

it('lets calls with different keys run at once', async () => {
  const lock = new KeyedLock()
  const both = gate()
  const one = lock.withLock('one', () => both.promise)
  await lock.withLock('two', async () => both.resolve())
  await one
})

it('passes a failure to its caller and lets the next call run', async () => {
  const lock = new KeyedLock()
  const failed = lock.withLock('key', () => Promise.reject(new Error('no')))
  const next = lock.withLock('key', async () => 'next')
  await expect(failed).rejects.toThrow('no')
  await expect(next).resolves.toBe('next')
})

it('forgets a key once its last call has ended', async () => {
  const lock = new KeyedLock()
  await Promise.all([lock.withLock('one', async () => 1), lock.withLock('two', async () => 2)])
  await Promise.resolve()
  expect(lock.size).toBe(0)
})
