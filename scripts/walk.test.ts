import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Figure } from './house.ts'

test('the way of a prompt through the main process gets no longer', async () => {
  // In a process of its own: V8 counts by file, and the runner's own loader changes the files.
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'walk.ts'),
    '--json',
  ])
  const figures = JSON.parse(stdout) as readonly Figure[]
  expect(figures.map(({ name }) => name)).toEqual([
    'files from a prompt to its first token',
    'calls from a prompt to its first token',
    'files from a prompt to a permission request',
    'calls from a prompt to a permission request',
  ])
  // A walk that counts nothing would pass every limit.
  expect(figures.filter(({ value }) => value < 50)).toEqual([])
  const longer = figures.filter(({ value, limit }) => value > limit)
  expect(
    longer,
    'See `node scripts/walk.ts --files`, and docs/architecture.md, "The house in figures".',
  ).toEqual([])
})
