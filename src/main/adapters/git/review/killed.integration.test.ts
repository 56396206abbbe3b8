import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { WorktreePlace } from '../../../../shared/worktree.ts'
import { createReviewRepository, type ReviewRepository, value } from './testing/review-repository.ts'

const SCRIPT = fileURLToPath(new URL('./testing/killed-review.ts', import.meta.url))
const TIMEOUT = 240_000

let repository: ReviewRepository
let place: WorktreePlace
let tip: string

beforeEach(async () => {
  repository = await createReviewRepository()
  place = await repository.work('mender', [{ 'a.txt': 'agent\n' }])
  tip = await main('rev-parse', place.branch)
  await repository.commit({ 'b.txt': 'person\n' })
  await repository.write(place.path, { 'late.txt': 'late\n' })
})
afterEach(() => repository.remove())

const main = (...args: string[]) => repository.run(repository.folder, ...args)
const key = () => ({ folder: repository.folder, id: place.id })

/** @returns whether it was killed at the point; false: it came to its end */
function diesAt(point: number, action: 'merge' | 'discard' | 'undo'): Promise<boolean> {
  const args = [SCRIPT, repository.home, repository.folder, place.id, action, String(point)]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
  })
  let words = ''
  child.stderr.on('data', (data) => {
    words += data
  })
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(true)
      else if (code === 0) resolve(false)
      else reject(new Error(`${action} failed at ${point}: ${words}`))
    })
  })
}

/** Git finds nothing wrong, the work is on a ref, and the user's checkout is whole. */
async function expectNothingLost(): Promise<void> {
  expect(await main('fsck', '--no-dangling', '--no-progress')).toBe('')
  const refs = (await main('for-each-ref', '--format=%(refname)', '--contains', tip)).split('\n')
  expect(refs.filter((ref) => ref !== '')).not.toEqual([])
  const inFolder = await readFile(join(place.path, 'late.txt'), 'utf8').catch(() => null)
  const onRefs = await Promise.all(
    refs.map((ref) => repository.git.run(repository.folder, ['cat-file', '-e', `${ref}:late.txt`])),
  )
  expect(inFolder !== null || onRefs.some(({ ok }) => ok)).toBe(true)
  expect(await main('status', '--porcelain')).toBe('')
  expect(await main('rev-parse', '--symbolic-full-name', 'HEAD')).toBe('refs/heads/main')
}

test('merging, killed between any two steps: nothing is lost, and it can be done again', {
  timeout: TIMEOUT,
}, async () => {
  let point = 1
  for (; await diesAt(point, 'merge'); point += 1) {
    await expectNothingLost()
    await repository.review.tidy(repository.folder)
    const seen = await repository.listed(place.id)
    if (seen.state === 'merged') break
    expect(seen).toMatchObject({ state: 'ready', merged: null, check: { kind: 'clean' } })
  }
  expect(point).toBeGreaterThan(4)
  await expectNothingLost()
  expect(await repository.listed(place.id)).toMatchObject({ state: 'merged', check: { kind: 'nothing' } })
  expect(await readFile(join(repository.folder, 'late.txt'), 'utf8')).toBe('late\n')
})

test('discarding, killed between any two steps: it is still there, or it can be brought back whole', {
  timeout: TIMEOUT,
}, async () => {
  let point = 1
  for (; await diesAt(point, 'discard'); point += 1) {
    await expectNothingLost()
    const { discarded } = await repository.review.list(repository.folder, { thorough: false })
    if (discarded.length > 0) value(await repository.review.undoDiscard(key()))
    expect(await repository.listed(place.id)).toMatchObject({ state: 'ready', commits: 1, uncommitted: 1 })
    expect(await main('rev-parse', place.branch)).toBe(tip)
  }
  expect(point).toBeGreaterThan(8)
  await expectNothingLost()
})

test('bringing back, killed between any two steps: the next start goes on with it', {
  timeout: TIMEOUT,
}, async () => {
  let point = 1
  // Before each step: between two of them nothing but a look is taken.
  for (let killed = true; killed; point += 2) {
    value(await repository.review.discard(key(), place.branch))
    killed = await diesAt(point, 'undo')
    await expectNothingLost()
    await repository.review.tidy(repository.folder)
    expect(await repository.listed(place.id)).toMatchObject({ state: 'ready', commits: 1, uncommitted: 1 })
    expect(await readFile(join(place.path, 'late.txt'), 'utf8')).toBe('late\n')
  }
  expect(point).toBeGreaterThan(8)
  expect(repository.problems).toEqual([])
})
