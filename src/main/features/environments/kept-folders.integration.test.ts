/** What is kept of set-ups, on the disk. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import {
  appendFile,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createKeptFolders } from './kept-folders.ts'
import type { KeptOrder } from './testing/kept-child.ts'

let base: string
let now: number
let names: number
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'troupe kept-')))
  now = Date.now()
  names = 0
})
afterEach(() => rm(base, { recursive: true, force: true }))

const { signal } = new AbortController()
const PATH = process.env['PATH'] ?? ''
const DAY = 24 * 3_600_000

const folders = (options: { readonly path?: string; readonly most?: number } = {}) =>
  createKeptFolders({
    ...{ dataFolder: base, environment: { PATH: options.path ?? PATH }, now: () => now },
    newKey: () => `draft-${names++}`,
    ...(options.most === undefined ? {} : { most: options.most }),
  })

async function worktree(name: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const top = join(base, 'worktrees', name)
  await mkdir(top, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(top, path)), { recursive: true })
    await writeFile(join(top, path), text)
  }
  return top
}

const keptNames = async () =>
  (await readdir(join(base, 'environments/shared')).catch(() => [])).filter((name) => name !== 'drafts')
const drafts = () => readdir(join(base, 'environments/shared/drafts'))

/** A `cp` that does this after it has copied. */
async function copyThen(script: string): Promise<string> {
  await mkdir(join(base, 'bin'))
  await writeFile(join(base, 'bin/cp'), `#!/bin/sh\n/bin/cp "$@"\n${script}\n`, { mode: 0o755 })
  return `${join(base, 'bin')}:${PATH}`
}

test('texts and links with the path of the worktree get that of the other one, also in read-only files', async () => {
  const first = await worktree('first', {})
  const files = {
    '.venv/bin/pip': `#!${first}/.venv/bin/python\nprint("é")\n`,
    '.venv/direct_url.json': `{"url": "file://${encodeURI(first)}"}`,
    '.venv/library.so': `\0binary ${first}`,
    '.venv/plain.py': 'x = 1\n',
  }
  await worktree('first', files)
  await chmod(join(first, '.venv/bin/pip'), 0o555)
  await symlink(join(first, '.venv/plain.py'), join(first, '.venv/link.py'))
  await symlink('plain.py', join(first, '.venv/near.py'))
  expect(await folders().keep('key', { worktree: first, paths: ['.venv'] }, signal)).toMatchObject({
    ok: true,
  })
  const second = await worktree('second')
  expect(await folders().bring(['none', 'key'], second, signal)).toEqual({ ok: true, value: ['.venv'] })
  expect(await readFile(join(second, '.venv/bin/pip'), 'utf8')).toBe(
    `#!${second}/.venv/bin/python\nprint("é")\n`,
  )
  expect((await stat(join(second, '.venv/bin/pip'))).mode & 0o777).toBe(0o555)
  expect(await readFile(join(second, '.venv/direct_url.json'), 'utf8')).toContain(
    `file://${encodeURI(second)}`,
  )
  expect(await readFile(join(second, '.venv/library.so'), 'utf8')).toBe(files['.venv/library.so'])
  expect(await readlink(join(second, '.venv/link.py'))).toBe(join(second, '.venv/plain.py'))
  expect(await readlink(join(second, '.venv/near.py'))).toBe('plain.py')
  expect((await stat(join(second, '.venv/plain.py'))).ino).not.toBe(
    (await stat(join(first, '.venv/plain.py'))).ino,
  )
  expect(await drafts()).toEqual([])
})

test('what is deep in a folder is copied with its modes, times and links', async () => {
  const packages = '.venv/lib/python3/site-packages'
  const first = await worktree(
    'first',
    Object.fromEntries([
      ...Array.from({ length: 100 }, (_, at) => [`${packages}/part-${at}/code.py`, `part = ${at}\n`]),
      ['.venv/bin/run', 'echo\n'],
      ['.venv/-odd name/*', 'odd\n'],
    ]),
  )
  await mkdir(join(first, '.venv/empty'))
  await symlink('python3', join(first, '.venv/lib/python'))
  await symlink('nowhere', join(first, '.venv/broken'))
  await chmod(join(first, '.venv/bin/run'), 0o755)
  await utimes(join(first, packages), 1000, 2000)
  await chmod(join(first, '.venv/lib'), 0o555)
  await folders().keep('key', { worktree: first, paths: ['.venv'] }, signal)
  const second = await worktree('second')
  await folders().bring(['key'], second, signal)
  const listed = async (top: string) =>
    Promise.all(
      (await readdir(top, { recursive: true })).sort().map(async (path) => {
        const found = await lstat(join(top, path))
        return found.isSymbolicLink()
          ? [path, await readlink(join(top, path))]
          : [path, found.mode, Math.trunc(found.mtimeMs)]
      }),
    )
  const whole = await listed(first)
  expect(whole.length).toBeGreaterThan(200)
  expect(await listed(second)).toEqual(whole)
  for (const top of [first, second]) await chmod(join(top, '.venv/lib'), 0o755)
  await chmod(join(base, 'environments/shared/key/files/0/lib'), 0o755)
})

test('a write to a copy changes neither what is kept nor another copy', async () => {
  const first = await worktree('first', { 'node_modules/a/index.js': 'one' })
  await folders().keep('key', { worktree: first, paths: ['node_modules'] }, signal)
  await appendFile(join(first, 'node_modules/a/index.js'), ' changed')
  const [second, third] = [await worktree('second'), await worktree('third')]
  await folders().bring(['key'], second, signal)
  await appendFile(join(second, 'node_modules/a/index.js'), ' changed')
  await folders().bring(['key'], third, signal)
  expect(await readFile(join(third, 'node_modules/a/index.js'), 'utf8')).toBe('one')
})

test('what was kept and has lost a part is removed, and nothing of it is copied', async () => {
  const first = await worktree('first', {
    'node_modules/a/index.js': 'one',
    'node_modules/b/index.js': 'two',
  })
  await folders().keep('key', { worktree: first, paths: ['node_modules'] }, signal)
  await writeFile(join(base, 'environments/shared/key/files/0/b/index.js'), '')
  const second = await worktree('second')
  expect(await folders().bring(['key'], second, signal)).toMatchObject({ failure: { type: 'changed' } })
  expect([await keptNames(), existsSync(join(second, 'node_modules'))]).toEqual([[], false])
  expect(await folders().bring(['key'], second, signal)).toEqual({ ok: true, value: null })
})

test('a full disk is named, and leaves nothing behind', async () => {
  const first = await worktree('first', { 'node_modules/a/index.js': 'one' })
  const second = await worktree('second')
  await folders().keep('before', { worktree: first, paths: ['node_modules'] }, signal)
  const path = await copyThen(`echo "cp: error writing 'x': No space left on device" >&2; exit 1`)
  const full = { ok: false, failure: { message: 'No space left on device' } }
  expect(
    await folders({ path }).keep('key', { worktree: first, paths: ['node_modules'] }, signal),
  ).toMatchObject(full)
  expect(await folders({ path }).bring(['before'], second, signal)).toMatchObject(full)
  expect([await keptNames(), await drafts(), await readdir(second)]).toEqual([['before'], [], []])
})

test('a kill in the middle leaves nothing that counts, and what it left is removed after an hour', async () => {
  const first = await worktree('first', { 'node_modules/a/index.js': 'one' })
  const second = await worktree('second')
  await folders().keep('before', { worktree: first, paths: ['node_modules'] }, signal)
  const path = await copyThen('kill -9 $PPID')
  const child = (order: Omit<KeptOrder, 'dataFolder' | 'path'>) =>
    spawnSync(
      process.execPath,
      [
        join(import.meta.dirname, 'testing/kept-child.ts'),
        JSON.stringify({ ...order, dataFolder: base, path }),
      ],
      { encoding: 'utf8' },
    )
  for (const order of [{ do: 'keep', worktree: first } as const, { do: 'bring', worktree: second } as const])
    expect(child(order)).toMatchObject({ signal: 'SIGKILL', stdout: '' })
  expect([await keptNames(), (await drafts()).length, await readdir(second)]).toEqual([['before'], 2, []])
  expect(await folders().bring(['key'], second, signal)).toEqual({ ok: true, value: null })
  now += 2 * 3_600_000
  await folders().keep('key', { worktree: first, paths: ['node_modules'] }, signal)
  expect([await keptNames(), await drafts()]).toEqual([['before', 'key'], []])
})

test('what was used longest ago goes first where it would be too much, and what nobody uses goes after two weeks', async () => {
  const first = await worktree('first', { 'node_modules/a/index.js': 'x'.repeat(1000) })
  const keep = async (key: string) => {
    now += 1000
    return folders({ most: 3000 }).keep(key, { worktree: first, paths: ['node_modules'] }, signal)
  }
  for (const key of ['a', 'b', 'c']) {
    await keep(key)
    await folders().bring([key], await worktree(`uses-${key}`), signal)
  }
  now += 1000
  await folders().bring(['a'], await worktree('uses-a-again'), signal)
  await keep('d')
  expect(await keptNames()).toEqual(['a', 'c', 'd'])
  now += 15 * DAY
  await keep('e')
  expect(await keptNames()).toEqual(['e'])
  expect(
    await folders({ most: 999 }).keep('f', { worktree: first, paths: ['node_modules'] }, signal),
  ).toMatchObject({ failure: { type: 'too-large' } })
})

test('nothing is replaced, and no link is followed out of the worktree', async () => {
  const first = await worktree('first', { 'web/node_modules/a.js': 'a', 'node_modules/b.js': 'b' })
  await folders().keep('key', { worktree: first, paths: ['node_modules', 'web/node_modules'] }, signal)
  const outside = join(base, 'outside')
  await mkdir(outside)
  const linked = await worktree('linked')
  await symlink(outside, join(linked, 'web'))
  const taken = await worktree('taken', { 'web/node_modules/mine.js': 'mine' })
  for (const each of [linked, taken])
    expect(await folders().bring(['key'], each, signal)).toMatchObject({ ok: false })
  expect([await readdir(outside), await readdir(linked), await readdir(taken)]).toEqual([
    [],
    ['web'],
    ['web'],
  ])
  expect(await readdir(join(taken, 'web/node_modules'))).toEqual(['mine.js'])
})
