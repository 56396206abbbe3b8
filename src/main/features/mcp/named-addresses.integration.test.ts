import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import { McpConnection } from './connection.ts'
import { checkNamed, createServerFetch } from './named-addresses.ts'
import { OAuthSession } from './oauth-session.ts'
import { createTokenFile } from './token-file.ts'

/** A server at an address of this machine, and the paths that were asked for. */
async function serve(host: string, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['x-key'] ?? ''}`.trim())
    answer(request, response)
  })
  server.listen(0, host)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, asked }
}

const json = (response: ServerResponse, status: number, value: unknown, headers = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

/** A server on 127.0.0.1 that names an authorization server at another address, and that one. */
async function signInAt(
  other: (urls: { inner: string; outer: string }) => string,
  privateHosts?: readonly string[],
) {
  const inner = await serve('127.0.0.2', (_, response) => json(response, 404, {}))
  const outer = await serve('127.0.0.1', (request, response) => {
    const { url } = outer
    if (request.url?.startsWith('/.well-known/oauth-protected-resource'))
      return void json(response, 200, {
        resource: `${url}/mcp`,
        authorization_servers: [other({ inner: inner.url, outer: url })],
      })
    if (request.url?.includes('/move')) return void response.writeHead(302, { location: inner.url }).end()
    json(
      response,
      401,
      {},
      {
        'www-authenticate': `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource/mcp"`,
      },
    )
  })
  const folder = await mkdtemp(join(tmpdir(), 'troupe-named-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const opened: string[] = []
  const signIn = new OAuthSession({
    newKey: randomUUID,
    url: `${outer.url}/mcp`,
    tokens: createTokenFile(join(folder, 'tokens.json')),
    openBrowser: (url) => void opened.push(url.href),
    client: null,
    metadataUrl: null,
    privateHosts,
  })
  const connection = new McpConnection({
    name: 'named',
    config: {
      kind: 'http',
      wire: 'http',
      url: `${outer.url}/mcp`,
      headers: {},
      client: null,
      privateHosts,
      timeoutMs: 5000,
    },
    folder,
    environment: {},
    clock: createSystemClock(),
    version: '1',
    signIn,
    mayAskModel: () => false,
    onChange: () => {},
  })
  await signIn.begin()
  await connection.start()
  const { log } = connection.state()
  await connection.close()
  signIn.end()
  return { inner, opened, log: log.map(({ text }) => text).join('\n') }
}

test('an authorization server on a private network is not requested, and the log says what to do', async () => {
  const { inner, opened, log } = await signInAt(({ inner: url }) => url)
  expect(inner.asked).toEqual([])
  expect(opened).toEqual([])
  expect(log).toContain('"privateHosts": ["127.0.0.2"]')
})

test('not by a redirect of the server either', async () => {
  const { inner, opened, log } = await signInAt(({ outer: url }) => `${url}/move`)
  expect([inner.asked, opened]).toEqual([[], []])
  expect(log).toContain('privateHosts')
})

test('the user allows the host in the entry of the server', async () => {
  const { inner } = await signInAt(({ inner: url }) => url, ['127.0.0.2'])
  expect(inner.asked.length).toBeGreaterThan(0)
})

test.each([
  ['https://10.0.0.5/login', 'private network'],
  ['https://[::ffff:127.0.0.1]/', 'private network'],
  ['https://2130706433/', 'private network'],
  ['https://169.254.169.254/latest', 'private network'],
  ['https://inner.example/', 'private network'],
  ['https://both.example/', 'private network'],
  ['https://none.example/', 'private network'],
  ['http://public.example/', 'not https'],
  ['file:///etc/passwd', 'no web address'],
])('%s is refused', async (address, why) => {
  await expect(checkNamed(new URL(address), NAMED)).rejects.toThrow(why)
})

test.each([
  'https://public.example/',
  'https://mcp.example:8443/',
  'http://mcp.example/',
  'http://sso.corp/',
])('%s is requested', async (address) => {
  await expect(checkNamed(new URL(address), NAMED)).resolves.toBeUndefined()
})

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'inner.example': ['192.168.1.1'],
  'both.example': ['93.184.216.34', '127.0.0.1'],
  'public.example': ['93.184.216.34'],
}
const NAMED = {
  server: 'https://mcp.example/mcp',
  privateHosts: ['sso.corp'],
  resolve: async (host: string) => NAMES[host] ?? [],
}

test('a redirect to another host gets no keys, and nothing that was sent', async () => {
  const other = await serve('127.0.0.3', (_, response) => json(response, 200, {}))
  const server = await serve('127.0.0.1', (request, response) =>
    response.writeHead(request.url === '/keep' ? 307 : 303, { location: `${other.url}/x` }).end(),
  )
  const request = createServerFetch({ server: server.url, privateHosts: ['127.0.0.3'] }, () => {})
  const init = { method: 'POST', body: '{}', headers: { 'x-key': 'secret' } }
  expect((await request(`${server.url}/move`, init)).status).toBe(200)
  await expect(request(`${server.url}/keep`, init)).rejects.toThrow('was not sent there')
  expect(server.asked).toEqual(['POST /move secret', 'POST /keep secret'])
  expect(other.asked).toEqual(['GET /x'])
})
