import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isQuick } from '../../../../shared/testing/tries.ts'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createReviewRepository, type ReviewRepository, value } from './testing/review-repository.ts'

const SCRIPT = fileURLToPath(new URL('./testing/killed-review.ts', import.meta.url))
const TIMEOUT = 600_000

/** Of so many steps one, at random. An even number: an undo is killed before steps only. */
const STRIDE = isQuick ? 6 : 2
const FIRST = 1 + Math.floor(Math.random() * STRIDE)

let repository: ReviewRepository
let location: WorktreeLocation
let tip: string

beforeEach(async () => {
  repository = await createReviewRepository()
  location = await repository.work('fixer', [{ 'a.txt': 'agent\n' }])
  tip = await main('rev-parse', location.branch)
  await repository.commit({ 'b.txt': 'person\n' })
  await repository.write(location.path, { 'late.txt': 'late\n' })
})
afterEach(() => repository.remove())

const main = (...args: string[]) => repository.run(repository.folder, ...args)
const key = () => ({ folder: repository.folder, id: location.id })

/** @returns whether the process was killed at this step; false if it finished before */
function diesAt(
  point: number,
  action: 'merge' | 'discard' | 'undo' | 'resolved' | 'undo-merge',
): Promise<boolean> {
  const args = [SCRIPT, repository.home, repository.folder, location.id, action, String(point)]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] },
  })
  let output = ''
  child.stderr.on('data', (data) => {
    output += data
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(true)
      else if (code === 0) resolve(false)
      else reject(new Error(`${action} failed at ${point}: ${output}`))
    })
  })
}

/** Git reports no damage, the work is on a ref, and the user's checkout is intact. */
async function expectNothingLost(): Promise<void> {
  expect(await main('fsck', '--no-dangling', '--no-progress')).toBe('')
  const refs = (await main('for-each-ref', '--format=%(refname)', '--contains', tip)).split('\n')
  expect(refs.filter((ref) => ref !== '')).not.toEqual([])
  const inFolder = await readFile(join(location.path, 'late.txt'), 'utf8').catch(() => null)
  const onRefs = await Promise.all(
    refs.map((ref) => repository.git.run(repository.folder, ['cat-file', '-e', `${ref}:late.txt`])),
  )
  expect(inFolder !== null || onRefs.some(({ ok }) => ok)).toBe(true)
  expect(await main('status', '--porcelain')).toBe('')
  expect(await main('rev-parse', '--symbolic-full-name', 'HEAD')).toBe('refs/heads/main')
}

test('a merge that is killed between any two steps loses nothing and can be repeated', {
  timeout: TIMEOUT,
}, async () => {
  let point = FIRST
  for (; await diesAt(point, 'merge'); point += STRIDE) {
    await expectNothingLost()
    await repository.review.tidy(repository.folder)
    const seen = await repository.listed(location.id)
    if (seen.state === 'merged') break
    expect(seen).toMatchObject({ state: 'ready', merged: null, check: { kind: 'clean' } })
  }
  expect(point).toBeGreaterThan(4)
  await expectNothingLost()
  expect(await repository.listed(location.id)).toMatchObject({ state: 'merged', check: { kind: 'nothing' } })
  expect(await readFile(join(repository.folder, 'late.txt'), 'utf8')).toBe('late\n')
})

test('a merge that the user resolved, killed between any two steps, loses nothing and can be repeated', {
  timeout: TIMEOUT,
}, async () => {
  await repository.commit({ 'a.txt': 'person\n' })
  let point = FIRST
  for (; await diesAt(point, 'resolved'); point += STRIDE) {
    await expectNothingLost()
    const seen = await repository.listed(location.id)
    if (seen.state === 'merged') break
    expect(seen).toMatchObject({ state: 'ready', merged: null, check: { kind: 'conflicts' } })
  }
  expect(point).toBeGreaterThan(8)
  await expectNothingLost()
  expect(await readFile(join(repository.folder, 'a.txt'), 'utf8')).toBe('by hand\n')
})

test('an undo of a merge that is killed between any two steps loses nothing and can be repeated', {
  timeout: TIMEOUT,
}, async () => {
  value(await repository.review.merge(key(), { method: 'merge', into: null }))
  const merge = await main('rev-parse', 'main')
  const before = await main('rev-parse', 'main~1')
  let point = FIRST
  for (; await diesAt(point, 'undo-merge'); point += STRIDE) {
    expect([merge, before]).toContain(await main('rev-parse', 'main'))
    expect(await main('fsck', '--no-dangling', '--no-progress')).toBe('')
  }
  expect(point).toBeGreaterThan(4)
  expect(await main('rev-parse', 'main')).toBe(before)
  expect(await main('status', '--porcelain')).toBe('')
})

test('a worktree is intact or can be restored if its discard is killed between any two steps', {
  timeout: TIMEOUT,
}, async () => {
  let point = FIRST
  for (; await diesAt(point, 'discard'); point += STRIDE) {
    await expectNothingLost()
    const { discarded } = await repository.review.list(repository.folder, { thorough: false })
    if (discarded.length > 0) value(await repository.review.undoDiscard(key()))
    expect(await repository.listed(location.id)).toMatchObject({ state: 'ready', commits: 1, uncommitted: 1 })
    expect(await main('rev-parse', location.branch)).toBe(tip)
  }
  expect(point).toBeGreaterThan(8)
  await expectNothingLost()
})

test('the next start continues an undo that was killed between any two steps', {
  timeout: TIMEOUT,
}, async () => {
  let point = 1
  // Kill before each step: between two steps the code only reads.
  for (let killed = true; killed; point += STRIDE) {
    value(await repository.review.discard(key(), location.branch))
    killed = await diesAt(point, 'undo')
    await expectNothingLost()
    await repository.review.tidy(repository.folder)
    expect(await repository.listed(location.id)).toMatchObject({ state: 'ready', commits: 1, uncommitted: 1 })
    expect(await readFile(join(location.path, 'late.txt'), 'utf8')).toBe('late\n')
  }
  expect(point).toBeGreaterThan(8)
  expect(repository.problems).toEqual([])
})
