import { describe, expect, test } from 'vitest'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, eventsOf, gate, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const tasks = (troupe: TestRuntime) => new Map(childrenOf(troupe).map(({ task, agentId }) => [task, agentId]))

describe('a paused agent', () => {
  test('stops before its next request while siblings continue, and resumes there', async () => {
    const work = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one'), agentCall('two')] }, echo], async (request) => {
        if (request.messages.length > 1) return { text: `done: ${lastWords(request)}` }
        await work.opened
        return { calls: [['TodoWrite', { todos: [] }]] }
      }),
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('agent-spawned', ({ task }) => task === 'one')
    await troupe.when('request-started', (event) => event.agentId === agentId)
    expect(await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })).toMatchObject(
      { ok: true },
    )
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'running', pauseWanted: true })

    work.open()
    await troupe.when('status-changed', (event) => event.status === 'paused' && event.agentId === agentId)
    await troupe.when('agent-ended', (event) => event.agentId === tasks(troupe).get('two'))
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'paused' })
    const onDisk = (troupe.store.logs.get(agentId) ?? []).slice(0, troupe.store.flushed.get(agentId))
    expect(onDisk.map(({ type }) => type)).toContain('assistant-message')
    const requests = troupe.model.requests.length

    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
    const state = await troupe.runtime.settled(id)
    expect(state.status).toBe('waiting')
    expect(troupe.model.requests.length).toBeGreaterThan(requests)
    expect(lastWords(troupe.model.requests.at(-1)!)).toContain('done:')
    expect(eventsOf(troupe, agentId).filter(({ type }) => type === 'pause-changed')).toHaveLength(2)
  })

  test('starts no further tool, and holds no slot', async () => {
    const troupe = createTestRuntime({
      policy: { maxParallelAgents: 1 },
      script: script([{ calls: [agentCall('one'), agentCall('two')] }, echo], (request) => {
        if (request.messages.length > 1) return { text: 'done' }
        const isOne = lastWords(request).startsWith('Do one.')
        if (isOne)
          void troupe.runtime.dispatch({
            type: 'agent.pause',
            conversationId: id,
            agentId: tasks(troupe).get('one') ?? '',
          })
        return { calls: [['Bash', { command: isOne ? 'ls one' : 'ls two' }]] }
      }),
    })
    let id = ''
    id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
    // With one slot, the second agent runs although the first has not ended.
    await troupe.when('agent-ended', (event) => event.agentId === tasks(troupe).get('two'))
    const one = tasks(troupe).get('one') ?? ''
    expect(eventsOf(troupe, one).some(({ type }) => type === 'tool-started')).toBe(false)
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId: one })
    await troupe.runtime.settled(id)
    expect(eventsOf(troupe, one).some(({ type }) => type === 'tool-started')).toBe(true)
  })

  test('reads messages received during the pause when it continues', async () => {
    const work = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], async (request) => {
        if (request.messages.length > 1) return { text: lastWords(request) }
        await work.opened
        return { calls: [['TodoWrite', { todos: [] }]] }
      }),
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
    await troupe.when('request-started', (event) => event.agentId === agentId)
    await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })
    work.open()
    await troupe.when('status-changed', (event) => event.status === 'paused')
    const sent = await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: 'Mind the gap.',
    })
    expect(sent).toMatchObject({ value: { queued: true } })
    await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
    await troupe.runtime.settled(id)
    expect(troupe.runtime.state(id, agentId)?.report).toContain('Mind the gap.')
  })

  test('is not paused at the next message if it is a main agent that ended before the pause', async () => {
    const work = gate()
    const troupe = createTestRuntime({
      script: async () => {
        await work.opened
        return { text: 'ok' }
      },
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('request-started')
    await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })
    work.open()
    expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting', pauseWanted: false })
    await troupe.say(id, 'More')
    expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting' })
    expect(troupe.model.requests).toHaveLength(2)
  })

  test('can be stopped, and an agent that is not running can’t be paused', async () => {
    const troupe = createTestRuntime({
      script: (request) =>
        request.messages.length > 1 ? { text: 'ok' } : { calls: [['TodoWrite', { todos: [] }]] },
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('agent-spawned')
    await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })
    await troupe.when('status-changed', (event) => event.status === 'paused')
    await troupe.runtime.dispatch({ type: 'agent.stop', conversationId: id, agentId })
    expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'stopped', pauseWanted: false })
    expect(await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })).toMatchObject(
      {
        ok: false,
        failure: { type: 'ended' },
      },
    )
    expect(
      await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId: 'a-nobody' }),
    ).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
  })
})
