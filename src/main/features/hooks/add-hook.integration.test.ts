import { mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { NewHook } from '../../../shared/hooks/hooks.ts'
import { ground } from '../../testing/real-hooks.ts'
import { addHook } from './add-hook.ts'
import { hookLines } from './read-hooks.ts'

const HOOK: NewHook = {
  source: 'own',
  event: 'PreToolUse',
  matcher: 'Edit|Write',
  command: './check.sh',
  timeout: null,
}
let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-hook-'))
  file = join(folder, 'settings.json')
})

test('a hook is added to its event, and every other character stays', async () => {
  const text = `{
  // mine
  "hooks": {
    "Stop": [],
    "PreToolUse": [
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "a" }] }
    ]
  }
}
`
  await writeFile(file, text)
  expect(await addHook(file, { ...HOOK, timeout: 5 })).toEqual({ ok: true, value: undefined })
  const after = await readFile(file, 'utf8')
  expect(after.startsWith(text.slice(0, text.indexOf('\n    ]')))).toBe(true)
  expect(JSON.parse(after.replace('// mine', '')).hooks.PreToolUse[1]).toEqual({
    matcher: 'Edit|Write',
    hooks: [{ type: 'command', command: './check.sh', timeout: 5 }],
  })
})

test('a file is made where there is none; an event without a subject gets no matcher', async () => {
  expect((await addHook(file, { ...HOOK, event: 'Stop' })).ok).toBe(true)
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    hooks: { Stop: [{ hooks: [{ type: 'command', command: './check.sh' }] }] },
  })
})

test('the same hook is not added twice', async () => {
  await addHook(file, HOOK)
  const text = await readFile(file, 'utf8')
  expect(await addHook(file, HOOK)).toMatchObject({ ok: false, failure: { type: 'taken' } })
  expect(await readFile(file, 'utf8')).toBe(text)
})

test.each([
  [{ command: '  ' }, 'bad-hook', 'Enter the command to run.'],
  [{ matcher: '(' }, 'bad-hook', 'The matcher ( is not a valid regular expression.'],
])('%o is refused', async (wrong, type, message) => {
  expect(await addHook(file, { ...HOOK, ...wrong })).toEqual({ ok: false, failure: { type, message } })
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})

test.each(['{ "hooks": ', '{ "hooks": { "PreToolUse": {} } }', '{ "hooks": [] }'])(
  'a file with %s is told and stays',
  async (text) => {
    await writeFile(file, text)
    expect((await addHook(file, HOOK)).ok).toBe(false)
    expect(await readFile(file, 'utf8')).toBe(text)
  },
)

test('nothing is written through a linked .claude folder', async () => {
  await mkdir(join(folder, 'elsewhere'))
  await symlink(join(folder, 'elsewhere'), join(folder, '.claude'))
  const linked = join(folder, '.claude', 'settings.local.json')
  expect(await addHook(linked, { ...HOOK, source: 'local' })).toMatchObject({
    ok: false,
    failure: { type: 'io' },
  })
})

test('a hook has its line, also one without a group', () => {
  const text = `{ "hooks": {
  "Stop": [
    { "hooks": [
      { "type": "command", "command": "a" },
      { "type": "http", "url": "https://x.example" }
    ] },
    { "type": "command", "command": "b" }
  ] } }`
  const lineOf = hookLines(JSON.parse(text).hooks, text)
  const at = (run: string) => lineOf({ event: 'Stop', matcher: '', run })
  expect(['a', 'https://x.example', 'b', 'c'].map(at)).toEqual([4, 5, 7, undefined])
})

test('an added hook of the project runs as it is, and waits after a change', async () => {
  const { hooks, folder: project, put } = ground()
  expect((await hooks.hooks.add(project, { ...HOOK, source: 'project', matcher: 'Bash' })).ok).toBe(true)
  const state = async () => (await hooks.hooks.state(project)).entries.map((one) => [one.state, one.line])
  expect(await state()).toEqual([['on', 7]])
  put('project/.claude/settings.json', {
    hooks: {
      PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: './check.sh', timeout: 9 }] }],
    },
  })
  expect((await state()).map(([one]) => one)).toEqual(['changed'])
})

test('a folder without trust gets no hook of its own', async () => {
  const { hooks, folder: project } = ground({ trusted: false })
  expect(await hooks.hooks.add(project, { ...HOOK, source: 'local' })).toMatchObject({
    ok: false,
    failure: { type: 'not-trusted' },
  })
  expect((await hooks.hooks.add(project, HOOK)).ok).toBe(true)
})
