import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDocumentReader, documentScript } from './documents.ts'
import { smallPdf } from './testing/small-pdf.ts'
import { smallPng } from './testing/small-png.ts'

const never = new AbortController().signal
const reader = createDocumentReader({ script: documentScript('/nowhere') })

/** A thread with this script instead. */
async function withScript(text: string, options: { timeLimit?: number; memoryMb?: number } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-thread-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const script = join(folder, 'thread.cjs')
  writeFileSync(script, text)
  return createDocumentReader({ script, ...options })
}

test('pages and documents are read in a thread', async () => {
  expect(await reader.html('<title>T</title><p>Some <b>words</b></p>', 'https://a.example/', never)).toEqual({
    ok: true,
    value: { title: 'T', markdown: 'Some **words**' },
  })
  const bytes = smallPdf(['Words'])
  expect(await reader.pdf(bytes, { first: 1, last: 1 }, never)).toEqual({
    ok: true,
    value: { totalPages: 1, pages: [{ number: 1, text: 'Words' }] },
  })
  expect(await reader.pdf(bytes.slice(0, 20), { first: 1, last: 1 }, never)).toMatchObject({
    failure: { type: 'damaged' },
  })
})

const limits = { longestSide: 2000, largestBytes: 3_900_000 }

test('an image that fits stays as it is, and a larger one is made smaller', async () => {
  const small = smallPng(300, 200)
  expect(await reader.image(small, limits, never)).toEqual({
    ok: true,
    value: { type: 'image/png', bytes: Uint8Array.from(small), width: 300, height: 200 },
  })
  const wide = await reader.image(smallPng(9000, 30), limits, never)
  expect(wide).toMatchObject({ value: { type: 'image/png', width: 2000, height: 6 } })
  const noisy = smallPng(1700, 1700, { noise: true })
  expect(noisy.length).toBeGreaterThan(limits.largestBytes)
  const light = await reader.image(noisy, limits, never)
  expect(light).toMatchObject({ value: { type: 'image/jpeg' } })
  expect(light.ok && light.value.bytes.length).toBeLessThan(limits.largestBytes)
})

test('an image that was cut short, changed or is none is damaged', async () => {
  const png = smallPng(300, 200, { noise: true })
  const changed = Buffer.from(png)
  changed[1000] = (changed[1000] ?? 0) ^ 0xff
  for (const bytes of [
    png.subarray(0, png.length / 2),
    png.subarray(0, -12),
    changed,
    Buffer.from('GIF89a, no'),
  ])
    expect(await reader.image(bytes, limits, never)).toMatchObject({ failure: { type: 'damaged' } })
})

test('a thread that never ends is ended, and the event loop stays free', async () => {
  const busy = await withScript('for (;;);', { timeLimit: 50 })
  expect(await busy.html('', '', never)).toMatchObject({ failure: { type: 'timeout' } })
})

test('a thread without memory fails alone', async () => {
  const hungry = await withScript('const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()))', {
    memoryMb: 16,
  })
  expect(await hungry.html('', '', never)).toMatchObject({ failure: { type: 'damaged' } })
})

test('a stopped call ends its thread, or never starts it', async () => {
  const stop = new AbortController()
  const busy = await withScript('for (;;);')
  const read = [1, 2, 3].map(() => busy.html('', '', stop.signal))
  stop.abort()
  for (const one of read) expect(await one).toMatchObject({ failure: { type: 'aborted' } })
})

test('a thread has no environment, and its failure or silent end is a failure', async () => {
  const curious = await withScript(
    `require('worker_threads').parentPort.postMessage({ ok: true, value: Object.keys(process.env) })`,
  )
  expect(await curious.html('', '', never)).toEqual({ ok: true, value: [] })
  for (const text of ['throw new Error("no")', 'process.exit(3)', 'syntax error here'])
    expect(await (await withScript(text)).html('', '', never)).toMatchObject({ failure: { type: 'damaged' } })
  const missing = createDocumentReader({ script: '/nowhere/documents.cjs' })
  expect(await missing.html('', '', never)).toMatchObject({ failure: { type: 'damaged' } })
})
