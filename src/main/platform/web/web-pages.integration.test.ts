import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import type { DocumentReader } from '../../runtime/ports/documents.ts'
import { createWebPages } from './web-pages.ts'

/** Reads no document: the tests of the documents do. */
const documents: DocumentReader = {
  html: async (html, address) => ok({ title: 'T', markdown: `markdown of ${html} at ${address}` }),
  pdf: async (_, { last }) => ok({ totalPages: last + 5, pages: [{ number: 1, text: 'Words' }] }),
  image: async (bytes) => ok({ type: 'image/png', bytes, width: 1, height: 1 }),
}

interface Answer {
  readonly type?: string
  readonly body: string | Uint8Array
  readonly status?: number
}

async function pagesOn(answer: () => Answer) {
  let visits = 0
  let now = 1_000_000
  const server = createServer((_, response) => {
    visits++
    const { type, body, status = 200 } = answer()
    response.writeHead(status, type === undefined ? {} : { 'content-type': type })
    response.end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.close()
  })
  const pages = createWebPages({
    clock: { now: () => now },
    documents,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    isAllowed: () => true,
  })
  const address = `http://a.example:${(server.address() as AddressInfo).port}/x`
  return {
    address,
    read: async (url = address) => {
      const read = await pages.read(url, new AbortController().signal)
      if (!read.ok) throw new Error(read.failure.message)
      return read.value
    },
    visits: () => visits,
    pass: (ms: number) => {
      now += ms
    },
  }
}

const latin = (text: string) => Buffer.from(text, 'latin1')

test.each<[string, Answer, string | null]>([
  ['JSON', { type: 'application/json', body: '{"a":1}' }, '{"a":1}'],
  ['a kind of JSON', { type: 'application/vnd.api+json; charset=utf-8', body: '{}' }, '{}'],
  ['text in its charset', { type: 'text/plain; charset=ISO-8859-1', body: latin('grün') }, 'grün'],
  ['text with an unknown charset', { type: 'text/plain; charset=martian', body: 'grün' }, 'grün'],
  ['text with a byte order mark', { type: 'text/plain', body: Buffer.from('\uFEFFhi', 'utf16le') }, 'hi'],
  ['text without a type', { body: 'plain words' }, 'plain words'],
  ['data without a type', { body: Buffer.from([1, 0, 2]) }, null],
  ['an image', { type: 'image/png', body: Buffer.from([0x89, 0x50]) }, null],
  ['an archive', { type: 'application/zip', body: 'PK' }, null],
])('%s', async (_, answer, text) => {
  const { read } = await pagesOn(() => answer)
  expect(await read()).toMatchObject({ text, title: '', size: Buffer.from(answer.body).length })
})

test('HTML becomes markdown, in the charset that it names', async () => {
  const html = '<meta charset="windows-1252"><p>gr\xfcn'
  const named = await pagesOn(() => ({ type: 'text/html', body: latin(html) }))
  expect(await named.read()).toMatchObject({
    title: 'T',
    type: 'text/html',
    text: `markdown of <meta charset="windows-1252"><p>grün at ${named.address}`,
  })
  const untyped = await pagesOn(() => ({ body: '<!DOCTYPE html><p>Hi' }))
  expect((await untyped.read()).text).toContain('markdown of')
})

test('a PDF document is read whatever its type is, and says what is missing', async () => {
  const { read } = await pagesOn(() => ({ type: 'application/octet-stream', body: '%PDF-1.7 …' }))
  expect((await read()).text).toBe('[Page 1]\nWords\n\n[104 more pages were not read.]')
})

test('a page is kept for 15 minutes, an error page is not', async () => {
  let status = 200
  const site = await pagesOn(() => ({ type: 'text/plain', body: 'words', status }))
  await site.read()
  site.pass(14 * 60_000)
  await site.read()
  expect(site.visits()).toBe(1)
  site.pass(2 * 60_000)
  await site.read()
  expect(site.visits()).toBe(2)
  status = 503
  for (const _ of [1, 2]) expect(await site.read(`${site.address}/other`)).toMatchObject({ status: 503 })
  expect(site.visits()).toBe(4)
})
