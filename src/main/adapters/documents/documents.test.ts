import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createDocumentReader, documentScript } from './documents.ts'
import { smallPdf } from './testing/small-pdf.ts'

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
