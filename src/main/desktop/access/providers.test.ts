import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ModelProbe } from '../../../shared/models/model-probe.ts'
import { fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { createProviderAccess } from './providers.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-keys-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function open() {
  const settings = fakeSettings()
  const given: Readonly<Record<string, string>>[] = []
  const probe: ModelProbe = {
    model: 'lab/a',
    at: 5,
    ms: null,
    checks: [{ name: 'tools', passed: false, detail: 'As text.' }],
  }
  const program = fakeProgram({
    providers: { setKeys: (keys) => given.push(keys) },
    probeModel: async () => probe,
  })
  const encryption = {
    isSafe: () => true,
    encrypt: async (text: string) => Buffer.from(`<${text}>`),
    decrypt: async (bytes: Buffer) => bytes.toString().slice(1, -1),
  }
  const access = createProviderAccess({
    ...{ settings, folder, encryption, now: Date.now, newKey: randomUUID },
    program: async () => program,
  })
  return { access, settings, given, program }
}

const lab = { baseUrl: 'http://localhost:11434/', models: { a: {} } }

test('a provider is saved with its key in the key store, and the program gets the key', async () => {
  const { access, settings, given, program } = open()
  const saved = await access.save({ before: null, name: 'lab', provider: lab, key: 'secret-key' })
  expect(saved.ok).toBe(true)
  expect(settings.current.providers).toEqual({
    lab: { ...lab, baseUrl: 'http://localhost:11434', key: 'lab' },
  })
  expect(JSON.stringify(settings.current)).not.toContain('secret-key')
  expect(given.at(-1)).toEqual({ lab: 'secret-key' })
  expect(await access.applyKeys(program)).toBeNull()
})

test('a changed name or address: the key stays only with its address', async () => {
  const { access, settings, given } = open()
  await access.save({ before: null, name: 'lab', provider: lab, key: 'secret-key' })
  await access.save({ before: 'lab', name: 'home', provider: lab, key: null })
  expect(Object.keys(settings.current.providers)).toEqual(['home'])
  expect(given.at(-1)).toEqual({ lab: 'secret-key' })
  const elsewhere = { ...lab, baseUrl: 'https://example.com' }
  await access.save({ before: 'home', name: 'home', provider: elsewhere, key: null })
  expect(settings.current.providers['home']?.key).toBeUndefined()
  expect(given.at(-1)).toEqual({})
  expect(await readdir(folder)).toEqual([])
})

test('removing a provider removes its key', async () => {
  const { access, settings } = open()
  await access.save({ before: null, name: 'lab', provider: lab, key: 'secret-key' })
  expect(await readdir(folder)).toEqual(['lab'])
  await access.remove('lab')
  expect(settings.current.providers).toEqual({})
  expect(await readdir(folder)).toEqual([])
})

test.each([
  [
    'an address that is none',
    { name: 'b', provider: { ...lab, baseUrl: 'localhost' }, key: null },
    'bad-address',
  ],
  ['no address', { name: 'b', provider: { ...lab, baseUrl: ' ' }, key: null }, 'bad-address'],
  [
    'an unsafe address',
    { name: 'b', provider: { ...lab, baseUrl: 'http://example.com' }, key: 'k' },
    'bad-address',
  ],
  ['a name that exists', { name: 'lab', provider: lab, key: null }, 'taken'],
  ['a key with spaces', { name: 'b', provider: lab, key: 'a b' }, 'bad-key'],
])('%s is refused, and nothing changes', async (_, wanted, type) => {
  const { access, settings } = open()
  await access.save({ before: null, name: 'lab', provider: lab, key: null })
  const { current } = settings
  expect(await access.save({ before: null, ...wanted })).toMatchObject({ ok: false, failure: { type } })
  expect(settings.current).toBe(current)
  expect(await readdir(folder)).toEqual([])
})

test('the result of a test is kept with the model', async () => {
  const { access, settings } = open()
  await access.save({ before: null, name: 'lab', provider: lab, key: null })
  expect(await access.probe('lab/a')).toMatchObject({ ok: true, value: { model: 'lab/a' } })
  expect(settings.current.providers['lab']?.models['a']).toEqual({
    tools: false,
    probe: { at: 5, problem: 'Calls tools: no. As text.' },
  })
})
