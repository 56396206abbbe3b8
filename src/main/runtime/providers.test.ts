/** Agents whose models have other providers. */
import { expect, test } from 'vitest'
import { fail } from '../../shared/kernel/result.ts'
import { spendingOf } from './loop/model-cost.ts'
import { agentCall, childrenOf, echo, eventsOf, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, testDefinitions } from './testing/test-runtime.ts'

const price = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }
const facts = (id: string) =>
  id.startsWith('lab/')
    ? { id, price: null, contextTokens: 200_000, provider: 'lab', tools: id !== 'lab/mute' }
    : { id, price, contextTokens: 200_000 }
const resolve = (name: string, below?: string) =>
  below?.startsWith('lab/') && !name.includes('/') ? below : name
const models = { resolve, facts }
const worker = (model: string) => [...testDefinitions, { ...testDefinitions[1]!, name: 'w', model }]

test('a rate limit of a provider delays its agents only', async () => {
  const waits: number[] = []
  let now = 1
  const asked: string[] = []
  const troupe = createTestRuntime({
    definitions: worker('claude-b'),
    script: echo,
    ports: {
      models,
      clock: {
        now: () => now,
        sleep: async (ms, signal) => {
          // The agent of the other key is asked meanwhile.
          waits.push(ms)
          if (asked.length === 1) {
            const second = await troupe.runtime.dispatch({
              type: 'conversation.create',
              ...conversation,
              model: 'claude-b',
            })
            if (second.ok) {
              await troupe.say(second.value.id, 'Go')
              await troupe.runtime.settled(second.value.id)
            }
          }
          if (!signal.aborted) now += ms
        },
      },
      model: {
        request: async ({ model }) => {
          asked.push(model)
          return asked.length === 1
            ? fail({ type: 'rate-limited', message: 'busy', status: 429, retryAfterMs: 30_000 })
            : fail({ type: 'bad-request', message: 'enough', status: 400, retryAfterMs: null })
        },
      },
    },
  })
  const first = await troupe.runtime.dispatch({
    type: 'conversation.create',
    ...conversation,
    model: 'lab/a',
  })
  if (!first.ok) throw new Error(first.failure.message)
  await troupe.say(first.value.id, 'Go')
  await troupe.runtime.settled(first.value.id)
  expect(asked).toEqual(['lab/a', 'claude-b', 'lab/a'])
  expect(waits).toHaveLength(1)
})

const conversation = { folder: '/project', permissionMode: 'default', rehearsal: false } as const

test.each([
  ['inherit', 'lab/a', 'lab/a'],
  ['claude-b', 'lab/a', 'lab/a'],
  ['lab/b', 'lab/a', 'lab/b'],
  ['lab/b', 'claude-b', 'lab/b'],
])('a subagent with the model %s below %s runs on %s', async (own, parent, expected) => {
  const troupe = createTestRuntime({
    definitions: worker(own),
    script: script([{ calls: [agentCall('one', { subagent_type: 'w' })] }, echo], echo),
    ports: { models },
  })
  const made = await troupe.runtime.dispatch({ type: 'conversation.create', ...conversation, model: parent })
  if (!made.ok) throw new Error(made.failure.message)
  await troupe.say(made.value.id, 'Go')
  await troupe.runtime.settled(made.value.id)
  expect(troupe.model.requests.filter((request) => !isMain(request)).map(({ model }) => model)).toEqual([
    expected,
  ])
  const [child] = childrenOf(troupe)
  const told = JSON.stringify(eventsOf(troupe, child?.agentId))
  expect(told.includes('lab has no model claude-b')).toBe(own === 'claude-b')
})

test('an agent whose model can’t call tools says so at its start', async () => {
  const troupe = createTestRuntime({ script: echo, ports: { models } })
  const made = await troupe.runtime.dispatch({
    type: 'conversation.create',
    ...conversation,
    model: 'lab/mute',
  })
  if (!made.ok) throw new Error(made.failure.message)
  expect(troupe.events.find(({ type }) => type === 'notice')).toMatchObject({
    level: 'warning',
    text: expect.stringContaining('lab/mute can’t call tools'),
  })
})

test('a provider’s reply has no price of another server’s model', () => {
  const usage = { input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 }
  expect(spendingOf({ model: 'claude-b', usage }, 'lab/a', models).costUsd).toBeNull()
  expect(spendingOf({ model: 'claude-b', usage }, 'gateway-name', models).costUsd).toBe(1)
})
