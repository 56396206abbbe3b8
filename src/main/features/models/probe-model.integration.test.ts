/** The test of a model, against servers that people run themselves. */
import { afterEach, expect, test } from 'vitest'
import { canCallTools, withProbe } from '../../../shared/models/model-probe.ts'
import type { Providers } from '../../../shared/models/model-provider-schema.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import {
  type LocalModelServer,
  type LocalServerMode,
  startLocalModelServer,
} from '../../testing/local-model-server.ts'
import { createModelProviders } from './model-providers.ts'
import { probeModel } from './probe-model.ts'

let server: LocalModelServer
afterEach(() => server.close())

async function probe(mode: LocalServerMode, timeoutMs = 10_000) {
  server = await startLocalModelServer(mode)
  const providers: Providers = { lab: { baseUrl: server.baseUrl, models: {} } }
  const client = createModelProviders({
    clock: createSystemClock(),
    providers: () => providers,
    environment: {},
  })
  const found = await probeModel('lab/a', { client, clock: createSystemClock(), timeoutMs })
  const passed = Object.fromEntries(found.checks.map(({ name, passed }) => [name, passed]))
  const details = found.checks.flatMap(({ detail }) => (detail === '' ? [] : [detail])).join(' ')
  return { found, passed, details, saved: withProbe(providers, found)?.['lab']?.models['a'] }
}

test('a good model passes, with two requests', async () => {
  const { found, passed, saved } = await probe('good')
  expect(passed).toEqual({ answers: true, streams: true, tools: true, results: true, usage: true })
  expect(server.requests).toHaveLength(2)
  expect(JSON.stringify(server.requests[1]?.body.messages)).toContain('"tool_result"')
  expect(saved).toEqual({ tools: true, probe: { at: found.at, problem: null } })
})

test.each<[LocalServerMode, Record<string, boolean>, string, boolean | null]>([
  ['text', { answers: true, streams: true, tools: false, usage: true }, 'wrote the call as text', false],
  ['bad-json', { answers: true, streams: true, tools: false, usage: true }, 'not what the tool takes', false],
  [
    'no-usage',
    { answers: true, streams: true, tools: true, results: true, usage: false },
    'Troupe estimates',
    true,
  ],
  ['whole', { answers: true, streams: false }, 'stream', null],
  ['not-found', { answers: false }, '404', null],
])('a server that plays %s', async (mode, expected, detail, tools) => {
  const { found, passed, details, saved } = await probe(mode)
  expect(passed).toEqual(expected)
  expect(details).toContain(detail)
  expect(canCallTools(found)).toBe(tools)
  expect(saved?.tools).toBe(tools ?? undefined)
  expect(saved?.probe?.problem).toContain(detail)
})

test('a server that sends nothing is given up on, and one that is off is named', async () => {
  expect((await probe('silent', 50)).details).toBe('No answer in 0 s.')
  await server.close()
  const { passed, details } = await probe('good').then(async () => {
    const gone = server.baseUrl
    await server.close()
    const providers: Providers = { lab: { baseUrl: gone, models: {} } }
    const clock = createSystemClock()
    const client = createModelProviders({ clock, providers: () => providers, environment: {} })
    const found = await probeModel('lab/a', { client, clock })
    return { passed: found.checks[0]?.passed, details: found.checks[0]?.detail }
  })
  expect(passed).toBe(false)
  expect(details).toContain('127.0.0.1')
})
