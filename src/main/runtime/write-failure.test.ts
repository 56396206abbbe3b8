import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import { createMemoryStore, type MemoryStore } from './testing/memory-store.ts'
import { lastWords } from './testing/scripted-model.ts'
import { gate, turnOf } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const isMain = (request: { system: string }) => request.system.includes('You are the main agent.')
const agentCall = (task: string) => ['Agent', { description: task, prompt: `Do ${task}.` }] as const

/** The agents whose logs can't be written now, by conversation, as the runtime reports them. */
function onWriteFailure(troupe: TestRuntime) {
  const now = new Map<string, { readonly agentIds: readonly string[]; readonly message: string }>()
  const fixed: string[] = []
  const waiters = new Set<() => void>()
  troupe.runtime.subscribe((delta) => {
    if (delta.type !== 'write-failure') return
    if (delta.agentIds.length === 0) {
      fixed.push(delta.conversationId)
      now.delete(delta.conversationId)
    } else now.set(delta.conversationId, delta)
    for (const check of waiters) check()
  })
  const until = (isSo: () => boolean) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (!isSo()) return
        waiters.delete(check)
        resolve()
      }
      waiters.add(check)
      check()
    })
  return {
    now,
    fixed,
    until,
    of: (id: string, agents: number) => until(() => now.get(id)?.agentIds.length === agents),
  }
}

/** The disk has each agent's flushed events in order, without gaps or duplicates. */
function onDisk(store: MemoryStore): readonly (readonly AgentEvent[])[] {
  return [...store.afterCrash().logs.values()]
}

describe('while the log can’t be written', () => {
  test('every agent with events to save waits, and after the retry every event is there once, in order', async () => {
    const store = createMemoryStore()
    let hasFailed = false
    const troupe = createTestRuntime({
      store,
      script: (request) => {
        const fresh = !request.messages.some((message) => message.role === 'assistant')
        if (isMain(request))
          return fresh ? { calls: [agentCall('one'), agentCall('two')] } : { text: 'all done' }
        if (!fresh) return { text: `report: ${lastWords(request)}` }
        if (!hasFailed) store.trouble = 'The disk is full.'
        hasFailed = true
        return { calls: [['Bash', { command: `echo ${lastWords(request)}` }]] }
      },
      shell: async (run) => ({ output: 'ran', exitCode: 0, ended: 'exit', cwd: run.cwd }),
      policy: { bypassAllowed: () => true },
    })
    const trouble = onWriteFailure(troupe)
    const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    await trouble.of(id, 2)
    expect(trouble.now.get(id)?.message).toBe('The disk is full.')
    const asked = troupe.model.requests.length

    // The retry failed: both still wait, and no request was made.
    store.trouble = 'The disk reported an error.'
    expect(
      await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id }),
    ).toMatchObject({
      ok: false,
      failure: { message: 'The disk reported an error.' },
    })
    expect(trouble.now.get(id)).toMatchObject({ message: 'The disk reported an error.' })
    expect(trouble.now.get(id)?.agentIds).toHaveLength(2)
    expect(trouble.fixed).toEqual([])
    expect(troupe.model.requests).toHaveLength(asked)

    store.trouble = null
    expect(await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })).toEqual({
      ok: true,
      value: undefined,
    })
    const state = await troupe.runtime.settled(id)
    expect(state.lastLine).toBe('all done')
    expect(trouble.now.size).toBe(0)
    for (const log of onDisk(store)) expect(log.map(({ seq }) => seq)).toEqual([...log.keys()])
    expect(onDisk(store).flat()).toHaveLength(troupe.events.length)
    const commands = onDisk(store)
      .flat()
      .filter(({ type }) => type === 'tool-ended')
    expect(commands).toHaveLength(4)
  })

  test('a stop does not wait for the disk, and unsaved events are kept', async () => {
    const troupe = createTestRuntime({ script: () => ({ text: 'done' }) })
    const trouble = onWriteFailure(troupe)
    const id = await troupe.begin('Go')
    await troupe.runtime.settled(id)
    troupe.store.trouble = 'The folder is gone.'
    await troupe.say(id, 'More')
    await trouble.of(id, 1)
    await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
    expect(trouble.now.get(id)).toMatchObject({ message: 'The folder is gone.' })

    troupe.store.trouble = null
    expect((await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })).ok).toBe(
      true,
    )
    expect(trouble.now.size).toBe(0)
    expect(onDisk(troupe.store).flat().at(-1)).toMatchObject({ type: 'agent-ended', status: 'stopped' })
    await troupe.say(id, 'Go on')
    expect((await troupe.runtime.settled(id)).lastLine).toBe('done')
  })

  test('each conversation retries on its own', async () => {
    const troupe = createTestRuntime({ script: (request) => ({ text: `said ${lastWords(request)}` }) })
    const trouble = onWriteFailure(troupe)
    const [one, two] = [await troupe.begin('one'), await troupe.begin('two')]
    for (const id of [one, two]) await troupe.runtime.settled(id)
    troupe.store.trouble = 'The disk is full.'
    for (const id of [one, two]) await troupe.say(id, 'More')
    await trouble.of(one, 1)
    await trouble.of(two, 1)
    troupe.store.trouble = null
    await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: one })
    expect((await troupe.runtime.settled(one)).lastLine).toBe('said More')
    expect([...trouble.now.keys()]).toEqual([two])
    await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: two })
    expect((await troupe.runtime.settled(two)).lastLine).toBe('said More')
  })
})

test('messages taken before a stop on a full disk leave the queue once the disk accepts them', async () => {
  const working = gate()
  const troupe = createTestRuntime({
    script: async (request) => {
      if (isMain(request)) return turnOf(request) === 1 ? { calls: [agentCall('one')] } : { text: 'fine' }
      await working.opened
      troupe.store.trouble = 'The disk is full.'
      return { calls: [['TodoWrite', { todos: [] }]] }
    },
  })
  const trouble = onWriteFailure(troupe)
  const id = await troupe.begin('Go')
  const { agentId } = await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
  await troupe.when('request-started', (event) => event.agentId === agentId)
  await troupe.runtime.dispatch({ type: 'conversation.send', conversationId: id, agentId, content: 'And b.' })
  working.open()
  await trouble.of(id, 1)
  await troupe.runtime.dispatch({ type: 'conversation.stop', conversationId: id })
  troupe.store.trouble = null
  await troupe.runtime.dispatch({ type: 'conversation.retryLog', conversationId: id })
  expect(JSON.stringify(onDisk(troupe.store).flat())).toContain('And b.')
  expect(troupe.store.records.get(id)?.queued).toEqual([])
})
