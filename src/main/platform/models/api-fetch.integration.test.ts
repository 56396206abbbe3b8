import { execFile } from 'node:child_process'
import { createServer, globalAgent, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { createApiFetch } from './api-fetch.ts'

/** A server on this machine. @returns its address */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Lets the event loop go round. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('method, headers and text arrive as they were given', async () => {
  const address = await serve((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { 'x-api-key': key, 'content-length': length, 'accept-encoding': encoding } = request.headers
      response.end(JSON.stringify([request.method, request.url, key, length, encoding, text]))
    })
  })
  const sent = await createApiFetch()(`${address}/v1/messages?a=b`, {
    method: 'post',
    headers: { 'x-api-key': 'k' },
    body: '"ä"',
  })
  expect(await sent.json()).toEqual(['POST', '/v1/messages?a=b', 'k', '4', 'identity', '"ä"'])
})

test('a redirect is returned and not followed', async () => {
  let asked = 0
  const address = await serve((_request, response) => {
    asked++
    response.writeHead(307, { location: '/elsewhere' }).end('see there')
  })
  const response = await createApiFetch()(address)
  expect([response.status, response.headers.get('location'), asked]).toEqual([307, '/elsewhere', 1])
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('what a server compresses unasked with %s is read', async (encoding, compress) => {
  const address = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(compress('a text')),
  )
  expect(await (await createApiFetch()(address)).text()).toBe('a text')
})

test('damaged compressed bytes fail the body', async () => {
  const address = await serve((_request, response) =>
    response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
  )
  const response = await createApiFetch()(address)
  await expect(response.text()).rejects.toThrow()
})

test('a response without a body is read, and its connection is used again', async () => {
  const ports: (number | undefined)[] = []
  const address = await serve((request, response) => {
    ports.push(request.socket.remotePort)
    response.writeHead(204).end()
  })
  const send = createApiFetch()
  for (let count = 0; count < 3; count++) {
    expect((await send(address)).body).toBeNull()
    await turns(3)
  }
  expect(new Set(ports).size).toBe(1)
})

test('a body that breaks off fails, and one that is canceled closes its connection', async () => {
  const closed: Promise<void>[] = []
  const address = await serve((request, response) => {
    closed.push(new Promise((resolve) => response.once('close', resolve)))
    response.writeHead(200, { 'content-length': '100' }).write('a piece')
    if (request.url === '/broken') response.destroy()
  })
  const send = createApiFetch()
  await expect(send(`${address}/broken`).then((response) => response.text())).rejects.toThrow()
  const open = await send(`${address}/open`)
  await open.body?.cancel()
  await Promise.all(closed)
})

test('a reader that is slow slows the server down', async () => {
  let written = 0
  const address = await serve((_request, response) => {
    const piece = Buffer.alloc(64 * 1024)
    const write = () => {
      for (let goesOn = true; goesOn && written < 64 * 1024 * 1024; written += piece.length)
        goesOn = response.write(piece)
    }
    response.on('drain', write)
    write()
  })
  const response = await createApiFetch()(address)
  const reader = response.body?.getReader()
  await reader?.read()
  for (let before = -1; before !== written; await turns(2000)) before = written
  expect(written).toBeLessThan(32 * 1024 * 1024)
  await reader?.cancel()
})

test('an abort ends the request before and after the response', async () => {
  const address = await serve((request, response) => {
    if (request.url === '/answers') response.writeHead(200).write('a piece')
  })
  const send = createApiFetch()
  const before = new AbortController()
  const unanswered = send(`${address}/never`, { signal: before.signal })
  before.abort()
  await expect(unanswered).rejects.toThrow()
  const after = new AbortController()
  const answered = await send(`${address}/answers`, { signal: after.signal })
  after.abort()
  await expect(answered.text()).rejects.toThrow()
})

test('no server at the address is an error with its code', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  await expect(createApiFetch()(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('requests go through the proxy of the environment where Node is told to use it', async ({ skip }) => {
  // Older versions of Node know no such proxy.
  if (
    !('options' in globalAgent) ||
    !JSON.stringify(Object.keys(globalAgent.options as object)).includes('proxyEnv')
  )
    skip()
  const asked: (string | undefined)[] = []
  const proxy = await serve((request, response) => {
    asked.push(request.url)
    response.end('from the proxy')
  })
  const module = new URL('./api-fetch.ts', import.meta.url).href
  const script = `const { createApiFetch } = await import(${JSON.stringify(module)})
    console.log(await (await createApiFetch()('http://api.example.com/v1/models')).text())`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, NODE_USE_ENV_PROXY: '1', HTTP_PROXY: proxy, http_proxy: proxy },
  })
  expect(stdout.trim()).toBe('from the proxy')
  expect(asked).toEqual(['http://api.example.com/v1/models'])
})
