import { expect, test } from 'vitest'
import type { ConversationSummary } from '../../shared/state/conversation-summary.ts'
import { createMemoryStore, type MemoryStore } from './testing/memory-store.ts'
import type { Script } from './testing/scripted-model.ts'
import { createTestRuntime, FOLDER, type TestRuntime } from './testing/test-runtime.ts'

const outcomeOf = async ({ runtime }: TestRuntime, id: string) =>
  (await runtime.conversations()).find((summary) => summary.id === id)?.outcome
const again = (store: MemoryStore) => createTestRuntime({ store, script: () => ({ text: 'never asked' }) })

async function run(script: Script, maxTurns = 20) {
  const store = createMemoryStore()
  const troupe = createTestRuntime({ store, script })
  const created = await troupe.runtime.dispatch({
    type: 'conversation.create',
    folder: FOLDER,
    model: 'sonnet',
    permissionMode: 'default',
    maxTurns,
  })
  if (!created.ok) throw new Error(created.failure.message)
  const { id } = created.value
  expect(created.value.outcome).toBeNull()
  await troupe.say(id, 'Go')
  await troupe.runtime.settled(id)
  return { troupe, store, id }
}

const cases: readonly (readonly [NonNullable<ConversationSummary['outcome']>['kind'], Script])[] = [
  ['done', () => ({ text: 'Done.' })],
  ['failed', () => ({ failure: { type: 'auth', message: 'The key was refused.' } })],
  [
    'limit',
    ({ toolChoice }) =>
      toolChoice === 'none' ? { text: 'So far.' } : { calls: [['TodoWrite', { todos: [] }]] },
  ],
]

test.each(cases)('the list says how a conversation ended: %s, also after a restart', async (kind, script) => {
  const { troupe, store, id } = await run(script, 2)
  const outcome = await outcomeOf(troupe, id)
  expect(outcome).toEqual({ kind, at: expect.any(Number) })
  await troupe.runtime.close()
  expect(await outcomeOf(again(store), id)).toEqual(outcome)
})

test('the latest run counts', async () => {
  let asked = 0
  const { troupe, id } = await run(() => (++asked === 1 ? { failure: { type: 'auth' } } : { text: 'Done.' }))
  const before = await outcomeOf(troupe, id)
  await troupe.say(id, 'Again')
  await troupe.runtime.settled(id)
  const after = await outcomeOf(troupe, id)
  expect(after?.kind).toBe('done')
  expect(after?.at).toBeGreaterThan(before?.at ?? Infinity)
})

test('the user’s stop is an outcome too', async () => {
  const troupe = createTestRuntime({ script: () => new Promise(() => {}) })
  const id = await troupe.begin('Go')
  await troupe.when('request-started')
  await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
  expect((await outcomeOf(troupe, id))?.kind).toBe('stopped')
})

test('a conversation whose program died while it worked is interrupted, before and after it is opened', async () => {
  const store = createMemoryStore()
  const troupe = createTestRuntime({ store, script: () => new Promise(() => {}) })
  const id = await troupe.begin('Go')
  await troupe.when('request-started')
  expect(await outcomeOf(troupe, id)).toBeNull()
  const after = again(store.afterCrash())
  expect((await outcomeOf(after, id))?.kind).toBe('interrupted')
  await after.runtime.dispatch({
    type: 'conversation.setMode',
    conversationId: id,
    permissionMode: 'default',
  })
  expect((await outcomeOf(after, id))?.kind).toBe('interrupted')
})

test('a log from before outcomes were recorded says nothing', async () => {
  const { store, troupe, id } = await run(() => ({ text: 'Done.' }))
  await troupe.runtime.close()
  const record = store.records.get(id)
  if (record === undefined) throw new Error('no record')
  const { outcome: _, ...old } = record
  store.records.set(id, old)
  expect(await outcomeOf(again(store), id)).toBeNull()
})
