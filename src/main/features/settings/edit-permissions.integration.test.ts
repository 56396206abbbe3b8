import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EntryPlace } from '../../../shared/rules/written-rule.ts'
import { editPermissions } from './edit-permissions.ts'

let root: string
const files = () => ({ folder: join(root, 'work'), home: join(root, 'home'), dataFolder: join(root, 'data') })
const USER = 'home/.claude/settings.json'
const LOCAL = 'work/.claude/settings.local.json'

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'troupe-edit-rules-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function put(path: string, text: string): Promise<string> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
  return join(root, path)
}
const read = (path: string) => readFile(join(root, path), 'utf8')
const place = (source: 'own' | 'user' | 'local', list: EntryPlace['list'], text: string) => ({
  source,
  list,
  text,
})

const TEXT = `{
    "model" : "opus",
    "permissions": {
        "deny": [ "Bash(rm:*)" ],
        "allow": [
            "Bash(npm test)",
            " Edit(src/**) "
        ]
    },   "env": {}
}`

test('a rule is added, changed and removed with the rest of the file kept', async () => {
  await put(USER, TEXT)
  const rule = place('user', 'allow', 'Bash(ls)')
  expect(await editPermissions(files(), { from: null, to: rule })).toMatchObject({ ok: true })
  const added = TEXT.replace('" Edit(src/**) "', '" Edit(src/**) ",\n            "Bash(ls)"')
  expect(await read(USER)).toBe(added)
  const other = place('user', 'allow', 'Bash(ls -l)')
  await editPermissions(files(), { from: rule, to: other })
  expect(await read(USER)).toBe(added.replace('Bash(ls)', 'Bash(ls -l)'))
  await editPermissions(files(), { from: other, to: null })
  expect(await read(USER)).toBe(TEXT)
})

test('a rule moves to another list and to another file', async () => {
  await put(USER, TEXT)
  const edit = place('user', 'allow', 'Edit(src/**)')
  const asks = place('user', 'ask', 'Edit(src/**)')
  await editPermissions(files(), { from: edit, to: asks })
  expect(JSON.parse(await read(USER)).permissions).toEqual({
    deny: ['Bash(rm:*)'],
    allow: ['Bash(npm test)'],
    ask: ['Edit(src/**)'],
  })
  const local = place('local', 'deny', 'Edit(src/**)')
  expect(await editPermissions(files(), { from: asks, to: local })).toMatchObject({ ok: true })
  expect(JSON.parse(await read(LOCAL))).toEqual({ permissions: { deny: ['Edit(src/**)'] } })
  expect(JSON.parse(await read(USER)).permissions.ask).toEqual([])
  const folder = place('own', 'additionalDirectories', '../docs')
  await editPermissions(files(), { from: null, to: folder })
  expect(JSON.parse(await read('data/settings.json'))).toEqual({
    permissions: { additionalDirectories: ['../docs'] },
  })
})

test('a file that changed meanwhile keeps what the other program wrote', async () => {
  await put(USER, TEXT)
  const rule = place('user', 'deny', 'Bash(su:*)')
  expect(await editPermissions(files(), { from: rule, to: null })).toMatchObject({
    failure: { type: 'changed', message: expect.stringContaining(join(root, USER)) },
  })
  const to = place('user', 'deny', 'Bash(rm:*)')
  expect(await editPermissions(files(), { from: null, to })).toMatchObject({ failure: { type: 'taken' } })
  expect(await editPermissions(files(), { from: rule, to: place('local', 'deny', 'Bash(x)') })).toMatchObject(
    {
      failure: { type: 'changed' },
    },
  )
  expect(await read(USER)).toBe(TEXT)
  await expect(read(LOCAL)).rejects.toThrow('ENOENT')
})

test('two edits at once are both kept', async () => {
  await put(USER, TEXT)
  const names = Array.from({ length: 20 }, (_, index) => `Bash(make ${index})`)
  await Promise.all(
    names.map((text) => editPermissions(files(), { from: null, to: place('user', 'ask', text) })),
  )
  expect(JSON.parse(await read(USER)).permissions.ask.toSorted()).toEqual(names.toSorted())
})

test('a rule is added and removed between comments', async () => {
  const text =
    '{\n  // mine\n  "permissions": {\n    "allow": [\n      "Bash(ls)", // list\n      "Read", // all\n    ],\n  },\n}\n'
  await put(USER, text)
  const rule = place('user', 'allow', 'Bash(pwd)')
  await editPermissions(files(), { from: null, to: rule })
  const added = text.replace('// all', '// all\n      "Bash(pwd)",')
  expect(await read(USER)).toBe(added)
  await editPermissions(files(), { from: place('user', 'allow', 'Bash(ls)'), to: null })
  expect(await read(USER)).toBe(added.replace('"Bash(ls)", ', ''))
})

test.each([
  ['{ "permissions": { "allow": [', /is unchanged\. It is not valid JSON/],
  ['{ /* mine "permissions": {} }', /is unchanged\. It is not valid JSON: line 1, column 3/],
  ['{ "permissions": { "allow": "Bash" } }', /is unchanged\. "permissions\.allow" is not a list/],
])('a file with %j is never overwritten', async (text, message) => {
  const file = await put(LOCAL, text)
  const rule = place('local', 'allow', 'Bash(ls)')
  const added = await editPermissions(files(), { from: null, to: rule })
  expect(added).toMatchObject({
    ok: false,
    failure: { type: 'json', message: expect.stringMatching(message) },
  })
  expect(added).toMatchObject({ failure: { message: expect.stringContaining(file) } })
  expect((await editPermissions(files(), { from: rule, to: null })).ok).toBe(false)
  expect(await read(LOCAL)).toBe(text)
})

test('a read-only file, a link and a folder behind a link are not written', async () => {
  const to = place('user', 'allow', 'Bash(ls)')
  await chmod(await put(USER, TEXT), 0o444)
  expect(await editPermissions(files(), { from: null, to })).toMatchObject({
    failure: { type: 'io', message: expect.stringContaining('read-only') },
  })
  await rm(join(root, USER))
  await symlink(await put('elsewhere.json', TEXT), join(root, USER))
  expect(await editPermissions(files(), { from: null, to })).toMatchObject({ failure: { type: 'io' } })
  expect(await read('elsewhere.json')).toBe(TEXT)
  await mkdir(join(root, 'work'))
  await symlink(join(root, 'home'), join(root, 'work/.claude'))
  expect(
    await editPermissions(files(), { from: null, to: place('local', 'allow', 'Bash(ls)') }),
  ).toMatchObject({ failure: { type: 'io', message: expect.stringContaining('is a link') } })
})

test('the mode of the file stays', async () => {
  await chmod(await put(USER, TEXT), 0o600)
  await editPermissions(files(), { from: null, to: place('user', 'allow', 'Bash(ls)') })
  expect((await stat(join(root, USER))).mode & 0o777).toBe(0o600)
})
