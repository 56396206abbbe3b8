import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { fakeProgram } from '../testing/fake-program.ts'
import { createProgramKeys } from './program-keys.ts'

let folder: string
beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'troupe-program-keys-')), 'keys')
})
afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }))

function open() {
  const given: Readonly<Record<string, string>>[] = []
  const program = fakeProgram({ setProgramKeys: (keys) => void given.push(keys) })
  const encryption = {
    isSafe: () => true,
    encrypt: async (text: string) => Buffer.from(text).reverse(),
    decrypt: async (bytes: Buffer) => Buffer.from(bytes).reverse().toString(),
  }
  return {
    given,
    program,
    keys: createProgramKeys({ newKey: randomUUID, folder, encryption, program: async () => program }),
  }
}

test('a key is stored encrypted, and programs get it at once and after a restart', async () => {
  const { keys, given } = open()
  expect(await keys.list()).toEqual({ names: [], isSafe: true })
  expect(await keys.save('GEMINI_API_KEY', ' secret-key ')).toEqual({
    ok: true,
    value: { names: ['GEMINI_API_KEY'], isSafe: true },
  })
  expect(given).toEqual([{ GEMINI_API_KEY: 'secret-key' }])
  expect(await readFile(join(folder, 'GEMINI_API_KEY'), 'utf8')).not.toContain('secret-key')

  const later = open()
  expect(await later.keys.apply(later.program)).toBeNull()
  expect(later.given).toEqual([{ GEMINI_API_KEY: 'secret-key' }])
})

test('a removed key is gone from the disk and from programs', async () => {
  const { keys, given } = open()
  await keys.save('GEMINI_API_KEY', 'secret-key')
  await keys.save('OPENAI_API_KEY', 'another-key')
  expect(await keys.save('GEMINI_API_KEY', null)).toMatchObject({ value: { names: ['OPENAI_API_KEY'] } })
  expect(given.at(-1)).toEqual({ OPENAI_API_KEY: 'another-key' })
  expect(await readdir(folder)).toEqual(['OPENAI_API_KEY'])
})

test('a key with a line break is refused, and the old one stays', async () => {
  const { keys, given } = open()
  await keys.save('GEMINI_API_KEY', 'secret-key')
  expect(await keys.save('GEMINI_API_KEY', 'two\nlines')).toMatchObject({ ok: false })
  expect(given).toEqual([{ GEMINI_API_KEY: 'secret-key' }])
})
