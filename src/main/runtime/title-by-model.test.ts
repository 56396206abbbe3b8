import { expect, test } from 'vitest'
import { freePolicy } from './testing/plain-ports.ts'
import { echo, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestOptions, type TestRuntime } from './testing/test-runtime.ts'

const isForTitle = (request: { readonly tools: readonly unknown[] }) => request.tools.length === 0

function create(title: string | (() => Promise<string>), more: Partial<TestOptions> = {}): TestRuntime {
  const agents = script([{ text: 'done' }, { text: 'done' }], echo)
  return createTestRuntime({
    policy: { ...freePolicy, titlesByModel: true },
    script: async (request, signal) =>
      isForTitle(request)
        ? { text: typeof title === 'string' ? title : await title() }
        : agents(request, signal),
    ...more,
  })
}

const titles = async (troupe: TestRuntime) => (await troupe.runtime.conversations()).map(({ title }) => title)

test('the cheapest model names a conversation once, and its cost is counted', async () => {
  const troupe = create('"Double charges on timeouts."')
  const id = await troupe.begin('Payments are sometimes charged twice when the gateway times out.')
  const state = await troupe.runtime.settled(id)
  expect(await titles(troupe)).toEqual(['Double charges on timeouts'])
  const asked = troupe.model.requests.filter(isForTitle)
  expect(asked).toMatchObject([{ model: 'claude-haiku' }])
  expect(JSON.stringify(asked[0]?.messages)).toContain('Payments are sometimes charged twice')
  expect(troupe.events.filter(({ type }) => type === 'model-asked')).toHaveLength(1)
  expect(state.costUsd).toBeGreaterThan(0)
  await troupe.say(id, 'And refunds?')
  await troupe.runtime.settled(id)
  expect(troupe.model.requests.filter(isForTitle)).toHaveLength(1)
})

test('a title that the user typed meanwhile stays', async () => {
  const answering = gate()
  const troupe = create(async () => {
    await answering.opened
    return 'By the model'
  })
  const id = await troupe.begin('Go')
  await troupe.runtime.dispatch({ type: 'conversation.rename', conversationId: id, title: 'Mine' })
  answering.open()
  await troupe.runtime.settled(id)
  expect(await titles(troupe)).toEqual(['Mine'])
})

test.each([
  ['an empty answer', '  '],
  ['an answer to the message', 'x'.repeat(200)],
])('%s keeps the first sentence', async (_name, answer) => {
  const troupe = create(answer)
  await troupe.runtime.settled(await troupe.begin('Explain the build. Then test it.'))
  expect(await titles(troupe)).toEqual(['Explain the build'])
})

test('no model is asked where the setting is off', async () => {
  const troupe = create('Never', { policy: { ...freePolicy, titlesByModel: false } })
  await troupe.runtime.settled(await troupe.begin('Explain the build.'))
  expect(await titles(troupe)).toEqual(['Explain the build'])
  expect(troupe.model.requests.every(isMain)).toBe(true)
})
