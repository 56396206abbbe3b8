import { describe, expect, test } from 'vitest'
import { noLimits } from '../../shared/events/agent-event.ts'
import type { CommandInput } from '../../shared/ipc/ipc-contract.ts'
import type { ConversationDefaults } from './ports/ports.ts'
import { freePolicy } from './testing/plain-ports.ts'
import { lastWords } from './testing/scripted-model.ts'
import { createTestRuntime, FOLDER, testDefinitions } from './testing/test-runtime.ts'

type Wanted = Omit<CommandInput<'conversation.create'>, 'folder'>

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const gemini = { ...testDefinitions[1]!, name: 'gemini', model: 'haiku' }

/** Creates a conversation with the choices of a user in a program with these settings. */
async function created(wanted: Wanted, settings: Partial<ConversationDefaults> = {}) {
  const troupe = createTestRuntime({
    script: (request) => ({ text: `heard ${lastWords(request)}` }),
    definitions: [...testDefinitions, gemini, { ...testDefinitions[1]!, name: 'coordinator' }],
    policy: { defaults: (folder) => ({ ...freePolicy.defaults(folder), ...settings }) },
  })
  const made = await troupe.runtime.dispatch({ type: 'conversation.create', folder: FOLDER, ...wanted })
  const spawned = troupe.events.find((event) => event.type === 'agent-spawned')
  return { ...troupe, made, spawned, record: made.ok ? troupe.store.records.get(made.value.id) : undefined }
}

test('is as the settings say where the user chose nothing', async () => {
  const settings = { model: 'opus', effort: 'high', thinking: 'off', permissionMode: 'plan' } as const
  const { spawned, record } = await created({}, { ...settings, rehearsal: true })
  expect(spawned).toMatchObject({
    ...{ model: 'claude-opus', effort: 'high', thinking: 'off', permissionMode: 'plan' },
    definition: { name: 'main' },
  })
  expect(record).toMatchObject({ rehearsal: true, coordinator: false })
})

test('has the choices of the user at once', async () => {
  const settings = { model: 'opus', effort: 'high', thinking: 'off' } as const
  const { spawned } = await created({ effort: null, permissionMode: 'plan', model: 'haiku' }, settings)
  expect(spawned).toMatchObject({
    ...{ model: 'claude-haiku', effort: null, thinking: 'off', permissionMode: 'plan' },
  })
})

test('has limits of its own, with those of the settings where none is given', async () => {
  const { record } = await created({ limits: { usd: 3, tokens: 5000 } })
  expect(record?.limits).toEqual({ ...noLimits, usd: 3, tokens: 5000 })
  expect((await created({ limits: {} })).record?.limits).toBeNull()
})

test.each([
  [undefined, true, true],
  [false, true, false],
  [true, false, true],
])('with %s for coordinator mode, and %s in the settings, it is %s', async (coordinator, set, mode) => {
  const { record } = await created({ coordinator }, { coordinator: set })
  expect(record?.coordinator).toBe(mode)
})

test.each([
  ['the settings', {}, {}, 'gemini'],
  ['the user', {}, { agent: 'Explore' }, 'Explore'],
  ['the user, without any', {}, { agent: null }, 'main'],
  ['nobody in coordinator mode', { coordinator: true }, {}, 'coordinator'],
  ['the user, also in coordinator mode', { coordinator: true }, { agent: 'Explore' }, 'Explore'],
  ['nobody in a rehearsal', { rehearsal: true }, {}, 'main'],
])('its main agent is chosen by %s', async (_, settings, wanted, name) => {
  const { spawned } = await created(wanted, { mainAgent: 'gemini', ...settings })
  expect(spawned).toMatchObject({ definition: { name } })
})

test('a chosen agent has its own model, unless the user chose one', async () => {
  expect((await created({ agent: 'gemini' })).spawned).toMatchObject({ model: 'claude-haiku' })
  expect((await created({ agent: 'gemini', model: 'opus' })).spawned).toMatchObject({ model: 'claude-opus' })
})

test('a main agent that is gone is told with where it was chosen', async () => {
  const bySettings = await created({}, { mainAgent: 'gone' })
  expect(bySettings.made).toMatchObject({
    failure: {
      type: 'unknown-agent',
      message: expect.stringContaining('The settings name it as the main agent'),
    },
  })
  const byUser = await created({ agent: 'gone' })
  expect(byUser.made).toMatchObject({ failure: { type: 'unknown-agent' } })
  expect(JSON.stringify(byUser.made)).not.toContain('The settings name it')
})

describe('a message', () => {
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: PIXEL },
  } as const

  test('may be the first one, with which the conversation begins', async () => {
    const { made, runtime, events, record } = await created({ message: { content: 'Look', typed: '/look' } })
    if (!made.ok) throw new Error(made.failure.message)
    expect(made.value.notSent).toBeUndefined()
    await runtime.settled(made.value.id)
    expect(record?.title).toBe('/look')
    expect(events.find(({ type }) => type === 'user-message')).toMatchObject({
      content: [{ type: 'text', text: 'Look' }],
      typed: '/look',
    })
  })

  test('that is refused leaves the conversation, with the reason', async () => {
    const { made, store, events } = await created({ message: { content: ' \n' } })
    expect(made).toMatchObject({ ok: true, value: { notSent: { type: 'empty' } } })
    expect(store.records.size).toBe(1)
    expect(events.map(({ type }) => type)).not.toContain('user-message')
  })

  test('consists of images and text; an empty one is refused', async () => {
    const { made, runtime, events } = await created({})
    const conversationId = made.ok ? made.value.id : ''
    const say = (content: CommandInput<'conversation.send'>['content']) =>
      runtime.dispatch({ type: 'conversation.send', conversationId, agentId: null, content })
    expect(await say([image, { type: 'text', text: ' ' }])).toMatchObject({ ok: true })
    await runtime.settled(conversationId)
    expect(events.find(({ type }) => type === 'user-message')).toMatchObject({ content: [image] })
    for (const content of [' \n', [], [{ type: 'text', text: '' }]] as const)
      expect(await say(content)).toMatchObject({ ok: false, failure: { type: 'empty' } })
  })
})

test('a malformed command is refused with the invalid fields, and nothing is done', async () => {
  const { runtime, store } = await created({})
  const wrong = { type: 'conversation.create', folder: '', permissionMode: 'god' } as never
  expect(await runtime.dispatch(wrong)).toMatchObject({
    failure: {
      type: 'bad-input',
      message: expect.stringMatching(/“conversation\.create”.*folder: .*permissionMode: /),
    },
  })
  expect(await runtime.dispatch({ type: 'conversation.dance' } as never)).toMatchObject({
    failure: { type: 'unknown-command' },
  })
  expect(store.records.size).toBe(1)
})
