import { expect, test } from 'vitest'
import { createMemoryStore } from '../testing/memory-store.ts'
import { agentCall, childrenOf, isMain, turnOf } from '../testing/scripts.ts'
import { createTestRuntime, testDefinitions } from '../testing/test-runtime.ts'

const definitions = testDefinitions.map((definition) =>
  definition.name === 'Explore' ? { ...definition, color: 'green' } : definition,
)

test('eight agents of one definition have eight colors, the first one that of the definition', async () => {
  const store = createMemoryStore()
  let tasks = ['a', 'b', 'c']
  const start = () =>
    createTestRuntime({
      store,
      definitions,
      script: (request) =>
        isMain(request) && turnOf(request) % 2 === 1
          ? { calls: tasks.map((task) => agentCall(task, { subagent_type: 'Explore' })) }
          : { text: 'done' },
    })
  const colorsOf = (troupe: ReturnType<typeof start>) =>
    childrenOf(troupe).map((agent) => agent.definition.color)
  const before = start()
  const id = await before.begin('Go')
  await before.runtime.settled(id)
  await before.runtime.close()
  const first = colorsOf(before)
  expect(first[0]).toBe('green')

  // Agents of an earlier session count.
  tasks = ['d', 'e', 'f', 'g', 'h', 'i']
  const after = start()
  await after.say(id, 'More')
  await after.runtime.settled(id)
  const all = [...first, ...colorsOf(after)]
  expect(new Set(all.slice(0, 8)).size).toBe(8)
})
