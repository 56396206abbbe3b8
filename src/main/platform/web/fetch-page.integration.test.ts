import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { type FetchOptions, fetchPage, LARGEST_PAGE } from './fetch-page.ts'
import { isPublicAddress } from './public-address.ts'

/** A server on this machine, its port, and the hosts that it was asked for. */
async function serve(listener: RequestListener) {
  const hosts: string[] = []
  const server = createServer((request, response) => {
    hosts.push(`${request.headers.host} ${request.url}`)
    listener(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, hosts }
}

const loopback = async () => [{ address: '127.0.0.1', family: 4 }]
const fetchIt = (address: string, options: Partial<FetchOptions> = {}) =>
  fetchPage(address, {
    signal: new AbortController().signal,
    userAgent: 'test',
    resolve: loopback,
    isAllowed: (one) => one === '127.0.0.1',
    ...options,
  })

test('a page arrives with its type, through gzip', async () => {
  const { port, hosts } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': 'gzip' })
    response.end(gzipSync('grüß dich'))
  })
  const fetched = await fetchIt(`http://docs.example:${port}/a?b=c`)
  if (!fetched.ok) throw new Error(fetched.failure.message)
  expect(fetched.value).toMatchObject({ status: 200, contentType: 'text/plain; charset=utf-8' })
  expect(new TextDecoder().decode(fetched.value.bytes)).toBe('grüß dich')
  expect(hosts).toEqual([`docs.example:${port} /a?b=c`])
})

test('a name that resolves to a private address is never connected to', async () => {
  const { port, hosts } = await serve((_, response) => response.end('secret'))
  for (const addresses of [
    [{ address: '127.0.0.1', family: 4 }],
    [{ address: '::ffff:127.0.0.1', family: 6 }],
    // One public address does not make the others public.
    [
      { address: '93.184.215.14', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
  ])
    expect(
      await fetchIt(`http://inside.example:${port}/`, {
        resolve: async () => addresses,
        isAllowed: isPublicAddress,
      }),
    ).toMatchObject({ ok: false, failure: { type: 'refused' } })
  expect(hosts).toEqual([])
})

test('a name is resolved once for a connection, and again at each redirect', async () => {
  const { port, hosts } = await serve((_, response) => {
    response.writeHead(302, { location: '/next' })
    response.end()
  })
  let asked = 0
  // The first answer is harmless, the second one leads inside.
  const resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
  expect(await fetchIt(`http://rebind.example:${port}/`, { resolve })).toMatchObject({
    ok: false,
    failure: { type: 'refused', message: expect.stringContaining('10.0.0.1') },
  })
  expect(asked).toBe(2)
  expect(hosts).toHaveLength(1)
})

test('a redirect to a private address, or to a file, is refused', async () => {
  const targets = ['http://169.254.169.254/latest', 'http://[::1]/', 'file:///etc/passwd']
  for (const location of targets) {
    const { port } = await serve((_, response) => {
      response.writeHead(307, { location })
      response.end()
    })
    const fetched = await fetchIt(`http://evil.example:${port}/`)
    // Another host: the model would have to ask again, and that call is refused.
    expect(fetched).toMatchObject({
      ok: false,
      failure: { type: 'redirected', location: new URL(location).href },
    })
    expect(await fetchIt(location)).toMatchObject({ ok: false, failure: { type: 'refused' } })
  }
})

test('redirects on the same host are followed, five of them', async () => {
  const { port } = await serve((request, response) => {
    const left = Number(request.url?.slice(1))
    if (left === 0) return response.end('there')
    response.writeHead(302, { location: `/${left - 1}` })
    return response.end()
  })
  const five = await fetchIt(`http://a.example:${port}/5`)
  expect(five).toMatchObject({ ok: true, value: { url: new URL(`http://a.example:${port}/0`) } })
  expect(await fetchIt(`http://a.example:${port}/6`)).toMatchObject({
    ok: false,
    failure: { message: expect.stringContaining('more than 5 times') },
  })
})

test('a redirect to another host is named, not followed', async () => {
  const { port, hosts } = await serve((_, response) => {
    response.writeHead(301, { location: `http://other.example:1/x` })
    response.end()
  })
  expect(await fetchIt(`http://a.example:${port}/`)).toMatchObject({
    ok: false,
    failure: { type: 'redirected', location: 'http://other.example:1/x' },
  })
  expect(hosts).toHaveLength(1)
})

test('a page over 10 MB ends, also one that is small until it is decompressed', async () => {
  const plain = await serve((_, response) => {
    const write = () => {
      while (response.write(Buffer.alloc(1 << 20)));
      response.once('drain', write)
    }
    write()
  })
  const bomb = gzipSync(Buffer.alloc(LARGEST_PAGE * 20))
  expect(bomb.length).toBeLessThan(LARGEST_PAGE / 10)
  const gzip = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(bomb)
  })
  for (const { port } of [plain, gzip])
    expect(await fetchIt(`http://large.example:${port}/`)).toMatchObject({
      ok: false,
      failure: { type: 'too-large' },
    })
})

test('other compressions, broken ones and cut connections are failures', async () => {
  const answers: RequestListener[] = [
    (_, response) => response.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
    (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'),
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('half')
      setImmediate(() => response.destroy())
    },
    (request) => request.socket.destroy(),
  ]
  for (const answer of answers) {
    const { port } = await serve(answer)
    expect(await fetchIt(`http://a.example:${port}/`)).toMatchObject({
      ok: false,
      failure: { type: 'connection' },
    })
  }
})

test('a stopped call ends at once, before the answer and in its middle', async () => {
  for (const starts of [false, true]) {
    const stop = new AbortController()
    const { port } = await serve((_, response) => {
      if (starts) response.write('a little')
      setImmediate(() => stop.abort())
    })
    expect(await fetchIt(`http://slow.example:${port}/`, { signal: stop.signal })).toMatchObject({
      ok: false,
      failure: { type: 'aborted' },
    })
  }
})

test('an unknown name says so', async () => {
  const resolve = async () => {
    throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
  }
  expect(await fetchIt('http://nowhere.example/', { resolve })).toMatchObject({
    ok: false,
    failure: { type: 'not-found', message: expect.stringContaining('nowhere.example was not found') },
  })
})
