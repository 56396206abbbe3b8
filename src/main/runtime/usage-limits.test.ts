import { describe, expect, test } from 'vitest'
import { limitedInOrder } from '../../shared/state/limit-wait.ts'
import type { ModelRequest } from './ports/model.ts'
import { createHandClock, type HandClock } from './testing/hand-clock.ts'
import { createMemoryStore } from './testing/memory-store.ts'
import { freePolicy } from './testing/plain-ports.ts'
import type { Scripted } from './testing/scripted-model.ts'
import { eventsOf, isMain } from './testing/scripts.ts'
import { createTestRuntime, type TestOptions, type TestRuntime } from './testing/test-runtime.ts'

const HOUR = 3_600_000
const COUNT = 30
const taskOf = (request: ModelRequest) => /Do (task-\d+)\./.exec(JSON.stringify(request.messages))?.[1] ?? ''

interface Asked {
  readonly task: string
  readonly at: number
}

/** An API that allows each agent one request, and then refuses all until `end`. */
function limitedApi(time: HandClock, end: { at: number }) {
  const asked: Asked[] = []
  const script = (request: ModelRequest): Scripted => {
    const at = time.clock.now()
    const isFirst = !request.messages.some(({ role }) => role === 'assistant')
    asked.push({ task: isMain(request) ? 'main' : taskOf(request), at })
    if (!isFirst && at < end.at) return { failure: { type: 'rate-limited', retryAfterMs: end.at - at } }
    if (!isMain(request))
      return isFirst ? { calls: [['TodoWrite', { todos: [] }]] } : { text: `${taskOf(request)} done` }
    if (!isFirst) return { text: 'All done.' }
    const names = Array.from({ length: COUNT }, (_, index) => `task-${index}`)
    return { calls: names.map((name) => ['Agent', { description: name, prompt: `Do ${name}.` }]) }
  }
  return { asked, script }
}

function limited({ store = createMemoryStore(), time = createHandClock(), end = { at: 2 * HOUR } } = {}) {
  const api = limitedApi(time, end)
  const { agent, conversation } = freePolicy.limits
  const options: TestOptions = {
    store,
    ports: { clock: time.clock },
    policy: {
      maxParallelAgents: 10,
      // Shorter than the wait, which does not count.
      limits: {
        ...freePolicy.limits,
        agent: { ...agent, ms: HOUR },
        conversation: { ...conversation, ms: HOUR },
      },
    },
    script: api.script,
  }
  return { troupe: createTestRuntime(options), store, time, end, asked: api.asked, options }
}

async function states(troupe: TestRuntime, id: string) {
  const snapshot = await troupe.runtime.snapshot(id)
  if (!snapshot.ok) throw new Error(snapshot.failure.message)
  return snapshot.value.agents
}

const order = (asked: readonly Asked[]) =>
  [...new Set(asked.map(({ task }) => task))].filter((task) => task !== 'main')

describe('30 agents that meet a usage limit hours away', () => {
  test('wait in their order without slots, requests and timers; one asks at the end, then all follow', async () => {
    const { troupe, time, asked } = limited()
    const id = await troupe.begin('Go')
    await time.until(1000)
    const waiting = limitedInOrder(await states(troupe, id))
    // More agents than slots: a waiting agent holds none.
    expect(waiting).toHaveLength(COUNT)
    for (const agent of waiting) expect(agent).toMatchObject({ waitingFor: 'limit', limitedUntil: 2 * HOUR })
    expect((await states(troupe, id))[0]).toMatchObject({
      status: 'waiting',
      waitingFor: 'limit',
      retry: null,
    })
    const [requests, events] = [asked.length, troupe.events.length]
    await time.until(2 * HOUR - 1)
    expect(asked).toHaveLength(requests)
    expect(troupe.events).toHaveLength(events)
    expect(time.sleepers).toBeLessThan(5)
    await time.until(2 * HOUR)
    expect(asked).toHaveLength(requests + 1)
    await time.until(2 * HOUR + 60_000)
    expect((await troupe.runtime.settled(id)).lastLine).toBe('All done.')
    expect(order(asked.slice(requests))).toEqual(waiting.map(({ task }) => task))
    for (const agent of await states(troupe, id)) {
      expect(agent.status).toBe(agent.parentId === null ? 'waiting' : 'completed')
      expect(agent.turns).toBe(2)
      expect(agent.workedMs).toBeLessThan(HOUR)
      // Nothing was done twice.
      const calls = eventsOf(troupe, agent.id).filter(({ type }) => type === 'tool-started')
      expect(calls).toHaveLength(agent.parentId === null ? COUNT : 1)
    }
    expect((await states(troupe, id)).length).toBe(COUNT + 1)
  })

  test('a limit that lasts longer than announced costs one request, and moves all waits', async () => {
    const { troupe, time, asked, end } = limited()
    const id = await troupe.begin('Go')
    await time.until(1000)
    const requests = asked.length
    end.at = 5 * HOUR
    await time.until(5 * HOUR - 1)
    expect(asked.slice(requests)).toMatchObject([{ at: 2 * HOUR }])
    for (const agent of limitedInOrder(await states(troupe, id))) expect(agent.limitedUntil).toBe(5 * HOUR)
    await time.until(5 * HOUR + 60_000)
    expect((await troupe.runtime.settled(id)).lastLine).toBe('All done.')
  })

  test('“Try now” releases one agent, and a change of the key all', async () => {
    const { troupe, time, asked, end } = limited()
    const id = await troupe.begin('Go')
    await time.until(1000)
    const waiting = limitedInOrder(await states(troupe, id))
    const third = waiting[2]!
    const requests = asked.length
    await troupe.runtime.dispatch({ type: 'agent.retry', conversationId: id, agentId: third.id })
    await time.until(2000)
    expect(asked.slice(requests)).toEqual([{ task: third.task, at: 1000 }])
    // It waits again, in its old place.
    expect(limitedInOrder(await states(troupe, id)).length).toBe(COUNT)
    end.at = 0
    troupe.runtime.accessChanged()
    await time.until(60_000)
    expect((await troupe.runtime.settled(id)).lastLine).toBe('All done.')
    expect(order(asked.slice(requests + 1))).toHaveLength(COUNT)
  })

  test('the first agent in the order may be paused or stopped: the next one asks', async () => {
    const { troupe, time, asked } = limited()
    const id = await troupe.begin('Go')
    await time.until(1000)
    const [first, second, third] = limitedInOrder(await states(troupe, id))
    await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId: first!.id })
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId: second!.id })
    const requests = asked.length
    await time.until(3 * HOUR)
    expect(asked[requests]?.task).toBe(third!.task)
    expect(troupe.runtime.state(id, first!.id)?.status).toBe('paused')
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: first!.id })
    await time.until(4 * HOUR)
    expect((await troupe.runtime.settled(id)).lastLine).toBe('All done.')
  })

  test('after a restart all are resumed at the end of the limit, none twice, and nothing is asked before', async () => {
    const first = limited()
    const id = await first.troupe.begin('Go')
    await first.time.until(1000)
    await first.troupe.runtime.close()
    const second = limited({ store: first.store, time: createHandClock(HOUR) })
    const before = await states(second.troupe, id)
    expect(before.filter(({ limitedUntil }) => limitedUntil === 2 * HOUR)).toHaveLength(COUNT)
    expect(await second.troupe.runtime.resumeLimited()).toEqual([id])
    await second.time.until(2 * HOUR - 1)
    expect(second.asked).toEqual([])
    expect(limitedInOrder(await states(second.troupe, id)).length).toBeGreaterThanOrEqual(COUNT)
    await second.time.until(3 * HOUR)
    await second.troupe.runtime.settled(id)
    const after = await states(second.troupe, id)
    expect(after).toHaveLength(COUNT + 1)
    expect(order(second.asked)).toHaveLength(COUNT)
    for (const { parentId, status } of after) expect(status).toBe(parentId === null ? 'waiting' : 'completed')
    // Where the limit is over already, they go on at once.
    expect(await second.troupe.runtime.resumeLimited()).toEqual([])
  })
})
