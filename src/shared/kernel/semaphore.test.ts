import { expect, it } from 'vitest'
import { Semaphore } from './semaphore.ts'

/** A promise and the function that resolves it. */
function gate() {
  let resolve = () => {}
  const promise = new Promise<void>((open) => {
    resolve = open
  })
  return { promise, resolve }
}

/** Lets pending promise callbacks run. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

it('never exceeds its capacity and admits callers in the order they asked', async () => {
  const semaphore = new Semaphore(() => 2)
  const begun: number[] = []
  const ends = Array.from({ length: 4 }, () => gate())
  const runs = ends.map(({ promise }, index) =>
    semaphore.run(() => {
      begun.push(index)
      return promise
    }),
  )
  await settle()
  expect(begun).toEqual([0, 1])
  ends[1]?.resolve()
  await settle()
  expect(begun).toEqual([0, 1, 2])
  for (const { resolve } of ends) resolve()
  await Promise.all(runs)
  expect(begun).toEqual([0, 1, 2, 3])
  expect(semaphore.isFull).toBe(false)
})

it('releases the permit of a call that fails', async () => {
  const semaphore = new Semaphore(() => 1)
  await expect(semaphore.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  await expect(semaphore.run(async () => 'next')).resolves.toBe('next')
})

it('gives no permit to a caller that aborts, and passes over it', async () => {
  const semaphore = new Semaphore(() => 1)
  const controller = new AbortController()
  await semaphore.acquire()
  const aborted = semaphore.acquire(controller.signal)
  const next = semaphore.acquire(new AbortController().signal)
  controller.abort()
  expect(await aborted).toBe(false)
  semaphore.release()
  expect(await next).toBe(true)
  expect(await semaphore.acquire(controller.signal)).toBe(false)
  expect(semaphore.isFull).toBe(true)
})

it('applies a changed capacity at the next change', async () => {
  let capacity = 1
  const semaphore = new Semaphore(() => capacity)
  await semaphore.acquire()
  capacity = 2
  expect(semaphore.isFull).toBe(false)
  expect(await semaphore.acquire()).toBe(true)
  expect(semaphore.isFull).toBe(true)
})
