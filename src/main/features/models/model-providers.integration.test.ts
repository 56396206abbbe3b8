/** The servers of the setting `providers`, beside the main access. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Provider, Providers } from '../../../shared/models/model-provider-schema.ts'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { type ComposedRuntime, composeRuntime } from '../../features.ts'
import { createModelCatalog } from '../../platform/models/model-catalog.ts'
import { createSystemClock } from '../../platform/system/machine-time.ts'
import type { ModelRequest } from '../../runtime/ports/model.ts'
import { type LocalModelServer, startLocalModelServer } from '../../testing/local-model-server.ts'
import { createModelProviders } from './model-providers.ts'
import { createModelSwitch } from './model-switch.ts'

let main: LocalModelServer
let local: LocalModelServer
const open: { close(): Promise<void> }[] = []

beforeEach(async () => {
  main = await startLocalModelServer('good', 'From the main server.')
  local = await startLocalModelServer('good', 'From the local server.')
  open.push(main, local)
})
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

const MAIN_KEY = 'sk-ant-main-key'
const clock = createSystemClock()

function switchWith(providers: Providers, environment: Record<string, string> = {}) {
  const made = createModelProviders({ clock, providers: () => providers, environment })
  const models = made.catalog(createModelCatalog({}))
  const model = createModelSwitch({
    clock,
    models,
    providers: made,
    defaultModel: () => 'opus',
    rehearsal: { pace: 0, scenarioFile: null },
    surveyFile: join(import.meta.dirname, '../../../../agents/survey.yaml'),
    tutorialFile: join(import.meta.dirname, '../../../../agents/tutorial.yaml'),
  })
  open.push(model)
  return { model, providers: made, models }
}

const request = (model: string, more: Partial<ModelRequest> = {}): ModelRequest => ({
  model,
  system: 'You are.',
  tools: [{ name: 'Read', description: 'Reads.', input_schema: { type: 'object' } }],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  toolChoice: 'auto',
  ...more,
})

async function ask({ model }: ReturnType<typeof switchWith>, given: ModelRequest): Promise<string> {
  const answer = await model.client.request(given, {
    signal: AbortSignal.timeout(10_000),
    onDelta: () => {},
  })
  if (!answer.ok) return `${answer.failure.type}: ${answer.failure.message}`
  return answer.value.content.map((block) => (block.type === 'text' ? block.text : '')).join('')
}

const entry = (more: Partial<Provider> = {}): Provider => ({
  baseUrl: local.baseUrl,
  models: { 'qwen3:8b': { contextTokens: 32_000 } },
  ...more,
})

test('each server gets only its own key, and a server without one a placeholder', async () => {
  const around = switchWith(
    { plain: entry(), keyed: entry({ keyVariable: 'LOCAL_KEY' }), stored: entry({ key: 'lab' }) },
    { LOCAL_KEY: 'key-of-variable' },
  )
  around.providers.setKeys({ lab: 'key-of-store' })
  await around.model.switchTo({ kind: 'api', key: MAIN_KEY, baseUrl: main.baseUrl })
  expect(await ask(around, request('claude-opus-5'))).toBe('From the main server.')
  for (const name of ['plain', 'keyed', 'stored'])
    expect(await ask(around, request(`${name}/qwen3:8b`))).toBe('From the local server.')
  expect(main.requests.map(({ headers }) => headers['x-api-key'])).toEqual([MAIN_KEY])
  expect(local.requests.map(({ headers }) => headers['x-api-key'])).toEqual([
    'no-key',
    'key-of-variable',
    'key-of-store',
  ])
  expect(JSON.stringify(local.requests)).not.toContain(MAIN_KEY)
  expect(local.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true)
  expect(local.requests[0]?.body.model).toBe('qwen3:8b')
})

test('a key is sent as a bearer token where the entry says so', async () => {
  const around = switchWith(
    { gateway: entry({ keyVariable: 'LOCAL_KEY', bearer: true }) },
    { LOCAL_KEY: 'key-of-variable' },
  )
  expect(await ask(around, request('gateway/qwen3:8b'))).toBe('From the local server.')
  expect(local.requests[0]?.headers).toMatchObject({ authorization: 'Bearer key-of-variable' })
  expect(local.requests[0]?.headers['x-api-key']).toBeUndefined()
})

test('a server gets no cache breakpoints, betas and server tools unless it says so', async () => {
  const around = switchWith({ plain: entry(), full: entry({ cache: true, webSearch: true }) })
  await around.model.switchTo({ kind: 'none' })
  const search = { webSearch: { allowedDomains: [], blockedDomains: [] } }
  await ask(around, request('plain/qwen3:8b', { effort: 'high', thinking: 'on' }))
  expect(await ask(around, request('plain/qwen3:8b', search))).toContain('has no web search')
  expect(local.requests).toHaveLength(1)
  expect(JSON.stringify(local.requests[0]?.body)).not.toMatch(/cache_control|thinking|output_config/)
  expect(local.requests[0]?.headers['anthropic-beta']).toBeUndefined()
  await ask(around, request('full/qwen3:8b', search))
  expect(JSON.stringify(local.requests[1]?.body)).toMatch(/cache_control.*|web_search_20250305/)
})

test('an unknown provider, a missing key and an unsafe address are named, and nothing is sent', async () => {
  const around = switchWith({
    plain: entry(),
    keyed: entry({ keyVariable: 'LOCAL_KEY' }),
    stored: entry({ key: 'lab' }),
    far: entry({ baseUrl: 'http://example.com' }),
  })
  await around.model.switchTo({ kind: 'api', key: MAIN_KEY, baseUrl: '' })
  expect(await ask(around, request('olama/qwen3'))).toBe(
    'not-found: There is no model provider "olama". There are: plain, keyed, stored, far. Add it in Settings › Access and models, or choose another model.',
  )
  expect(await ask(around, request('keyed/a'))).toContain('auth: The variable LOCAL_KEY')
  expect(await ask(around, request('stored/a'))).toContain('auth: The key "lab" of stored is not available')
  expect(await ask(around, request('far/a'))).toContain('unencrypted')
  expect(local.requests).toEqual([])
})

test('a main server of another maker keeps models whose names have slashes', async () => {
  const around = switchWith({ plain: entry() })
  await around.model.switchTo({ kind: 'api', key: MAIN_KEY, baseUrl: main.baseUrl })
  expect(await ask(around, request('maker/model'))).toBe('From the main server.')
  expect(main.requests[0]?.body.model).toBe('maker/model')
})

test('an agent below one of a provider stays with that provider', () => {
  const { models } = switchWith({
    lab: entry({ models: { big: {}, 'claude-opus-5': {} }, aliases: { haiku: 'big' } }),
  })
  const below = (name: string) => models.resolve(name, 'lab/other')
  expect(below('haiku')).toBe('lab/big')
  expect(below('big')).toBe('lab/big')
  expect(below('claude-opus-5')).toBe('lab/claude-opus-5')
  // The provider has none of these: the agent runs on its parent's model.
  expect(below('sonnet')).toBe('lab/other')
  expect(below('claude-opus-4-8')).toBe('lab/other')
  expect(below('default/sonnet')).toBe('claude-sonnet-5-5')
  expect(below('default/claude-opus-4-8')).toBe('claude-opus-4-8')
  expect(models.resolve('haiku', 'claude-opus-5')).toBe('claude-haiku-5-5')
  expect(models.resolve('lab/any')).toBe('lab/any')
})

test('a model has the facts of its settings, and no price but its own', () => {
  const { models } = switchWith({
    lab: entry({
      models: { a: { contextTokens: 8000, tools: false }, b: { price: { input: 1, output: 2 } } },
    }),
  })
  expect(models.facts('lab/a')).toEqual({
    id: 'lab/a',
    price: null,
    contextTokens: 8000,
    provider: 'lab',
    tools: false,
  })
  expect(models.facts('lab/b').price).toEqual({ input: 1, output: 2, cacheRead: 1, cacheWrite: 1 })
  expect(models.facts('lab/claude-opus-5')).toMatchObject({ price: null, contextTokens: 32_768 })
})

test('agents of two servers work in one conversation; the definition says which', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-providers-'))
  const definition = join(folder, 'helper.md')
  await writeFile(definition, '---\nname: helper\ndescription: Helps.\nmodel: lab/small\n---\nHelp.\n')
  const program: ComposedRuntime = await composeRuntime({
    dataFolder: join(folder, 'data'),
    home: join(folder, 'home'),
    environment: process.env,
    settings: { current: { ...defaultSettings, model: 'claude-opus-5', providers: { lab: entry() } } },
    agentsFolder: join(import.meta.dirname, '../../../../agents'),
    docsFolder: join(import.meta.dirname, '../../../../docs'),
    commandLineAgents: { json: null, files: [definition] },
    rehearsal: { pace: 0, scenarioFile: null },
  })
  try {
    await program.switchAccess({ kind: 'api', key: MAIN_KEY, baseUrl: main.baseUrl })
    const costs: (number | null)[] = []
    program.runtime.subscribe((delta) => {
      if (delta.type === 'event' && delta.event.type === 'assistant-message') costs.push(delta.event.costUsd)
    })
    for (const agent of ['main', 'helper']) {
      const created = await program.runtime.dispatch({
        type: 'conversation.create',
        folder,
        permissionMode: 'default',
        agent,
      })
      if (!created.ok) throw new Error(created.failure.message)
      const content = [{ type: 'text' as const, text: 'Hello' }]
      await program.runtime.dispatch({
        type: 'conversation.send',
        conversationId: created.value.id,
        agentId: null,
        content,
      })
      await program.runtime.settled(created.value.id)
    }
    expect(main.requests.map(({ body }) => body.model)).toEqual(['claude-opus-5'])
    expect(local.requests.map(({ body }) => body.model)).toEqual(['small'])
    expect(costs).toEqual([expect.any(Number), null])
  } finally {
    await program.close()
    await rm(folder, { recursive: true, force: true })
  }
})
