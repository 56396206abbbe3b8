/** Keys of senders: made once, private, and trusted only as a whole. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isSignedBy, loadSenderKey, type SenderKey, trustedSenders, trustSender } from './sender-keys.ts'

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-keys-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function keyIn(folder: string): Promise<SenderKey> {
  const key = await loadSenderKey(folder)
  if (!key.ok) throw new Error(key.failure.message)
  return key.value
}

test('two programs that make the first key at once use the same one, which only the user can read', async () => {
  const folder = await temporary()
  const keys = await Promise.all([keyIn(folder), keyIn(folder)])
  expect(new Set([...keys, await keyIn(folder)].map(({ publicKey }) => publicKey)).size).toBe(1)
  if (process.platform !== 'win32')
    expect((await stat(join(folder, 'sender-key.pem'))).mode & 0o777).toBe(0o600)
})

test('a signature holds for its text and key only', async () => {
  const [mine, other] = [await keyIn(await temporary()), await keyIn(await temporary())]
  const signature = mine.sign('text')
  expect(isSignedBy(mine.publicKey, 'text', signature)).toBe(true)
  expect(isSignedBy(mine.publicKey, 'text!', signature)).toBe(false)
  expect(isSignedBy(other.publicKey, 'text', signature)).toBe(false)
  expect(isSignedBy('no key', 'text', signature)).toBe(false)
  expect(isSignedBy(mine.publicKey, 'text', '')).toBe(false)
})

test('trusted keys are kept once each, with their names; anything else is refused', async () => {
  const folder = await temporary()
  const { publicKey } = await keyIn(await temporary())
  expect((await trustSender(folder, `${publicKey} ann@laptop\n`)).ok).toBe(true)
  expect((await trustSender(folder, publicKey)).ok).toBe(true)
  expect(await trustedSenders(folder)).toEqual({ ok: true, value: new Set([publicKey]) })
  for (const text of ['', 'ssh-ed25519 AAAA', 'troupe-ed25519:short'])
    expect(await trustSender(folder, text)).toMatchObject({ ok: false, failure: { type: 'bad-key' } })
})

test('a damaged key is reported with its file and never replaced', async () => {
  const folder = await temporary()
  await writeFile(join(folder, 'sender-key.pem'), 'no key')
  expect(await loadSenderKey(folder)).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('sender-key.pem') },
  })
})
