import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkBaseUrl } from '../../../shared/kernel/base-url.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { RuntimeDelta } from '../../runtime/ports/runtime.ts'
import { type FakeProgram, fakeProgram, fakeSettings } from '../testing/fake-program.ts'
import { createKeyStore, type Encryption } from './key-store.ts'
import { createAccess } from './model-access.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-access-'))
  file = join(folder, 'data', 'api-key')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Flips every bit: enough to see that a key is not stored in plain text. */
const flip = (bytes: Uint8Array) => Buffer.from(bytes.map((byte) => byte ^ 0xff))
const encryption: Encryption = {
  isSafe: () => true,
  encrypt: async (text) => flip(Buffer.from(text)),
  decrypt: async (encrypted) => flip(encrypted).toString(),
}
const broken: Encryption = {
  isSafe: () => false,
  encrypt: () => Promise.reject(new Error('the key store is locked')),
  decrypt: () => Promise.reject(new Error('the key store is locked')),
}

describe('the key store', () => {
  test('keeps a key across a restart, encrypted, for this user only', async () => {
    expect(await createKeyStore({ newKey: randomUUID, file, encryption }).write('sk-1')).toEqual({
      ok: true,
      value: undefined,
    })
    const later = createKeyStore({ newKey: randomUUID, file, encryption })
    expect(await later.has()).toBe(true)
    expect(await later.read()).toEqual({ ok: true, value: 'sk-1' })
    expect(await readFile(file, 'latin1')).not.toContain('sk-1')
    if (process.platform !== 'win32') expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('is empty at first', async () => {
    const keys = createKeyStore({ newKey: randomUUID, file, encryption })
    expect(await keys.has()).toBe(false)
    expect(await keys.read()).toEqual({ ok: true, value: null })
  })

  test('reports the system’s refusal without naming file or key', async () => {
    const written = await createKeyStore({ newKey: randomUUID, file, encryption: broken }).write('sk-1')
    expect(written).toMatchObject({ ok: false, failure: { type: 'key-not-saved' } })
    expect(JSON.stringify(written)).not.toContain('sk-1')
    await createKeyStore({ newKey: randomUUID, file, encryption }).write('sk-1')
    expect(await createKeyStore({ newKey: randomUUID, file, encryption: broken }).read()).toMatchObject({
      ok: false,
      failure: { type: 'key-unreadable' },
    })
  })
})

describe('access', () => {
  function open(
    more: {
      settings?: Partial<Settings>
      environment?: { key?: string; authToken?: string; baseUrl?: string }
      encryption?: Encryption
      program?: FakeProgram
      forceRehearsal?: boolean
    } = {},
  ) {
    const settings = fakeSettings(more.settings)
    const program = more.program ?? fakeProgram()
    const access = createAccess({
      settings,
      keys: createKeyStore({ newKey: randomUUID, file, encryption: more.encryption ?? encryption }),
      program: async () => program,
      environment: { key: null, authToken: null, baseUrl: null, ...more.environment },
      forceRehearsal: more.forceRehearsal ?? false,
    })
    return { settings, program, access }
  }

  test('a refusal by the API is known until a request succeeds or the access changes', async () => {
    const { access } = open({ settings: { access: { kind: 'api' } }, environment: { key: 'sk-1' } })
    const request = (type: string) => ({ type: 'request-failed', failure: { type, message: 'Bad key.' } })
    const delta = (event: object) => ({ type: 'event', conversationId: 'c', event }) as RuntimeDelta
    const refused = async () => (await access.info()).refused
    expect(access.onDelta(delta(request('overloaded')))).toBe(false)
    expect(access.onDelta(delta(request('auth')))).toBe(true)
    expect(access.onDelta(delta(request('auth')))).toBe(false)
    expect(await refused()).toBe('Bad key.')
    expect(access.onDelta(delta({ type: 'request-started' }))).toBe(false)
    expect(access.onDelta(delta({ type: 'assistant-message' }))).toBe(true)
    expect(await refused()).toBeUndefined()
    access.onDelta(delta(request('auth')))
    await access.set({ kind: 'api', key: null, baseUrl: '' })
    expect(await refused()).toBeUndefined()
  })

  test('a script or another program refuses nothing', async () => {
    const { access } = open({ settings: { access: { kind: 'rehearsal' } } })
    const failure = { type: 'auth', message: 'Bad key.' }
    const event = { type: 'request-failed', failure }
    expect(access.onDelta({ type: 'event', conversationId: 'c', event } as RuntimeDelta)).toBe(false)
    const api = open({ settings: { access: { kind: 'api' } } }).access
    const outside = { ...event, origin: { backing: 'worker', epoch: 1, seq: 1 } }
    expect(api.onDelta({ type: 'event', conversationId: 'c', event: outside } as RuntimeDelta)).toBe(false)
  })

  test('is missing at first', async () => {
    const { access } = open()
    expect(await access.info()).toEqual({ kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' })
    expect(await access.resolve()).toEqual({ access: { kind: 'none' }, problem: null })
  })

  test('a new key is stored and used at once', async () => {
    const { access, program, settings } = open()
    const set = await access.set({ kind: 'api', key: ' sk-1\n', baseUrl: '' })
    expect(set).toEqual({
      ok: true,
      value: { kind: 'api', keySource: 'key-store', keyStoreSafe: true, baseUrl: '' },
    })
    expect(program.switched).toEqual([{ kind: 'api', key: 'sk-1', authToken: null, baseUrl: '' }])
    expect(JSON.stringify(settings.current)).not.toContain('sk-1')
  })

  test('an invalid URL is refused before the key is stored or sent', async () => {
    const { access, program, settings } = open()
    for (const answer of [
      await access.set({ kind: 'api', key: 'sk-1', baseUrl: 'http://api.example.com' }),
      await access.test({ key: 'sk-1', baseUrl: 'http://api.example.com' }),
    ])
      expect(answer).toMatchObject({ ok: false, failure: { type: 'bad-address' } })
    expect((await access.info()).keySource).toBeNull()
    expect(settings.current.baseUrl).toBe('')
    expect(program.switched).toEqual([])
  })

  test('null keeps the stored key, also for another URL', async () => {
    await open().access.set({ kind: 'api', key: 'sk-1', baseUrl: '' })
    const { access, program } = open({ settings: { access: { kind: 'api' } } })
    expect((await access.set({ kind: 'api', key: null, baseUrl: 'https://proxy.example/' })).ok).toBe(true)
    expect(program.switched).toEqual([
      { kind: 'api', key: 'sk-1', authToken: null, baseUrl: 'https://proxy.example' },
    ])
  })

  test('null without a stored key is refused and changes nothing', async () => {
    const { access, program, settings } = open()
    expect(await access.set({ kind: 'api', key: null, baseUrl: '' })).toMatchObject({
      ok: false,
      failure: { type: 'no-key' },
    })
    expect(settings.current.access.kind).toBe('none')
    expect(program.switched).toEqual([])
  })

  test.each(['two words', 'sk-1\nsk-2', 'schlüssel', '   '])('%j is not a key', async (key) => {
    const { access } = open()
    expect(await access.set({ kind: 'api', key, baseUrl: '' })).toMatchObject({
      ok: false,
      failure: { type: 'bad-key' },
    })
  })

  test('the environment’s key and URL take precedence and are shown so', async () => {
    await open().access.set({ kind: 'api', key: 'sk-stored', baseUrl: 'https://stored.example' })
    const { access } = open({
      settings: { baseUrl: 'https://stored.example' },
      environment: { key: 'sk-env', baseUrl: 'https://env.example' },
    })
    expect(await access.info()).toMatchObject({
      kind: 'api',
      keySource: 'environment',
      baseUrl: 'https://env.example',
    })
    expect(await access.resolve()).toEqual({
      access: { kind: 'api', key: 'sk-env', authToken: null, baseUrl: 'https://env.example' },
      problem: null,
    })
  })

  test('a token in the environment counts as a key; a key under test takes precedence', async () => {
    const asked: unknown[] = []
    const program = fakeProgram({
      testAccess: async (access) => {
        asked.push(access)
        return { ok: true, value: { model: 'claude', ms: 5 } }
      },
    })
    const { access } = open({ environment: { authToken: 'token' }, program })
    expect(await access.info()).toMatchObject({ kind: 'api', keySource: 'environment' })
    expect((await access.resolve()).access).toEqual({
      kind: 'api',
      key: null,
      authToken: 'token',
      baseUrl: '',
    })
    await access.test({ key: 'sk-3', baseUrl: '' })
    expect(asked).toEqual([{ kind: 'api', key: 'sk-3', authToken: null, baseUrl: '' }])
  })

  test('the rehearsal can be chosen despite a key', async () => {
    const { access, program } = open({ environment: { key: 'sk-env' } })
    await access.set({ kind: 'rehearsal' })
    expect(access.isRehearsal()).toBe(true)
    expect(program.switched).toEqual([{ kind: 'rehearsal' }])
  })

  test('a scenario means rehearsal, whatever the settings say', async () => {
    const { access } = open({ settings: { access: { kind: 'api' } }, forceRehearsal: true })
    expect(await access.resolve()).toEqual({ access: { kind: 'rehearsal' }, problem: null })
  })

  test('an unreadable key means no access, with the reason', async () => {
    await open().access.set({ kind: 'api', key: 'sk-1', baseUrl: '' })
    const { access } = open({ settings: { access: { kind: 'api' } }, encryption: broken })
    const { access: resolved, problem } = await access.resolve()
    expect(resolved).toEqual({ kind: 'none' })
    expect(problem).toContain('the key store is locked')
    expect((await access.info()).keyStoreSafe).toBe(false)
  })

  test('a test uses the given key and stores nothing', async () => {
    const asked: unknown[] = []
    const program = fakeProgram({
      testAccess: async (access) => {
        asked.push(access)
        return { ok: true, value: { model: 'claude', ms: 5 } }
      },
    })
    const { access, settings } = open({ program })
    expect((await access.test({ key: 'sk-2', baseUrl: '' })).ok).toBe(true)
    expect(asked).toEqual([{ kind: 'api', key: 'sk-2', authToken: null, baseUrl: '' }])
    expect(settings.current.access.kind).toBe('none')
    expect((await access.info()).keySource).toBeNull()
    expect(await access.test({ key: null, baseUrl: '' })).toMatchObject({ failure: { type: 'no-key' } })
  })
})

describe('the API’s URL', () => {
  test.each([
    ['', ''],
    ['  ', ''],
    ['https://api.example.com/', 'https://api.example.com'],
    ['https://example.com/anthropic//', 'https://example.com/anthropic'],
    ['http://localhost:4000', 'http://localhost:4000'],
    ['http://127.0.0.1:4000/', 'http://127.0.0.1:4000'],
    ['http://[::1]:4000', 'http://[::1]:4000'],
    ['http://192.168.1.5:8080', 'http://192.168.1.5:8080'],
    ['http://gateway:8080', 'http://gateway:8080'],
  ])('%j is used as %j', (given, used) => {
    expect(checkBaseUrl(given)).toEqual({ ok: true, value: used })
  })

  test.each([
    'api.example.com',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://api.example.com',
    'http://8.8.8.8',
    'http://172.32.0.1',
    'http://169.254.169.254',
    'http://127.0.0.1.evil.com',
    'http://[2001:db8::1]',
    'https://user:pass@example.com',
    'https://example.com/?key=1',
    'https://example.com/#x',
  ])('%j is refused', (given) => {
    expect(checkBaseUrl(given)).toMatchObject({ ok: false, failure: { type: 'bad-address' } })
  })
})
