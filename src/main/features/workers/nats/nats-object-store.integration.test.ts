/** Files travel through a real object store unchanged, and a larger object than announced is refused. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from './jobs/testing/job-fixture.ts'
import { createNatsObjectStore } from './nats-object-store.ts'
import { startNatsServer, withNats } from './testing/nats-server.ts'

withNats('the object store', () => {
  test('a file returns as it was; less than announced is refused, and a removed one is gone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'troupe-objects-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const { url } = await startNatsServer()
    const { objects } = await openStore(url)
    const store = createNatsObjectStore(() => objects)
    const bytes = randomBytes(700_000)
    await writeFile(join(folder, 'sent'), bytes)
    const stored = await store.put(join(folder, 'sent'))
    if (!stored.ok) throw new Error(stored.failure.message)
    expect(stored.value.bytes).toBe(bytes.length)
    expect(await store.put(join(folder, 'sent'))).toEqual(stored)
    expect(await store.get(stored.value, join(folder, 'received'))).toEqual({ ok: true, value: undefined })
    expect(Buffer.compare(await readFile(join(folder, 'received')), bytes)).toBe(0)
    const short = await store.get({ ...stored.value, bytes: 1000 }, join(folder, 'short'))
    expect(short).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('larger than announced') },
    })
    await expect(readFile(join(folder, 'short'))).rejects.toThrow('ENOENT')
    expect(await store.has(stored.value.object)).toBe(true)
    await store.remove(stored.value.object)
    expect(await store.has(stored.value.object)).toBe(false)
    expect(await store.get(stored.value, join(folder, 'gone'))).toMatchObject({
      failure: { type: 'not-found' },
    })
    const offline = createNatsObjectStore(() => null)
    expect(await offline.put(join(folder, 'sent'))).toMatchObject({ failure: { type: 'io' } })
  })
})
