import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createKeyBindingsStore, type KeyBindingsStore } from './key-bindings-store.ts'

let file: string
let claudeFile: string
let store: KeyBindingsStore

beforeEach(async () => {
  file = join(await mkdtemp(join(tmpdir(), 'troupe-keys-')), 'keybindings.json')
  claudeFile = join(file, '..', 'claude.json')
  store = createKeyBindingsStore({ file, claudeFile })
})
afterEach(() => store.close())

test('keys are kept in the file and survive a start; its comments stay', async () => {
  await writeFile(file, '{\n  // mine\n  "palette": "Ctrl+P"\n}\n')
  await store.load()
  expect(await store.set({ 'stop-all': 'ctrl shift x' })).toMatchObject({ ok: true })
  expect(await store.set({ settings: null })).toMatchObject({ ok: true })
  expect(await readFile(file, 'utf8')).toBe(
    '{\n  // mine\n  "palette": "Ctrl+P",\n  "stop-all": "Mod Shift X",\n  "settings": null\n}\n',
  )
  const again = createKeyBindingsStore({ file, claudeFile })
  expect(await again.load()).toEqual({
    file,
    bindings: {
      palette: { keys: 'Mod P', line: 3 },
      'stop-all': { keys: 'Mod Shift X', line: 4 },
      settings: { keys: null, line: 5 },
    },
    problems: [],
  })
  again.close()
})

test('a reset of one action and of all removes only actions', async () => {
  await writeFile(file, '{ "palette": "F5", "other": 1, "help": "F1" }')
  await store.load()
  expect(await store.reset(['palette'])).toMatchObject({ ok: true, value: { bindings: { help: {} } } })
  expect(await store.reset(null)).toMatchObject({ ok: true, value: { bindings: {} } })
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ other: 1 })
})

test('lines that mean nothing are told with file and line, and the others hold', async () => {
  await writeFile(file, '{\n "palette": "P",\n "nope": "F5",\n "help": 7,\n "settings": "F2"\n}')
  expect(await store.load()).toEqual({
    file,
    bindings: { settings: { keys: 'F2', line: 5 } },
    problems: [
      `${file}:2: Use Ctrl, Cmd, Alt or a function key: other keys type text. The default of “palette” holds.`,
      `${file}:3: There is no action “nope”, so this line has no effect.`,
      `${file}:4: The keys of “help” are not a text such as "Mod Shift K". Its default holds.`,
    ],
  })
})

test('a file that is not JSON leaves the defaults, names the line, and is never replaced', async () => {
  const text = '{\n  "palette": "F5"\n  "help": "F1"\n}'
  await writeFile(file, text)
  const { bindings, problems } = await store.load()
  expect(bindings).toEqual({})
  expect(problems).toEqual([expect.stringMatching(/all keys have their defaults: line 3, column 3/)])
  expect(await store.set({ help: 'F3' })).toMatchObject({ ok: false, failure: { type: 'not-saved' } })
  expect(await readFile(file, 'utf8')).toBe(text)
})

test('a change by hand reaches the listeners', async () => {
  await store.load()
  const heard = vi.fn()
  store.watch(heard)
  await writeFile(file, '{ "help": "F1" }')
  await expect.poll(() => heard).toHaveBeenCalled()
  expect(heard.mock.lastCall?.[0]).toMatchObject({ bindings: { help: { keys: 'F1' } } })
})

test('wrong input is refused and makes no file', async () => {
  expect(await store.set({ nope: 'F1' })).toMatchObject({ ok: false, failure: { type: 'not-found' } })
  expect(await store.set({ help: 'H' })).toMatchObject({ ok: false, failure: { type: 'bad-keys' } })
  await expect(readFile(file)).rejects.toThrow('ENOENT')
})

test('several keys are set together, or none of them', async () => {
  expect(await store.set({ help: 'F1', palette: null, 'stop-all': 'Mod Q' })).toMatchObject({ ok: false })
  expect(store.current.bindings).toEqual({})
  expect(await store.set({ help: 'F1', palette: null })).toMatchObject({
    ok: true,
    value: { bindings: { help: { keys: 'F1' }, palette: { keys: null } } },
  })
})

test('the file of Claude Code is read with its lines, and never written', async () => {
  expect(await store.ofClaudeCode()).toEqual({ file: claudeFile, bindings: null, problem: null })
  const text = `{
  // mine
  "bindings": [
    { "context": "Chat", "bindings": { "meta+p": "chat:modelPicker", "ctrl+s": null, "x": 7 } },
    "wrong",
    { "context": "Task", "bindings": {
      "ctrl+b": "task:background",
    } },
  ],
}`
  await writeFile(claudeFile, text)
  expect(await store.ofClaudeCode()).toEqual({
    file: claudeFile,
    bindings: [
      { context: 'Chat', keys: 'meta+p', action: 'chat:modelPicker', line: 4 },
      { context: 'Chat', keys: 'ctrl+s', action: null, line: 4 },
      { context: 'Task', keys: 'ctrl+b', action: 'task:background', line: 7 },
    ],
    problem: null,
  })
  expect(await readFile(claudeFile, 'utf8')).toBe(text)
  await writeFile(claudeFile, '{ "bindings": 7 }')
  expect((await store.ofClaudeCode()).problem).toContain('has no list “bindings”')
  await writeFile(claudeFile, '{ "bindings": ')
  expect((await store.ofClaudeCode()).problem).toContain('can’t be read')
})
