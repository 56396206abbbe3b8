import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { claimName, publishFile, replaceFile } from './atomic-file.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-atomic-'))
  path = join(folder, 'file')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('replaces a file, creates its folder and leaves no temporary file', async () => {
  const deep = join(folder, 'a', 'b', 'file')
  await replaceFile(deep, 'one', { durable: true })
  await replaceFile(deep, 'two', { durable: false })
  expect(await readFile(deep, 'utf8')).toBe('two')
  expect(await readdir(join(folder, 'a', 'b'))).toEqual(['file'])
  expect((await stat(deep)).mode & 0o777).toBe(0o600)
})

it('keeps the old file and removes the temporary file if the rename fails', async () => {
  await mkdir(path)
  await expect(replaceFile(path, 'new', { durable: false })).rejects.toThrow()
  expect(await readdir(folder)).toEqual(['file'])
})

it('names the file in a failure, and never the temporary one', async () => {
  await mkdir(path)
  await writeFile(join(folder, 'other'), '')
  for (const target of [path, join(folder, 'other', 'below')]) {
    const failure = await replaceFile(target, 'new', { durable: false }).then(
      String,
      (error) => error.message,
    )
    expect(failure).toContain(`'${target}'`)
    expect(failure).not.toMatch(/\.tmp/)
  }
  const draft = join(folder, '.draft-1')
  await expect(replaceFile(path, 'new', { durable: true, draft })).rejects.toThrow(`write '${path}'`)
})

it('overwrites a temporary file left by a crash', async () => {
  await writeFile(`${path}.tmp`, 'a longer half of an older write')
  await replaceFile(path, 'new', { durable: false })
  expect(await readFile(path, 'utf8')).toBe('new')
  expect(await readdir(folder)).toEqual(['file'])
})

it('never overwrites a temporary file of another writer', async () => {
  const draft = join(folder, 'draft')
  await writeFile(draft, 'theirs')
  const write = publishFile({ draft, content: 'mine', mode: 0o600, publish: () => rename(draft, path) })
  await expect(write).rejects.toThrow('EEXIST')
  expect(await readFile(draft, 'utf8')).toBe('theirs')
})

it('removes an unpublished temporary file', async () => {
  const draft = join(folder, 'draft')
  const published = await publishFile({ draft, content: 'new', mode: 0o600, publish: async () => false })
  expect(published).toBe(false)
  expect(await readdir(folder)).toEqual([])
})

it('claims a free name and never a taken one', async () => {
  const draft = join(folder, 'draft')
  await writeFile(draft, 'mine')
  expect(await claimName(draft, path)).toBe(true)
  expect(await readdir(folder)).toEqual(['file'])
  await writeFile(join(folder, 'other'), 'other')
  expect(await claimName(join(folder, 'other'), path)).toBe(false)
  expect(await readFile(path, 'utf8')).toBe('mine')
})
