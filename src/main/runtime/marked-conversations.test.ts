import { expect, test } from 'vitest'
import { createMemoryStore } from './testing/memory-store.ts'
import { echo, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const create = (store = createMemoryStore()): TestRuntime =>
  createTestRuntime({ store, script: script([{ text: 'ok' }, { text: 'ok' }], echo) })

const marksOf = async (troupe: TestRuntime) =>
  (await troupe.runtime.conversations()).map(({ pinned, archived }) => ({ pinned, archived }))

test('an open or a closed conversation is pinned and archived; a mark leaves the other one', async () => {
  const store = createMemoryStore()
  const troupe = create(store)
  const conversationId = await troupe.begin('Go')
  await troupe.runtime.settled(conversationId)
  await troupe.runtime.dispatch({ type: 'conversation.mark', conversationId, pinned: true })
  expect(await marksOf(troupe)).toEqual([{ pinned: true, archived: false }])
  await troupe.runtime.close()
  const next = create(store)
  await next.runtime.dispatch({ type: 'conversation.mark', conversationId, archived: true })
  expect(await marksOf(next)).toEqual([{ pinned: true, archived: true }])
})

test('a message of the user brings an archived conversation back', async () => {
  const troupe = create()
  const conversationId = await troupe.begin('Go')
  await troupe.runtime.settled(conversationId)
  await troupe.runtime.dispatch({ type: 'conversation.mark', conversationId, archived: true })
  await troupe.say(conversationId, 'More')
  await troupe.runtime.settled(conversationId)
  expect(await marksOf(troupe)).toEqual([{ pinned: false, archived: false }])
})

test('the list says what the agents of a conversation came to, also after a restart', async () => {
  const store = createMemoryStore()
  const troupe = create(store)
  const conversationId = await troupe.begin('Go')
  await troupe.runtime.settled(conversationId)
  const totalsIn = async ({ runtime }: TestRuntime) => (await runtime.conversations())[0]?.totals
  const open = await totalsIn(troupe)
  expect(open).toMatchObject({
    agents: 1,
    colors: [],
    lastLine: 'ok',
    branch: 'main',
    added: 0,
    priced: expect.any(Boolean),
  })
  expect(open?.tokens).toBeGreaterThan(0)
  await troupe.runtime.close()
  expect(await totalsIn(create(store))).toEqual(open)
})
