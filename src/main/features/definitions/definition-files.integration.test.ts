import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { watch } from 'node:fs'
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApprovals } from '../../platform/approvals/approvals.ts'
import { createNodeFileSystem } from '../../platform/files/node-file-system.ts'
import { createDefinitionApprovals } from './definition-approvals.ts'
import { createDefinitionFiles } from './definition-files.ts'
import { createDefinitionSource } from './definition-source.ts'
import { createPendingWrites } from './pending-writes.ts'

let base: string
const put = async (path: string, text: string) => {
  await mkdir(dirname(join(base, path)), { recursive: true })
  await writeFile(join(base, path), text)
}
const textOf = (path: string) => readFile(join(base, path), 'utf8')
const agent = (name: string) => `---\nname: ${name}\ndescription: d\n---\r\nBody`
const repo = () => join(base, 'repo')
const writes = createPendingWrites()
const files = (trusted = true) =>
  createDefinitionFiles({
    ...{ now: Date.now, newKey: randomUUID },
    definitions: createDefinitionSource({ builtIn: join(base, 'built-in'), home: join(base, 'home') }),
    files: createNodeFileSystem(),
    home: join(base, 'home'),
    dataFolder: join(base, 'data'),
    isTrusted: () => trusted,
    approvals: createDefinitionApprovals(createApprovals({ dataFolder: join(base, 'data') })),
    writes,
  })
const opened = async (id: string) => {
  const result = await files().open({ folder: repo(), id })
  if (!result.ok) throw new Error(result.failure.message)
  return result.value
}
const failureOf = (result: { ok: boolean; failure?: { type: string } }) =>
  result.ok ? 'done' : result.failure?.type

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'troupe-files-'))
  await mkdir(join(base, 'repo', '.git'), { recursive: true })
  await writeFile(join(base, 'repo', '.git', 'HEAD'), 'ref: refs/heads/main\n')
})
afterEach(() => rm(base, { recursive: true, force: true }))

test('a save writes the exact bytes, keeps the mode, and leaves no other file', async () => {
  const path = 'repo/.claude/agents/a.md'
  await put(path, `\uFEFF${agent('a')}`)
  await chmod(join(base, path), 0o600)
  const before = await opened(join(base, path))
  expect(before.text).toBe(`\uFEFF${agent('a')}`)
  const text = before.text.replace('Body', 'Other')
  const saved = await files().save({ folder: repo(), ...before, text })
  expect(saved).toMatchObject({ ok: true, value: { text } })
  expect(await textOf(path)).toBe(text)
  expect((await stat(join(base, path))).mode & 0o777).toBe(0o600)
  expect(await readdir(dirname(join(base, path)))).toEqual(['a.md'])
  const again = saved.ok ? await files().save({ folder: repo(), ...saved.value, text: before.text }) : saved
  expect(again.ok).toBe(true)
})

test('a changed or deleted file is not overwritten', async () => {
  const path = 'repo/.claude/agents/a.md'
  await put(path, agent('a'))
  const before = await opened(join(base, path))
  await put(path, agent('theirs'))
  expect(failureOf(await files().save({ folder: repo(), ...before, text: 'mine' }))).toBe('changed')
  expect(await textOf(path)).toBe(agent('theirs'))
  await rm(join(base, path))
  expect(failureOf(await files().save({ folder: repo(), ...before, text: 'mine' }))).toBe('changed')
  expect(await readdir(dirname(join(base, path)))).toEqual([])
})

test('one of two simultaneous saves fails', async () => {
  const path = 'repo/.claude/agents/a.md'
  await put(path, agent('a'))
  const before = await opened(join(base, path))
  const editor = files()
  const results = await Promise.all(
    ['one', 'two'].map((text) => editor.save({ folder: repo(), ...before, text })),
  )
  expect(results.map(failureOf).sort()).toEqual(['changed', 'done'])
})

test('files from other sources are locked, and files outside the agents folders are unknown', async () => {
  await put('built-in/main.md', agent('main'))
  await put('repo/secret.md', 'secret')
  const locked = await opened(join(base, 'built-in/main.md'))
  expect(failureOf(await files().save({ folder: repo(), ...locked, text: 'x' }))).toBe('locked')
  expect(failureOf(await files().trash({ folder: repo(), id: locked.id, unsaved: null }))).toBe('locked')
  expect(failureOf(await files().open({ folder: repo(), id: join(base, 'repo/secret.md') }))).toBe(
    'not-found',
  )
  await put('repo/.claude/agents/a.md', agent('a'))
  expect(
    failureOf(await files(false).open({ folder: repo(), id: join(base, 'repo/.claude/agents/a.md') })),
  ).toBe('not-found')
})

test('a new file is created in its agents folder and never replaces another file', async () => {
  const made = await files().create({
    folder: repo(),
    source: 'project',
    path: 'review/new.md',
    text: agent('new'),
  })
  expect(made).toMatchObject({ ok: true, value: { id: join(base, 'repo/.claude/agents/review/new.md') } })
  expect(
    failureOf(await files().create({ folder: repo(), source: 'project', path: 'review/new.md', text: 'x' })),
  ).toBe('exists')
  expect(await textOf('repo/.claude/agents/review/new.md')).toBe(agent('new'))
  await files().create({ folder: repo(), source: 'user', path: 'mine.md', text: agent('mine') })
  expect(await textOf('home/.claude/agents/mine.md')).toBe(agent('mine'))
  for (const path of [
    '../out.md',
    'a/../../out.md',
    '/etc/out.md',
    'no-end',
    '.hidden.md',
    'a:b.md',
    'a\\b.md',
    '',
    'a//b.md',
  ])
    expect([
      path,
      failureOf(await files().create({ folder: repo(), source: 'project', path, text: 'x' })),
    ]).toEqual([path, 'bad-path'])
  expect(
    failureOf(await files(false).create({ folder: repo(), source: 'project', path: 'a.md', text: 'x' })),
  ).toBe('denied')
})

test('an agents folder that links out of the project is not written', async () => {
  await mkdir(join(base, 'outside'))
  await mkdir(join(base, 'repo/.claude'))
  await symlink(join(base, 'outside'), join(base, 'repo/.claude/agents'))
  expect(
    failureOf(await files().create({ folder: repo(), source: 'project', path: 'a.md', text: 'x' })),
  ).toBe('bad-path')
  expect(await readdir(join(base, 'outside'))).toEqual([])
})

test('links that appear later do not lead a file out of its agents folder', async () => {
  const path = 'repo/.claude/agents/deep/a.md'
  await put(path, agent('a'))
  await put('outside/a.md', agent('secret'))
  const id = join(base, path)
  const before = await opened(id)
  const thrown = await files().trash({ folder: repo(), id, unsaved: null })
  const trashId = thrown.ok ? thrown.value.trashId : ''

  await symlink(join(base, 'outside/a.md'), id)
  const { dev, ino, ctimeNs, mtimeNs, size } = await stat(id, { bigint: true })
  const version = `${dev}-${ino}-${ctimeNs}-${mtimeNs}-${size}`
  expect(failureOf(await files().save({ folder: repo(), ...before, version, text: 'mine' }))).not.toBe('done')
  expect(await textOf('outside/a.md')).toBe(agent('secret'))

  await rm(join(base, 'outside/a.md'))
  for (const linked of ['repo/.claude/agents/deep', 'repo/.claude/agents']) {
    await rm(join(base, linked), { recursive: true, force: true })
    await symlink(join(base, 'outside'), join(base, linked))
    const made = await files().create({ folder: repo(), source: 'project', path: 'deep/b.md', text: 'x' })
    expect([linked, failureOf(made), failureOf(await files().restore({ trashId }))]).toEqual([
      linked,
      'bad-path',
      'bad-path',
    ])
    expect(await readdir(join(base, 'outside'))).toEqual([])
    await rm(join(base, linked))
  }
  expect(await files().restore({ trashId })).toMatchObject({ ok: true, value: { text: agent('a') } })
})

test('a save killed at any moment leaves one complete text and no extra agent', async () => {
  const path = 'repo/.claude/agents/a.md'
  const [one, two] = ['1', '2'].map((digit) => agent('a') + digit.repeat(900_000))
  for (let round = 0; round < 6; round++) {
    await put(path, one ?? '')
    const child = spawn(process.execPath, ['-e', SAVE_FOR_EVER, import.meta.dirname, base])
    const gone = once(child, 'close')
    await once(child.stdout, 'data')
    // The first other name in the folder is the temporary file of a save.
    const watcher = watch(dirname(join(base, path)), (_, name) => name !== 'a.md' && child.kill('SIGKILL'))
    // Otherwise the saves had ended by themselves.
    expect(await gone).toEqual([null, 'SIGKILL'])
    watcher.close()
    expect([one, two]).toContain(await textOf(path))
    const others = (await readdir(dirname(join(base, path)))).filter((name) => name !== 'a.md')
    expect(others.filter((name) => name.endsWith('.md'))).toEqual([])
    expect((await opened(join(base, path))).text).toBe(await textOf(path))
  }
})

/** Saves two texts alternately. Prints a line after the start. */
const SAVE_FOR_EVER = `
  const [here, base] = process.argv.slice(1)
  ;(async () => {
    const { createDefinitionFiles } = await import(here + '/definition-files.ts')
    const { createDefinitionSource } = await import(here + '/definition-source.ts')
    const { createNodeFileSystem } = await import(here + '/../../platform/files/node-file-system.ts')
    const home = base + '/home'
    const files = createDefinitionFiles({
      ...{ now: Date.now, newKey: () => crypto.randomUUID() },
      definitions: createDefinitionSource({ builtIn: {}, home }),
      files: createNodeFileSystem(),
      home,
      dataFolder: base + '/data',
      isTrusted: () => true,
      approvals: { approve: async () => ({ ok: true, value: undefined }) },
      writes: { add: (write) => write },
    })
    const repo = base + '/repo'
    process.stdout.write('begun')
    let now = await files.open({ folder: repo, id: repo + '/.claude/agents/a.md' })
    for (;;) {
      const { id, version, text } = now.value
      const other = text.replaceAll('1', '3').replaceAll('2', '1').replaceAll('3', '2')
      now = await files.save({ folder: repo, id, version, text: other })
    }
  })()
`

test('a change of the mode or the time is no other version; other content is', async () => {
  await put('repo/.claude/agents/a.md', agent('a'))
  const id = join(base, 'repo/.claude/agents/a.md')
  const before = await opened(id)
  await chmod(id, 0o600)
  await utimes(id, 1, 1)
  const saved = await files().save({ folder: repo(), ...before, text: agent('b') })
  expect(saved).toMatchObject({ ok: true })
  expect(await textOf('repo/.claude/agents/a.md')).toBe(agent('b'))
  expect((await stat(id)).mode & 0o777).toBe(0o600)
  expect(failureOf(await files().save({ folder: repo(), ...before, text: agent('c') }))).toBe('changed')
})

test('an agent that starts while its definition is being saved gets the saved text', async () => {
  await put('repo/.claude/agents/a.md', agent('a'))
  const before = await opened(join(base, 'repo/.claude/agents/a.md'))
  const home = join(base, 'home')
  const source = createDefinitionSource({ builtIn: join(base, 'built-in'), home, writes })
  const saving = files().save({ folder: repo(), ...before, text: agent('a').replace(': d', ': Saved.') })
  const { definitions } = await source.load(repo(), { trusted: true })
  expect(definitions).toMatchObject([{ name: 'a', description: 'Saved.' }])
  expect(await saving).toMatchObject({ ok: true })
})

test('a rename stays in the agents folder and never replaces another file', async () => {
  await put('repo/.claude/agents/a.md', agent('a'))
  await put('repo/.claude/agents/b.md', agent('b'))
  const id = join(base, 'repo/.claude/agents/a.md')
  expect(failureOf(await files().move({ folder: repo(), id, path: 'b.md' }))).toBe('exists')
  expect(failureOf(await files().move({ folder: repo(), id, path: '../../a.md' }))).toBe('bad-path')
  expect(await files().move({ folder: repo(), id, path: 'deep/c.md' })).toMatchObject({
    ok: true,
    value: { text: agent('a') },
  })
  expect(await textOf('repo/.claude/agents/deep/c.md')).toBe(agent('a'))
  expect(await textOf('repo/.claude/agents/b.md')).toBe(agent('b'))
})

test('a deleted file can be restored, but never replaces a new file', async () => {
  const path = 'repo/.claude/agents/a.md'
  await put(path, agent('a'))
  const thrown = await files().trash({ folder: repo(), id: join(base, path), unsaved: null })
  expect(await readdir(dirname(join(base, path)))).toEqual([])
  const trashId = thrown.ok ? thrown.value.trashId : ''
  await put(path, agent('new'))
  expect(failureOf(await files().restore({ trashId }))).toBe('exists')
  expect(await textOf(path)).toBe(agent('new'))
  await rm(join(base, path))
  expect(await files().restore({ trashId })).toMatchObject({ ok: true, value: { text: agent('a') } })
  expect(await textOf(path)).toBe(agent('a'))
  expect(failureOf(await files().restore({ trashId }))).toBe('not-found')
  expect(failureOf(await files().restore({ trashId: '../../repo' }))).toBe('not-found')
})

test('what was not saved comes back with the file, also after a failed attempt', async () => {
  const path = 'repo/.claude/agents/a.md'
  await put(path, agent('a'))
  const thrown = await files().trash({ folder: repo(), id: join(base, path), unsaved: agent('changed') })
  const trashId = thrown.ok ? thrown.value.trashId : ''
  await put(path, agent('new'))
  expect(failureOf(await files().restore({ trashId }))).toBe('exists')
  await rm(join(base, path))
  const value = { text: agent('a'), unsaved: agent('changed') }
  expect(await files().restore({ trashId })).toMatchObject({ ok: true, value })
  const saved = await files().trash({ folder: repo(), id: join(base, path), unsaved: null })
  expect(await files().restore({ trashId: saved.ok ? saved.value.trashId : '' })).toMatchObject({
    ok: true,
    value: { unsaved: null },
  })
})

test('the trash lists deleted files with their origin, shows their texts, and deletes them for good', async () => {
  expect(await files().listTrash()).toEqual({
    ok: true,
    value: { folder: join(base, 'data/trash/definitions'), definitions: [] },
  })
  const before = Date.now()
  const idOf = async (path: string, text: string) => {
    await put(path, text)
    const thrown = await files().trash({ folder: repo(), id: join(base, path), unsaved: null })
    return thrown.ok ? thrown.value.trashId : ''
  }
  const first = await idOf('repo/.claude/agents/deep/a.md', agent('first'))
  const second = await idOf('home/.claude/agents/plain.md', 'no agent')
  // Neither a foreign folder nor one without its origin is listed.
  await mkdir(join(base, 'data/trash/definitions/other'))
  await mkdir(join(base, 'data/trash/definitions/abc-0123456789ab'))
  const listed = await files().listTrash()
  const definitions = listed.ok ? listed.value.definitions : []
  expect(definitions.map(({ name, file }) => [name, file]).sort()).toEqual([
    ['first', join(base, 'repo/.claude/agents/deep/a.md')],
    ['plain', join(base, 'home/.claude/agents/plain.md')],
  ])
  for (const { trashedAt } of definitions) {
    expect(trashedAt).toBeGreaterThanOrEqual(before)
    expect(trashedAt).toBeLessThanOrEqual(Date.now())
  }
  expect(await files().readTrashed({ trashId: first })).toEqual({ ok: true, value: agent('first') })
  expect(failureOf(await files().readTrashed({ trashId: '../../../repo' }))).toBe('not-found')

  await put('data/keep/note', 'kept')
  expect(failureOf(await files().deleteTrashed({ trashIds: [first, '../../keep'] }))).toBe('not-found')
  expect(await textOf('data/keep/note')).toBe('kept')
  expect(await files().readTrashed({ trashId: first })).toMatchObject({ ok: true })
  expect(await files().deleteTrashed({ trashIds: [first] })).toEqual({ ok: true, value: undefined })
  expect(failureOf(await files().restore({ trashId: first }))).toBe('not-found')
  expect(failureOf(await files().readTrashed({ trashId: first }))).toBe('not-found')
  expect(await files().restore({ trashId: second })).toMatchObject({ ok: true })
  expect(await files().listTrash()).toMatchObject({ value: { definitions: [] } })
})

test('a link in the trash does not show a file outside', async () => {
  await put('secret.md', agent('secret'))
  await put('repo/.claude/agents/a.md', agent('a'))
  const thrown = await files().trash({
    folder: repo(),
    id: join(base, 'repo/.claude/agents/a.md'),
    unsaved: null,
  })
  const trashId = thrown.ok ? thrown.value.trashId : ''
  const text = join(base, 'data/trash/definitions', trashId, 'definition.md')
  await rm(text)
  await symlink(join(base, 'secret.md'), text)
  expect(failureOf(await files().readTrashed({ trashId }))).toBe('io')
})

const TEXT = '---\nname: a\ndescription: Prüft “alles”\n---\nBody\n'
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
const latin = (text: string) => Buffer.from(text.replaceAll('“', '\x93').replaceAll('”', '\x94'), 'latin1')

test.each<[string, Buffer, string, number]>([
  ['UTF-16 (little-endian)', utf16(`\uFEFF${TEXT}`), TEXT, 1],
  ['UTF-16 (big-endian)', utf16(`\uFEFF${TEXT}`).swap16(), TEXT, 1],
  ['UTF-16 (little-endian)', utf16(TEXT), TEXT, 1],
  ['UTF-16 (big-endian)', utf16(TEXT).swap16(), TEXT, 1],
  ['Windows-1252 (Latin-1)', latin(TEXT), TEXT, 3],
  ['a mix of UTF-8 and Windows-1252', Buffer.concat([Buffer.from(TEXT), latin('für\n')]), `${TEXT}für\n`, 6],
])('a file in %s is shown, listed with its line, converted on request, and restored', async (...given) => {
  const [encoding, bytes, text, line] = given
  const id = join(repo(), '.claude/agents/a.md')
  await put('repo/.claude/agents/a.md', '')
  await writeFile(id, bytes)
  const { entries } = await createDefinitionSource({
    builtIn: join(base, 'built-in'),
    home: join(base, 'home'),
  }).catalog(repo(), { trusted: true })
  expect(entries).toMatchObject([{ state: 'refused', diagnostics: [{ code: 'not-utf8', line }] }])
  expect(entries[0]?.diagnostics[0]?.message).toContain(encoding)

  const place = { folder: repo(), id }
  const before = await opened(id)
  expect(before).toMatchObject({ text, notUtf8: { encoding, line } })
  const store = files()
  const wanted = { ...place, text, version: before.version }
  expect(failureOf(await store.save(wanted))).toBe('not-utf8')
  expect(await readFile(id)).toEqual(bytes)
  const saved = await store.save({ ...wanted, converts: true })
  expect(await textOf('repo/.claude/agents/a.md')).toBe(text)
  const after = await opened(id)
  expect(after.notUtf8).toBeUndefined()
  expect(saved.ok && saved.value.version).toBe(after.version)

  expect(failureOf(await store.unconvert({ ...place, version: before.version }))).toBe('changed')
  expect((await store.unconvert({ ...place, version: after.version })).ok).toBe(true)
  expect(await readFile(id)).toEqual(bytes)
  expect(failureOf(await store.unconvert({ ...place, version: before.version }))).toBe('not-found')
})

test('bytes that are no text stay unreadable', async () => {
  const id = join(repo(), '.claude/agents/a.md')
  await put('repo/.claude/agents/a.md', '')
  await writeFile(id, Buffer.from([0x89, 0x50, 0, 0, 0xff, 0x0d, 0x0a, 0x1a, 0]))
  expect(failureOf(await files().open({ folder: repo(), id }))).toBe('not-text')
})
