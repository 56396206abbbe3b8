import { expect, test } from 'vitest'
import type { EventOf } from '../../shared/events/agent-event.ts'
import { retryDelay } from './loop/request-model.ts'
import { createHandClock } from './testing/hand-clock.ts'
import type { Scripted } from './testing/scripted-model.ts'
import { lastWords } from './testing/scripted-model.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

test('a 429 delays every agent on the key, a second one extends the wait, and each panel shows its end', async () => {
  const time = createHandClock()
  const answers: Record<string, Scripted[]> = {
    one: [{ failure: { type: 'rate-limited', retryAfterMs: 30_000 } }, { text: 'one done' }],
    two: [{ text: 'two done' }],
    three: [{ calls: [['TodoWrite', { todos: [] }]] }, { text: 'three done' }],
  }
  const held: Record<string, (answer: Scripted) => void> = {}
  const troupe = createTestRuntime({
    ports: { clock: time.clock },
    script: (request) => {
      const name = /Do (\w+)\./.exec(JSON.stringify(request.messages))?.[1]
      const isMain = request.system.includes('You are the main agent.')
      if (isMain && request.messages.length > 1) return { text: `Got: ${lastWords(request)}` }
      if (isMain)
        return {
          calls: ['one', 'two', 'three'].map((task) => [
            'Agent',
            { description: task, prompt: `Do ${task}.` },
          ]),
        }
      // Each first request is under way until the test answers it.
      if (name !== undefined && !(name in held))
        return new Promise<Scripted>((resolve) => {
          held[name] = resolve
        })
      return answers[name ?? '']?.shift() ?? { text: 'unexpected' }
    },
  })
  const id = await troupe.begin('Go')
  await time.until(1000)
  const agentOf = (task: string) =>
    troupe.events.find((event) => event.type === 'agent-spawned' && event.task === task)?.agentId ?? ''
  const started = (task: string) =>
    troupe.events
      .filter(
        (event): event is EventOf<'request-started'> =>
          event.type === 'request-started' && event.agentId === agentOf(task),
      )
      .map(({ at }) => at)
  const retryOf = (task: string) => troupe.runtime.state(id, agentOf(task))?.retry

  // Agent one gets a 429. Agent three gets its answer and continues: it waits as well, and reports it.
  held['one']?.(answers['one']!.shift()!)
  await time.until(2000)
  held['three']?.(answers['three']!.shift()!)
  await time.until(3000)
  expect(retryOf('one')?.at).toBe(31_125)
  expect(retryOf('three')).toMatchObject({ at: 31_125, failure: { type: 'rate-limited' } })
  expect(started('three')).toHaveLength(1)
  // The wait may be long, so the result of its tool is flushed first.
  const three = agentOf('three')
  expect(troupe.store.flushed.get(three)).toBe(troupe.store.logs.get(three)?.length)

  // Agent two, still running, gets a longer wait, which applies to the others too.
  held['two']?.({ failure: { type: 'rate-limited', retryAfterMs: 60_000 } })
  await time.until(60_000)
  expect([started('one'), started('two'), started('three')].map((times) => times.length)).toEqual([1, 1, 1])
  expect(retryOf('three')?.at).toBe(63_125)
  expect(retryOf('one')?.at).toBe(63_125)

  await time.until(64_000)
  await troupe.runtime.settled(id)
  const later = ['one', 'two', 'three'].map((task) => started(task)[1] ?? 0)
  expect(Math.min(...later)).toBeGreaterThanOrEqual(63_000)
  // Jitter keeps agents from starting at the same instant.
  expect(troupe.runtime.state(id, agentOf('three'))?.lastLine).toBe('three done')
})

test('with another key no agent waits for the first key’s limit', async () => {
  const time = createHandClock()
  let asked = 0
  const troupe = createTestRuntime({
    ports: { clock: time.clock },
    script: () =>
      ++asked === 1 ? { failure: { type: 'rate-limited', retryAfterMs: 3_600_000 } } : { text: 'done' },
  })
  const id = await troupe.begin('Go')
  await time.until(1000)
  expect(asked).toBe(1)
  troupe.runtime.accessChanged()
  expect((await troupe.runtime.settled(id)).lastLine).toBe('done')
  expect(asked).toBe(2)
})

test('the user retries one agent at once, also during a rate limit; the others keep waiting', async () => {
  const time = createHandClock()
  const asked: string[] = []
  const limited = { failure: { type: 'rate-limited', retryAfterMs: 3_600_000 } } as const
  const troupe = createTestRuntime({
    ports: { clock: time.clock },
    script: (request) => {
      const isMain = request.system.includes('You are the main agent.')
      if (isMain && request.messages.length > 1) return { text: `Got: ${lastWords(request)}` }
      if (isMain)
        return {
          calls: ['one', 'two'].map((task) => ['Agent', { description: task, prompt: `Do ${task}.` }]),
        }
      const name = /Do (\w+)\./.exec(JSON.stringify(request.messages))?.[1] ?? ''
      asked.push(name)
      return asked.filter((other) => other === name).length === 1 ? limited : { text: `${name} done` }
    },
  })
  const id = await troupe.begin('Go')
  await time.until(1000)
  const idOf = (task: string) =>
    troupe.events.find((event) => event.type === 'agent-spawned' && event.task === task)?.agentId ?? ''
  const [one, two] = [idOf('one'), idOf('two')]
  expect(asked.toSorted()).toEqual(['one', 'two'])
  expect(await troupe.runtime.dispatch({ type: 'agent.retry', conversationId: id, agentId: one })).toEqual({
    ok: true,
    value: undefined,
  })
  await time.until(2000)
  expect(troupe.runtime.state(id, one)?.lastLine).toBe('one done')
  expect(troupe.runtime.state(id, two)?.retry).not.toBeNull()
  expect(
    await troupe.runtime.dispatch({ type: 'agent.retry', conversationId: id, agentId: one }),
  ).toMatchObject({ ok: false, failure: { type: 'ended' } })
  expect(
    await troupe.runtime.dispatch({ type: 'agent.retry', conversationId: id, agentId: two }),
  ).toMatchObject({ ok: true })
  await time.until(3000)
  expect(asked.toSorted()).toEqual(['one', 'one', 'two', 'two'])
})

test('a retry that the user asked for fails again and waits again', async () => {
  const time = createHandClock()
  let asked = 0
  const troupe = createTestRuntime({
    ports: { clock: time.clock },
    script: () =>
      ++asked < 3 ? { failure: { type: 'overloaded', retryAfterMs: 60_000 } } : { text: 'done' },
  })
  const id = await troupe.begin('Go')
  await time.until(100)
  const [main] = troupe.events
  expect(asked).toBe(1)
  await troupe.runtime.dispatch({ type: 'agent.retry', conversationId: id, agentId: main?.agentId ?? '' })
  await time.until(200)
  expect(asked).toBe(2)
  expect(troupe.runtime.state(id, main?.agentId ?? '')?.retry?.attempt).toBe(2)
  await time.until(90_000)
  expect((await troupe.runtime.settled(id)).lastLine).toBe('done')
})

test('a server with retry-after 0 that fails again gets requests at growing intervals', () => {
  const failure = { type: 'rate-limited', message: '', status: 429, retryAfterMs: 0 } as const
  const delays = [1, 2, 3, 8].map((attempt) => retryDelay(failure, attempt, () => 0.5))
  expect(delays).toEqual([1000, 2000, 4000, null])
  // Any other retry-after is obeyed: no request starts earlier.
  expect(retryDelay({ ...failure, retryAfterMs: 90_000 }, 1, () => 0)).toBe(90_000)
  expect(retryDelay({ ...failure, retryAfterMs: 90_000 }, 1, () => 0.9)).toBe(90_225)
})

test('a request that is answered against the format is repeated twice, within seconds', () => {
  const failure = { type: 'server', message: '', status: null, retryAfterMs: null, isInvalid: true } as const
  expect([1, 2, 3].map((attempt) => retryDelay(failure, attempt, () => 0.5))).toEqual([1000, 2000, null])
})

test('a limit that another process with the key was told delays the agents here, and ours is told to the others', async () => {
  const time = createHandClock()
  const told: number[] = []
  let tell: (until: number) => void = () => {}
  let asked = 0
  const troupe = createTestRuntime({
    ports: { clock: time.clock },
    runtime: {
      limits: {
        publish: (until) => told.push(until),
        subscribe: (listener) => {
          tell = listener
          return () => {
            tell = () => {}
          }
        },
        keyChanged: () => {},
      },
    },
    script: () =>
      ++asked === 1 ? { failure: { type: 'rate-limited', retryAfterMs: 10_000 } } : { text: 'done' },
  })
  tell(30_000)
  const id = await troupe.begin('Go')
  await time.until(29_000)
  expect(asked).toBe(0)
  expect((await troupe.runtime.snapshot(id)).ok).toBe(true)
  expect(troupe.events).toContainEqual(
    expect.objectContaining({ type: 'request-failed', retryAt: 30_000, attempt: 0 }),
  )
  // What came from outside is not told again.
  expect(told).toEqual([])
  await time.until(32_000)
  expect(asked).toBe(1)
  expect(told).toHaveLength(1)
  expect(told[0]).toBeGreaterThanOrEqual(40_000)
  await time.until(60_000)
  expect((await troupe.runtime.settled(id)).lastLine).toBe('done')
  await troupe.runtime.close()
  expect(() => tell(90_000)).not.toThrow()
})
