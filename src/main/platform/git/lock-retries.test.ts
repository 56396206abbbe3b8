import { expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Git } from './git-client.ts'
import { type GitFailure, reasonFrom } from './git-failure.ts'
import { retryLocks } from './lock-retries.ts'

const held: GitFailure = { type: 'git', reason: 'lock-held', message: 'git commit failed: …' }

/** A client whose first calls fail. */
function failing(times: number, failure: GitFailure): { readonly git: Git; readonly calls: () => number } {
  let calls = 0
  const git: Git = {
    run: async () => (calls++ < times ? fail(failure) : ok('done')),
    bytes: async () => ok(Buffer.from('')),
    answers: async () => ok({ output: '', code: 0 }),
  }
  return { git, calls: () => calls }
}

const wait = async () => undefined

test('repeats a call until another program releases its lock', async () => {
  const { git, calls } = failing(3, held)
  expect(await retryLocks(git, { wait }).run('/p', [])).toEqual(ok('done'))
  expect(calls()).toBe(4)
})

test('returns the failure if the lock stays', async () => {
  const { git, calls } = failing(1000, held)
  expect(await retryLocks(git, { wait, waits: [1, 2] }).run('/p', [])).toEqual(fail(held))
  expect(calls()).toBe(3)
})

test('does not repeat a call that failed for another reason', async () => {
  const { git, calls } = failing(5, { type: 'git', reason: 'other', message: 'fatal: bad object' })
  await retryLocks(git, { wait }).run('/p', [])
  expect(calls()).toBe(1)
})

test.each([
  ["fatal: Unable to create '/p/.git/index.lock': File exists.", 'lock-held'],
  ['error: could not lock config file .git/config: File exists', 'lock-held'],
  ["fatal: Unable to create '/p/.git/index.lock': No space left on device", 'disk-full'],
  ["fatal: Unable to create '/p/.git/index.lock': Read-only file system", 'read-only'],
  ["error: open('secret'): Permission denied", 'denied'],
  ["error: external filter 'git-lfs filter-process' failed", 'lfs'],
  ['fatal: bad object HEAD', 'other'],
] as const)('the reason of %j', (stderr, reason) => {
  expect(reasonFrom(stderr)).toBe(reason)
})
