import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createKeyHelper } from './key-helper.ts'

let root: string
let time = 0

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'troupe-key-'))
  time = 0
})
afterEach(() => rm(root, { recursive: true, force: true }))

const helper = (command: string, limitMs?: number) =>
  createKeyHelper({
    command,
    environment: { PATH: process.env['PATH'] ?? '', ROOT: root },
    now: () => time,
    ...(limitMs !== undefined && { limitMs }),
  })
const counting = 'echo run >> "$ROOT/runs"; cat "$ROOT/key"'
const runs = async () => (await readFile(join(root, 'runs'), 'utf8')).split('\n').length - 1

test('the key is kept for five minutes, and asked for again after a refusal', async () => {
  await writeFile(join(root, 'key'), 'sk-1\n')
  const { key, refused } = helper(counting)
  expect(await Promise.all([key(), key()])).toEqual([
    { ok: true, value: 'sk-1' },
    { ok: true, value: 'sk-1' },
  ])
  expect(await runs()).toBe(1)
  await writeFile(join(root, 'key'), 'sk-2')
  time = 299_999
  expect(await key()).toMatchObject({ value: 'sk-1' })
  time = 300_000
  expect(await key()).toMatchObject({ value: 'sk-2' })
  await writeFile(join(root, 'key'), 'sk-3')
  refused('sk-1')
  expect(await key()).toMatchObject({ value: 'sk-2' })
  refused('sk-2')
  await Promise.resolve()
  expect(await key()).toMatchObject({ value: 'sk-3' })
})

test.each([
  ['exit 3', 'exit code 3'],
  ['true', 'printed nothing'],
  ['echo two words', 'more than one word'],
])('%s gives no key, and its output is not shown', async (command, because) => {
  const found = await helper(`${command}`).key()
  expect(found).toMatchObject({ ok: false, failure: { message: expect.stringContaining(because) } })
  expect(JSON.stringify(found)).not.toContain('two words')
})

test('a command that does not end is killed', async () => {
  expect(await helper('exec sleep 60', 50).key()).toMatchObject({
    failure: { message: expect.stringContaining('did not end') },
  })
})
