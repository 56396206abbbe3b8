import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ok } from '../../../shared/kernel/result.ts'
import { createModelCatalog } from '../../platform/models/model-catalog.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import type { ModelRequest } from '../../runtime/ports/model.ts'
import type { Director, ScriptedReply } from '../rehearsal/director.ts'
import { startScriptedServer } from '../rehearsal/feature.ts'
import type { ScriptedServer } from '../rehearsal/scripted-server.ts'
import type { KeyHelper } from '../settings/key-helper.ts'
import { createModelSwitch, type ModelSwitch } from './model-switch.ts'

let folder: string
const open: { close(): Promise<void> }[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-switch-'))
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()))
  await rm(folder, { recursive: true, force: true })
})

function switchOver(scenarioFile: string | null = null, keyHelper: KeyHelper | null = null): ModelSwitch {
  const made = createModelSwitch({
    clock: createSystemClock(),
    models: createModelCatalog({}),
    defaultModel: () => 'opus',
    rehearsal: { pace: 0, scenarioFile },
    surveyFile: join(import.meta.dirname, '../../../../agents/survey.yaml'),
    tutorialFile: join(import.meta.dirname, '../../../../agents/tutorial.yaml'),
    keyHelper,
  })
  open.push(made)
  return made
}

const director = (reply: ScriptedReply): Director => ({ reply: async () => reply })

async function serve(options: Parameters<typeof startScriptedServer>[0]): Promise<ScriptedServer> {
  const server = await startScriptedServer({ pace: 0, ...options })
  open.push(server)
  return server
}

const request: ModelRequest = {
  model: 'claude-sonnet-5-5',
  system: 'You are the main agent.',
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  toolChoice: 'auto',
}

async function wordsOf({ client }: ModelSwitch): Promise<string> {
  const reply = await client.request(request, { signal: AbortSignal.timeout(10_000), onDelta: () => {} })
  if (!reply.ok) return `${reply.failure.type}: ${reply.failure.message}`
  return reply.value.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

test('a key that the API refuses is asked for again, once', async () => {
  const api = await serve({ director: director({ blocks: [{ type: 'text', text: 'Hello.' }] }) })
  const keys = ['sk-wrong', api.apiKey, 'sk-wrong', 'sk-wrong']
  const refused: string[] = []
  const model = switchOver(null, {
    key: async () => ok(keys[refused.length] ?? ''),
    refused: (key) => refused.push(key),
  })
  await model.switchTo({ kind: 'api', key: null, baseUrl: api.baseUrl })
  expect(await wordsOf(model)).toBe('Hello.')
  expect(refused).toEqual(['sk-wrong'])
  refused.push('')
  expect(await wordsOf(model)).toContain('auth')
  expect(refused).toHaveLength(4)
})

test('each request goes to the source chosen at its start', async () => {
  const scenario = join(folder, 'scenario.yaml')
  await writeFile(scenario, 'steps:\n  - reply: From the script.\n')
  const api = await serve({ director: director({ blocks: [{ type: 'text', text: 'From the API.' }] }) })
  const model = switchOver(scenario)
  expect(await wordsOf(model)).toMatch(/^auth: No access to a model\. In Settings add an API key/)
  expect((await model.switchTo({ kind: 'rehearsal' })).ok).toBe(true)
  expect(await wordsOf(model)).toBe('From the script.')
  await model.switchTo({ kind: 'api', key: api.apiKey, baseUrl: api.baseUrl })
  expect(await wordsOf(model)).toBe('From the API.')
  await model.switchTo({ kind: 'rehearsal' })
  expect(await wordsOf(model)).toBe('From the script.')
  await model.switchTo({ kind: 'none' })
  expect(await wordsOf(model)).toMatch(/^auth:/)
})

test('without a scenario the survey answers, and is marked as a script', async () => {
  const model = switchOver()
  expect((await model.switchTo({ kind: 'rehearsal' })).ok).toBe(true)
  expect(await wordsOf(model)).toMatch(/script/)
})

test.each([
  ['is not there', null],
  ['makes no sense', 'steps: 7\n'],
])('a scenario that %s is a failure with its name, and the source stays unchanged', async (_, text) => {
  const scenario = join(folder, 'scenario.yaml')
  if (text !== null) await writeFile(scenario, text)
  const api = await serve({ director: director({ blocks: [{ type: 'text', text: 'From the API.' }] }) })
  const model = switchOver(scenario)
  await model.switchTo({ kind: 'api', key: api.apiKey, baseUrl: api.baseUrl })
  const failed = await model.switchTo({ kind: 'rehearsal' })
  expect(failed).toMatchObject({ ok: false, failure: { type: 'scenario' } })
  expect(!failed.ok && failed.failure.message).toContain(scenario)
  expect(await wordsOf(model)).toBe('From the API.')
})

describe('trying out a key', () => {
  const yes = director({ blocks: [{ type: 'text', text: 'yes' }] })

  test('asks the smallest model, and changes nothing', async () => {
    const api = await serve({ director: yes })
    const model = switchOver()
    const tried = await model.test({ kind: 'api', key: api.apiKey, baseUrl: api.baseUrl })
    expect(tried).toMatchObject({ ok: true, value: { model: 'claude-haiku-5-5' } })
    expect(await wordsOf(model)).toMatch(/^auth:/)
  })

  test('asks the default model if the server has no other', async () => {
    const api = await serve({ director: yes, models: ['claude-opus-5-5'] })
    const tried = await switchOver().test({ kind: 'api', key: api.apiKey, baseUrl: api.baseUrl })
    expect(tried).toMatchObject({ ok: true, value: { model: 'claude-opus-5-5' } })
  })

  test('reports a key that the API refuses', async () => {
    const api = await serve({ director: yes })
    const tried = await switchOver().test({ kind: 'api', key: 'sk-wrong', baseUrl: api.baseUrl })
    expect(tried).toMatchObject({ ok: false, failure: { type: 'auth' } })
  })
})

test('lists the models of the API, or the built-in names', async () => {
  const api = await serve({
    director: director({ blocks: [] }),
    models: ['claude-opus-5-5', 'claude-sonnet-5-5'],
  })
  const model = switchOver()
  expect(await model.listModels()).toMatchObject({ ok: true, value: [{ id: 'haiku' }, {}, {}, {}] })
  await model.switchTo({ kind: 'api', key: api.apiKey, baseUrl: api.baseUrl })
  const listed = await model.listModels()
  expect(listed.ok && listed.value.map(({ id }) => id).toSorted()).toEqual([
    'claude-opus-5-5',
    'claude-sonnet-5-5',
  ])
})

describe('the web search of the API', () => {
  const search = ({ client }: ModelSwitch) =>
    client.request(
      { ...request, webSearch: { allowedDomains: [], blockedDomains: [] } },
      { signal: AbortSignal.timeout(10_000), onDelta: () => {} },
    )
  const status = (code: number, message: string): ScriptedReply => ({
    blocks: [],
    fault: { kind: 'status', status: code, type: 'invalid_request_error', message },
  })

  test.each<[string, ScriptedReply, boolean]>([
    ['searches', { blocks: [{ type: 'web_search', text: 'x', results: [] }] }, true],
    ['is overloaded', status(529, 'Overloaded'), true],
    ['rejects a domain', status(400, 'allowed_domains.0: bad domain'), true],
    ['knows no such tool', status(400, 'tools.0.type: unknown tool type web_search_20250305'), false],
    ['may not search', status(400, 'Web search is not enabled for your organization.'), false],
    ['answers without a search', { blocks: [{ type: 'text', text: 'I know.' }] }, false],
  ])('is offered after the API %s: %s', async (_, reply, isOffered) => {
    const { apiKey, baseUrl } = await serve({ director: director(reply) })
    const model = switchOver()
    expect(model.client.canSearchWeb?.()).toBe(false)
    await model.switchTo({ kind: 'api', key: apiKey, baseUrl })
    expect(model.client.canSearchWeb?.()).toBe(true)
    await search(model)
    expect(model.client.canSearchWeb?.()).toBe(isOffered)
    // Another key may have it.
    await model.switchTo({ kind: 'api', key: apiKey, baseUrl })
    expect(model.client.canSearchWeb?.()).toBe(true)
  })

  test('is not offered in Rehearsal', async () => {
    const model = switchOver()
    await model.switchTo({ kind: 'rehearsal' })
    expect(model.client.canSearchWeb?.()).toBe(false)
  })
})
