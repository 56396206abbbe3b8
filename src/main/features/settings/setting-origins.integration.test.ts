import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { settingOrigins } from './setting-origins.ts'
import { createSettingsStore } from './settings-store.ts'

let own: string
let user: string
let managed: string

beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-origins-'))
  own = join(folder, 'settings.json')
  user = join(folder, 'user.json')
  managed = join(folder, 'managed.json')
})

const NONE = { raw: {}, files: {} }

test('names the file and the line of each setting, and of the parts of one', async () => {
  await writeFile(own, '{\n  // mine\n  "maxAgents": 7,\n  "sandbox": {\n    "enabled": false\n  }\n}\n')
  expect(await settingOrigins({ own, below: NONE, above: NONE })).toEqual({
    maxAgents: { file: own, line: 3, kind: 'own' },
    sandbox: { file: own, line: 4, kind: 'own' },
    'sandbox.enabled': { file: own, line: 5, kind: 'own' },
  })
})

test('a shared file counts below the own one, under its own names; an administrator’s above', async () => {
  await writeFile(own, '{ "model": "opus",\n  "maxDepth": 2 }')
  await writeFile(user, '{\n  "model": "haiku",\n  "permissions": {\n    "defaultMode": "plan"\n  }\n}')
  await writeFile(managed, '{\n\n"maxDepth": 1 }')
  const found = await settingOrigins({
    own,
    below: { raw: {}, files: { model: user, permissionMode: user } },
    above: { raw: {}, files: { maxDepth: managed } },
  })
  expect(found).toMatchObject({
    model: { file: own, line: 1, kind: 'own' },
    permissionMode: { file: user, line: 4, kind: 'default' },
    maxDepth: { file: managed, line: 3, kind: 'overrides' },
  })
})

test('a file that is broken or gone has no lines', async () => {
  await writeFile(own, '{ "maxAgents": ')
  const found = await settingOrigins({ own, below: { raw: {}, files: { model: user } }, above: NONE })
  expect(found).toEqual({ model: { file: user, line: null, kind: 'default' } })
})

test('a reset removes settings and parts of them, and keeps every other character', async () => {
  await writeFile(
    own,
    '{\n  // few\n  "maxAgents": 7,\n  "other": [1],\n  "sandbox": { "enabled": false, "x": 1 }\n}\n',
  )
  const store = createSettingsStore({ file: own })
  await store.load()
  const answer = await store.reset(['maxAgents', 'sandbox.enabled', 'theme'])
  store.close()
  expect(answer).toMatchObject({ ok: true, value: { maxAgents: 100, sandbox: { enabled: true } } })
  expect(await readFile(own, 'utf8')).toBe('{\n  // few\n  "other": [1],\n  "sandbox": { "x": 1 }\n}\n')
})

test('a reset refuses names that are no settings, and leaves a broken file as it is', async () => {
  const store = createSettingsStore({ file: own })
  await writeFile(own, '{ "maxAgents": ')
  expect(await store.reset(['nope'])).toMatchObject({ ok: false, failure: { type: 'bad-setting' } })
  expect(await store.reset(['maxAgents'])).toMatchObject({ ok: false, failure: { type: 'not-saved' } })
  expect(await readFile(own, 'utf8')).toBe('{ "maxAgents": ')
  store.close()
})
