/** Kept content has limits of age and size. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { cleanSpaces, sizeOfFolder } from './clean-spaces.ts'
import { changesBench } from './testing/changes-bench.ts'

const DAY_S = 86_400

function spaces(ages: Readonly<Record<string, number>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-changes-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, days] of Object.entries(ages)) {
    const content = join(folder, name, 'content')
    mkdirSync(content, { recursive: true })
    writeFileSync(join(content, 'blob'), Buffer.alloc(1024 * 1024))
    const at = Date.now() / 1000 - days * DAY_S
    for (const path of [content, join(folder, name)]) utimesSync(path, at, at)
  }
  return folder
}

test('conversations over the age go, and then the oldest until the rest fits', async () => {
  const folder = spaces({ new: 0, week: 7, month: 29, old: 31 })
  expect(await sizeOfFolder(folder)).toBe(4 * 1024 * 1024)
  await cleanSpaces(folder, { days: 30, megabytes: 10 })
  expect(['new', 'week', 'month', 'old'].map((name) => existsSync(join(folder, name)))).toEqual([
    true,
    true,
    true,
    false,
  ])
  await cleanSpaces(folder, { days: 30, megabytes: 2 })
  expect(['new', 'week', 'month'].map((name) => existsSync(join(folder, name)))).toEqual([true, true, false])
})

test('of a conversation in use the oldest content goes, and none that a running call needs', async () => {
  const folder = spaces({ now: 0, old: 2 })
  const content = join(folder, 'now', 'content')
  const put = (name: string, minutes: number) => {
    writeFileSync(join(content, name), Buffer.alloc(1024 * 1024))
    const at = Date.now() / 1000 - minutes * 60
    utimesSync(join(content, name), at, at)
  }
  put('first', 50)
  put('second', 40)
  put('third', 30)
  await cleanSpaces(folder, { days: 30, megabytes: 2 })
  expect([readdirSync(folder), readdirSync(content).sort()]).toEqual([['now'], ['blob', 'third']])
  await cleanSpaces(folder, { days: 30, megabytes: 0.5 })
  expect(readdirSync(content)).toEqual(['blob'])
})

test('a file whose kept content was deleted meanwhile is kept again before it is changed', async () => {
  const bench = changesBench({ repository: false, files: { 'a.txt': 'a\n' } })
  await bench.settled()
  await bench.write('ann', 'b.txt', 'b\n')
  await bench.command('ann', () => {})
  rmSync(join(bench.data, 'c-1', 'content'), { recursive: true })
  await bench.write('ben', 'a.txt', 'A\n')
  await bench.undo({ kind: 'agent', agentId: 'ben' })
  expect(bench.text('a.txt')).toBe('a\n')
})

test('nothing was kept yet', async () => {
  await cleanSpaces('/nowhere/at/all', { days: 30, megabytes: 10 })
  expect(await sizeOfFolder('/nowhere/at/all')).toBe(0)
})

test('changes whose content is gone are listed, and are said to be impossible to undo', async () => {
  const bench = changesBench({ repository: false, files: { 'a.txt': 'a\n' } })
  await bench.write('ann', 'a.txt', 'A\n')
  rmSync(bench.data, { recursive: true })
  expect((await bench.preview({ kind: 'all' })).files).toMatchObject([
    { action: 'impossible', reason: expect.stringContaining('no longer kept') },
  ])
  expect((await bench.undo({ kind: 'all' })).left).toHaveLength(1)
  expect(bench.text('a.txt')).toBe('A\n')
})
