import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../../shared/settings/settings.ts'
import { createSettingsStore, type SettingsStore } from './settings-store.ts'

let folder: string
let file: string
const stores: SettingsStore[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-settings-'))
  file = join(folder, 'data', 'settings.json')
})

afterEach(async () => {
  for (const store of stores.splice(0)) store.close()
  await rm(folder, { recursive: true, force: true })
})

function open(): SettingsStore {
  const store = createSettingsStore({ file })
  stores.push(store)
  return store
}

async function put(text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

const onDisk = async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'))

test('a missing file yields the defaults and is not created', async () => {
  const store = open()
  expect(await store.load()).toEqual([])
  expect(store.current).toEqual(defaultSettings)
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})

test('a change survives a restart, and only the user can read the file', async () => {
  expect((await open().change({ theme: 'light', zoom: 120 })).ok).toBe(true)
  const later = open()
  await later.load()
  expect(later.current).toEqual({ ...defaultSettings, theme: 'light', zoom: 120 })
  if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(join(folder, 'data'))).toEqual(['settings.json'])
})

test('unknown keys and invalid values stay in the file', async () => {
  await put('{ "permissions": { "allow": ["Bash(ls)"] }, "zoom": 9000, "theme": "dark" }')
  const store = open()
  const problems = await store.load()
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain('"zoom"')
  expect(store.current).toEqual({ ...defaultSettings, theme: 'dark' })
  await store.change({ theme: 'light' })
  expect(await onDisk()).toEqual({ permissions: { allow: ['Bash(ls)'] }, zoom: 9000, theme: 'light' })
})

test.each([
  ['{ "statusLine": { "type": "command", "command": "date" } }', { command: 'date' }, 0],
  ['{ "statusLine": null }', null, 0],
  ['{ "statusLine": "date" }', null, 1],
  ['{ "statusLine": { "command": ["date"] } }', null, 1],
  [`{ "statusLine": { "command": "${'x'.repeat(5000)}" } }`, null, 1],
])('the status line of %s', async (text, meant, problems) => {
  await put(text)
  const store = open()
  expect(await store.load()).toHaveLength(problems)
  expect(store.current.statusLine).toEqual(meant)
})

describe('a broken file', () => {
  test('is reported and left unchanged by a read', async () => {
    await put('{ "theme": "dark", oops')
    const store = open()
    const problems = await store.load()
    expect(problems.join()).toContain(file)
    expect(store.current).toEqual(defaultSettings)
    expect(await readFile(file, 'utf8')).toBe('{ "theme": "dark", oops')
  })

  test.each([
    ['an unknown word', '{ "theme": "dark", oops }', 'line 1, column 20: this is not a JSON value'],
    [
      'a truncated text',
      '{\n  "zoom": 110,\n  "model": "son',
      'line 3, column 12: this text has no closing quote',
    ],
    ['a missing comma', '{\r\n\t"a": 1\r\n\t"b": 2\r\n}', 'line 3, column 2: "," is missing'],
    ['a list', '[1]', 'It is not an object'],
  ])('with %s refuses a change, names the place and stays as it is', async (_, text, place) => {
    await put(text)
    const store = open()
    await store.load()
    const changed = await store.change({ theme: 'light' })
    expect(changed).toMatchObject({ ok: false, failure: { type: 'not-saved' } })
    expect(!changed.ok && changed.failure.message).toContain(`${file} is unchanged.`)
    expect(!changed.ok && changed.failure.message).toContain(place)
    expect(store.current.theme).toBe('system')
    expect(await readFile(file, 'utf8')).toBe(text)
    expect(await readdir(join(folder, 'data'))).toEqual(['settings.json'])
  })

  test('is changed again once it is corrected', async () => {
    await put('{ "theme": "dark", oops')
    const store = open()
    await store.load()
    expect((await store.change({ zoom: 110 })).ok).toBe(false)
    await writeFile(file, '{ "theme": "dark" }')
    expect((await store.change({ zoom: 110 })).ok).toBe(true)
    expect(await readFile(file, 'utf8')).toBe('{ "theme": "dark", "zoom": 110 }')
  })
})

test('a link, a link that leads nowhere and a folder are not replaced', async () => {
  await put('{}')
  const refused = async (because: string) => {
    const changed = await open().change({ theme: 'light' })
    expect(!changed.ok && changed.failure.message).toContain(`${file} is ${because}`)
  }
  const elsewhere = join(folder, 'dotfiles.json')
  await rm(file)
  await symlink(elsewhere, file)
  await refused('a link')
  expect((await open().load()).join()).toContain('leads to no file')
  await writeFile(elsewhere, '{ "theme": "dark" }')
  await refused('a link')
  const store = open()
  await store.load()
  expect(store.current.theme).toBe('dark')
  expect(await readFile(elsewhere, 'utf8')).toBe('{ "theme": "dark" }')
  await rm(file)
  await mkdir(file)
  await refused('not a regular file')
  expect((await open().load()).join()).toContain('it is a folder')
})

test('bytes that are not UTF-8 stay, because the change is refused', async () => {
  await put('{}')
  const bytes = Buffer.from('{ "note": "caf\xe9" }', 'latin1')
  await writeFile(file, bytes)
  expect(await open().change({ theme: 'light' })).toMatchObject({ ok: false })
  expect(await readFile(file)).toEqual(bytes)
})

test('comments, doubled keys, numbers and spaces stay when a setting changes', async () => {
  const text = `\uFEFF// mine\r
{\r
\t"theme" : "dark", // at night\r
\t"big": 12345678901234567890, "x": 1.50, "x": 2e+3,\r
\t/* none */ "sandbox": { "enabled": true, "future": [ 1,2 ] },\r
}\r
`
  await put(text)
  const store = open()
  expect(await store.load()).toEqual([])
  expect(store.current).toMatchObject({ theme: 'dark', sandbox: { enabled: true } })
  await store.change({ theme: 'light', sandbox: { ...store.current.sandbox, enabled: false }, zoom: 110 })
  expect(await readFile(file, 'utf8')).toBe(
    text.replace('"dark"', '"light"').replace('true', 'false').replace('] },', '] },\r\n\t"zoom": 110,'),
  )
})

test('two stores with one file keep the changes of each other', async () => {
  const [one, other] = [open(), open()]
  await Promise.all([one.load(), other.load()])
  await one.change({ theme: 'light' })
  await other.change({ zoom: 110 })
  expect(await onDisk()).toEqual({ theme: 'light', zoom: 110 })
})

test('concurrent changes are all kept', async () => {
  const store = open()
  await Promise.all([
    store.change({ theme: 'light' }),
    store.change({ zoom: 110 }),
    store.change({ model: 'opus' }),
  ])
  expect(await onDisk()).toEqual({ theme: 'light', zoom: 110, model: 'opus' })
})

test('a watcher receives changes of other processes', async () => {
  const store = open()
  await store.load()
  const heard = new Promise<Settings>((resolve) => store.watch(resolve))
  await open().change({ theme: 'light' })
  expect((await heard).theme).toBe('light')
  expect(store.current.theme).toBe('light')
})

test('a watcher learns that the file broke, and the settings stay', async () => {
  const store = open()
  await store.change({ theme: 'light' })
  await store.load()
  const heard = new Promise<readonly string[]>((resolve) => store.watch((_, problems) => resolve(problems)))
  await writeFile(file, '[1]')
  expect((await heard).join()).toContain('it is not a JSON object')
  expect(store.current.theme).toBe('light')
})

test('a watcher learns that the file is whole again', async () => {
  const store = open()
  await store.change({ theme: 'light' })
  await writeFile(file, '[1]')
  await store.load()
  const heard = new Promise<readonly string[]>((resolve) => store.watch((_, problems) => resolve(problems)))
  await writeFile(file, '{ "theme": "light" }')
  expect(await heard).toEqual([])
})

test('an invalid change is rejected with the name of the setting', async () => {
  const wrong = await open().change({ zoom: 9000 })
  expect(wrong).toMatchObject({ ok: false, failure: { type: 'bad-setting' } })
  expect(!wrong.ok && wrong.failure.message).toContain('zoom')
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})

test('a change that cannot be written fails and has no effect', async () => {
  await writeFile(join(folder, 'data'), 'a file where the folder should be')
  const store = open()
  expect(await store.change({ theme: 'light' })).toMatchObject({ ok: false, failure: { type: 'not-saved' } })
  expect(store.current.theme).toBe('system')
})
