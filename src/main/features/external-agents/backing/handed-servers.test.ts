import { expect, test } from 'vitest'
import type { McpServerState } from '../../../../shared/mcp/mcp.ts'
import { type HandedDeps, type HandedTo, handedServers } from './handed-servers.ts'

const variable = (name: string) => `\${${name}}`

const server = (name: string, more: Partial<McpServerState> = {}): McpServerState => ({
  name,
  source: 'user',
  file: null,
  line: null,
  transport: 'stdio',
  target: '',
  definition: { command: 'npx', args: ['x'], env: { KEY: variable('SECRET') } },
  status: { kind: 'idle' },
  pid: null,
  version: null,
  protocol: null,
  tools: [],
  prompts: [],
  resources: [],
  log: [],
  ...more,
})
const web = {
  definition: { url: 'https://a.example/mcp', headers: { Authorization: `Bearer ${variable('SECRET')}` } },
}

const handed = (
  servers: readonly McpServerState[],
  to: Partial<HandedTo> = {},
  deps: Partial<HandedDeps> = {},
) =>
  handedServers(
    { folder: '/p', isSubagent: true, named: null, capabilities: {}, ...to },
    {
      state: async () => ({ servers }),
      variables: { SECRET: 's3' },
      toolsForSubagents: () => 'all',
      ...deps,
    },
  )
const names = async (...given: Parameters<typeof handed>) =>
  (await handed(...given)).servers.map(({ name }) => name)

test('a server gets its values from the environment', async () => {
  expect(await handed([server('files')])).toEqual({
    servers: [{ name: 'files', command: 'npx', args: ['x'], env: [{ name: 'KEY', value: 's3' }] }],
    notices: [],
  })
})

test('http only where the program takes it', async () => {
  const refused = await handed([server('web', web)])
  expect(refused).toEqual({
    servers: [],
    notices: ['It has no MCP server web: the program does not take servers over http.'],
  })
  const given = await handed([server('web', web)], { capabilities: { mcpCapabilities: { http: true } } })
  expect(given.servers).toEqual([
    {
      type: 'http',
      name: 'web',
      url: 'https://a.example/mcp',
      headers: [{ name: 'Authorization', value: 'Bearer s3' }],
    },
  ])
})

test('sse only where the program takes it', async () => {
  const old = server('old', { ...web, transport: 'sse' })
  expect(await handed([old], { capabilities: { mcpCapabilities: { http: true } } })).toEqual({
    servers: [],
    notices: ['It has no MCP server old: the program does not take servers over sse.'],
  })
  const takes = { capabilities: { mcpCapabilities: { sse: true } } }
  expect(await handed([old], takes)).toMatchObject({
    servers: [{ type: 'sse', name: 'old', url: 'https://a.example/mcp' }],
    notices: [],
  })
})

test('only approved ones, and those that work', async () => {
  const { servers, notices } = await handed([
    server('off', { status: { kind: 'off' } }),
    server('new', { status: { kind: 'waits', former: null } }),
    server('described', { source: 'agent' }),
    server('locked', { status: { kind: 'sign-in' } }),
    server('broken', { status: { kind: 'failed', message: 'It ended.', retryAt: null } }),
    server('unset', { definition: { command: variable('NOWHERE') } }),
    server('mine', {
      definition: { url: 'https://b.example', oauth: { clientId: 'c', clientSecret: variable('SECRET') } },
    }),
  ])
  expect(servers).toEqual([])
  expect(notices).toEqual([
    'It has no MCP server locked: you have to sign in to it.',
    'It has no MCP server broken: it failed. It ended.',
    expect.stringContaining('unset: the variable NOWHERE is not set.'),
    'It has no MCP server mine: Troupe signs in to it, and does not give its sign-in away.',
  ])
  expect(notices.join()).not.toContain('s3')
})

test('the definition and the setting narrow them', async () => {
  const all = [server('files'), server('Web')]
  expect(await names(all, { named: ['web'] })).toEqual(['Web'])
  expect(await names(all, { named: [] })).toEqual([])
  expect(await names(all, {}, { toolsForSubagents: () => 'listed' })).toEqual([])
  expect(await names(all, { named: ['files'] }, { toolsForSubagents: () => 'listed' })).toEqual(['files'])
  expect(await names(all, { named: ['files'] }, { toolsForSubagents: () => 'none' })).toEqual([])
  expect(await names(all, { isSubagent: false }, { toolsForSubagents: () => 'none' })).toEqual([
    'files',
    'Web',
  ])
})

test('a broken configuration leaves the program without servers', async () => {
  const state = () => Promise.reject(new Error('broken'))
  expect(await handed([], {}, { state })).toEqual({ servers: [], notices: [] })
})
