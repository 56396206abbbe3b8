import { describe, expect, test } from 'vitest'
import { ok } from '../../shared/kernel/result.ts'
import type { ModelClient, ModelRequest } from './ports/model.ts'
import { lastWords, type Scripted } from './testing/scripted-model.ts'
import { agentCall, allIsDone, childrenOf, echo, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const mainRequests = (troupe: TestRuntime) => troupe.model.requests.filter(isMain)
const text = (message: string) => [{ type: 'text', text: message }] as const

test('an agent paused during a retry countdown stops before the retry', async () => {
  let now = 0
  const countdown = gate()
  let failures = 1
  const troupe = createTestRuntime({
    ports: { clock: { now: () => now++, sleep: () => countdown.opened } },
    script: () => (failures-- > 0 ? { failure: { type: 'overloaded' } } : { text: 'done' }),
  })
  const id = await troupe.begin('Go')
  const { agentId } = await troupe.when('request-failed')
  await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })
  countdown.open()
  await allIsDone()
  expect(troupe.model.requests).toHaveLength(1)
  expect(troupe.runtime.state(id, agentId)).toMatchObject({ status: 'paused', retry: null })
  await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
  expect(await troupe.runtime.settled(id)).toMatchObject({ lastLine: 'done' })
})

test('a mode narrowed during a pause applies to the waiting call', async () => {
  const asked = gate()
  const troupe = createTestRuntime({
    script: async (request) => {
      if (request.messages.length > 1) return { text: lastWords(request) }
      await asked.opened
      return { calls: [['Write', { file_path: '/project/a.txt', content: 'a' }]] }
    },
  })
  const id = await troupe.begin('Go', { permissionMode: 'acceptEdits' })
  const { agentId } = await troupe.when('request-started')
  await troupe.runtime.dispatch({ type: 'agent.pause', conversationId: id, agentId })
  asked.open()
  await troupe.when('status-changed', ({ status }) => status === 'paused')
  await troupe.runtime.dispatch({ type: 'conversation.setMode', conversationId: id, permissionMode: 'plan' })
  await troupe.runtime.dispatch({ type: 'agent.continue', conversationId: id, agentId })
  await troupe.runtime.settled(id)
  expect(troupe.events.some(({ type }) => type === 'tool-started')).toBe(false)
})

test('calls of one message with the same id get unique ids in the conversation', async () => {
  const model: ModelClient = {
    request: async (request) => {
      const turn = request.messages.length
      requests.push(JSON.stringify(request.messages))
      const call = (todo: string) => {
        const todos = [{ content: todo, status: 'pending' }]
        return { type: 'tool_use' as const, id: 'call-0', name: 'TodoWrite', input: { todos } }
      }
      return ok({
        id: `msg-${turn}`,
        model: request.model,
        content: turn > 4 ? [{ type: 'text', text: 'done' }] : [call(`a${turn}`), call(`b${turn}`)],
        stopReason: turn > 4 ? 'end_turn' : 'tool_use',
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
        pace: [],
      })
    },
  }
  const requests: string[] = []
  const troupe = createTestRuntime({ ports: { model }, script: echo })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const sent = requests.at(-1) ?? ''
  const made = [...sent.matchAll(/"id":"(call-0[^"]*)"/g)].map(([, id]) => id)
  const answered = [...sent.matchAll(/"tool_use_id":"(call-0[^"]*)"/g)].map(([, id]) => id)
  expect(made).toHaveLength(4)
  expect(new Set(made).size).toBe(4)
  expect(answered).toEqual(made)
})

test('messages since the last answer follow the summary unchanged', async () => {
  const working = gate()
  const troupe = createTestRuntime({
    contextTokens: 1000,
    script: async (request) => {
      if (lastWords(request).includes('Write a summary')) return { text: 'The sum of it.' }
      if (request.messages.length > 1) return { text: lastWords(request) }
      if (lastWords(request).includes('The sum of it')) return { text: lastWords(request) }
      await working.opened
      return { calls: [['TodoWrite', { todos: [] }]], usage: { input: 990 } }
    },
  })
  const id = await troupe.begin('Go')
  await troupe.when('request-started')
  await troupe.say(id, 'And mind the gap.')
  working.open()
  await troupe.runtime.settled(id)
  const after = troupe.model.requests.at(-1)!
  expect(lastWords(after)).toContain('The sum of it.')
  expect(lastWords(after)).toContain('And mind the gap.')
})

describe('a message to a subagent in its last turn', () => {
  test('is read, although no turn is left', async () => {
    const working = gate()
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one', { max_turns: 1 })] }, echo], async (request) => {
        if (request.messages.length === 1) await working.opened
        return request.toolChoice === 'none'
          ? { text: `heard ${JSON.stringify(request.messages)}` }
          : { calls: [['TodoWrite', { todos: [] }]] }
      }),
    })
    const id = await troupe.begin('Go')
    const { agentId } = await troupe.when('agent-spawned', ({ parentId }) => parentId !== null)
    await troupe.when('request-started', (event) => event.agentId === agentId && event.turn === 1)
    working.open()
    await troupe.when('request-started', (event) => event.agentId === agentId && event.turn === 2)
    await troupe.runtime.dispatch({
      type: 'conversation.send',
      conversationId: id,
      agentId,
      content: text('Wait!'),
    })
    await troupe.runtime.settled(id)
    expect(lastWords(mainRequests(troupe).at(-1)!)).toContain('Wait!')
  })
})

test('a notice that an agent two levels up read is not sent again after a restart', async () => {
  const inner = gate()
  const done = gate()
  const troupe: TestRuntime = createTestRuntime({
    policy: { maxDepth: 3 },
    script: script([{ calls: [agentCall('outer')] }, echo], async (request) => {
      const task = lastWords(request)
      if (task === 'Do inner.') {
        await inner.opened
        return { text: 'inner is done' }
      }
      const isOuter = JSON.stringify(request.messages[0]).includes('Do outer.')
      if (request.messages.length === 1)
        return isOuter
          ? { calls: [agentCall('middle')] }
          : { calls: [agentCall('inner', { run_in_background: true })] }
      if (isOuter && request.messages.length === 3) {
        inner.open()
        await done.opened
        return { calls: [['TodoWrite', { todos: [] }]] }
      }
      return { text: 'through' }
    }),
  })
  const id = await troupe.begin('Go')
  const child = await troupe.when('agent-spawned', ({ task }) => task === 'inner')
  await troupe.when('agent-ended', ({ agentId }) => agentId === child.agentId)
  await allIsDone()
  done.open()
  await troupe.runtime.settled(id)
  const told = troupe.events.filter(
    (event) => event.type === 'user-message' && event.sender === child.agentId,
  )
  expect(told.map(({ agentId }) => agentId)).toEqual([childrenOf(troupe)[0]!.agentId])
  const after = createTestRuntime({
    store: troupe.store.afterCrash(),
    policy: { maxDepth: 3 },
    script: echo,
  })
  await after.say(id, 'And now?')
  await after.runtime.settled(id)
  expect(lastWords(after.model.requests[0]!)).toBe('And now?')
})

test('a notice does not resume an interrupted agent', async () => {
  const inner = gate()
  const troupe: TestRuntime = createTestRuntime({
    policy: { maxDepth: 2 },
    script: script([{ calls: [agentCall('outer')] }, echo], async (request) => {
      if (lastWords(request).startsWith('Do inner.')) {
        await inner.opened
        return { text: 'inner is done' }
      }
      if (request.messages.length === 1) return { calls: [agentCall('inner', { run_in_background: true })] }
      inner.open()
      return new Promise(() => {})
    }),
  })
  const id = await troupe.begin('Go')
  const child = await troupe.when('agent-spawned', ({ task }) => task === 'inner')
  await troupe.when('agent-ended', ({ agentId }) => agentId === child.agentId)
  await allIsDone()
  const after = createTestRuntime({ store: troupe.store.afterCrash(), script: echo })
  await after.say(id, 'And now?')
  await after.runtime.settled(id)
  expect(after.model.requests).toHaveLength(1)
  expect(lastWords(after.model.requests[0]!)).toContain('inner is done')
})

test('the main agent reads messages for an agent lost in a crash before its first write', async () => {
  const troupe = createTestRuntime({ script: echo })
  const id = await troupe.begin('Go')
  await troupe.runtime.settled(id)
  const store = troupe.store.afterCrash()
  const record = store.records.get(id)!
  const message = { messageId: 'm-1', agentId: 'a-new', from: 'user' as const, sender: null }
  const queued = [{ ...message, content: [...text('Mind the gap.')] }]
  store.records.set(id, { ...record, agentIds: [...record.agentIds, 'a-new'], queued })
  const after = createTestRuntime({ store, script: echo })
  await after.say(id, 'And now?')
  await after.runtime.settled(id)
  expect(lastWords(after.model.requests.at(-1)!)).toBe('Mind the gap.\nAnd now?')
  expect(store.records.get(id)?.queued).toEqual([])
})

test('calls are not run while the model’s tools are off', async () => {
  const troupe = createTestRuntime({
    script: script([{ calls: [agentCall('one', { max_turns: 1 })] }, echo], () => ({
      text: 'I must.',
      calls: [['TodoWrite', { todos: [] }]],
    })),
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  const one = childrenOf(troupe)[0]!.agentId
  const started = troupe.events.filter(({ type, agentId }) => type === 'tool-started' && agentId === one)
  expect(started).toHaveLength(1)
  expect(lastWords(mainRequests(troupe).at(-1)!)).toContain('I must.')
})

describe('a message that ends too early', () => {
  const settle = async (replies: readonly Scripted[]) => {
    const troupe = createTestRuntime({
      script: script([{ calls: [agentCall('one')] }, echo], (request) => {
        const asked = troupe.model.requests.filter((one) => !isMain(one)).length
        return replies[Math.min(asked, replies.length) - 1] ?? { text: `heard ${lastWords(request)}` }
      }),
    })
    await troupe.runtime.settled(await troupe.begin('Go'))
    const [child] = childrenOf(troupe)
    const end = troupe.events.findLast(
      (event) => event.type === 'agent-ended' && event.agentId === child?.agentId,
    )
    return {
      requests: troupe.model.requests.filter((request) => !isMain(request)),
      end: end?.type === 'agent-ended' ? end : null,
    }
  }

  test('thinking that was cut off is not sent back, and the model is told', async () => {
    const cut = { thinking: 'Hm, let me', stopReason: 'max_tokens' } as const
    const { requests, end } = await settle([cut, cut, { thinking: 'So.', text: 'Done.' }])
    expect(end).toMatchObject({ status: 'completed', report: 'Done.' })
    expect(requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user'],
      ['user'],
      ['user'],
    ])
    expect(lastWords(requests[1]!)).toContain('before any text or tool call')
    expect(JSON.stringify(requests)).not.toContain('let me')
  })

  test('thinking at the end of a message is not sent back, and its text is', async () => {
    const model: ModelClient = {
      request: async (request) => {
        seen.push(request.messages)
        const thinking = { type: 'thinking' as const, thinking: 'Hm', signature: 's' }
        return ok({
          id: `msg-${seen.length}`,
          model: request.model,
          content: [thinking, { type: 'text', text: 'First. ' }, ...(seen.length === 1 ? [thinking] : [])],
          stopReason: seen.length === 1 ? 'max_tokens' : 'end_turn',
          usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
          pace: [],
        })
      },
    }
    const seen: ModelRequest['messages'][] = []
    const troupe = createTestRuntime({ ports: { model }, script: echo })
    await troupe.runtime.settled(await troupe.begin('Go'))
    expect(seen[1]?.[1]?.content.map(({ type }) => type)).toEqual(['thinking', 'text'])
  })

  test.each<[string, Scripted]>([
    ['nothing', {}],
    ['blank text', { text: ' \n' }],
    ['only thinking', { thinking: 'I am done.' }],
    ['nothing, at a stop sequence', { stopReason: 'stop_sequence' }],
  ])('with %s: the model is asked once more', async (_, empty) => {
    const once = await settle([empty, { text: 'The report.' }])
    expect(once.end).toMatchObject({ status: 'completed', report: 'The report.' })
    expect(lastWords(once.requests[1]!)).toContain('Your message was empty')
    const twice = await settle([empty, empty, { text: 'Never asked.' }])
    expect(twice.requests).toHaveLength(2)
    expect(twice.end).toMatchObject({ status: 'completed', report: empty.text ?? '' })
  })

  test('the report has the parts before a pause and before a cut', async () => {
    const { end } = await settle([
      { text: 'Zero.', calls: [['TodoWrite', { todos: [] }]] },
      { text: 'One, ', stopReason: 'pause_turn' },
      { text: 'two, ', stopReason: 'max_tokens' },
      { text: 'three.' },
    ])
    expect(end?.report).toBe('One, two, three.')
    const paused = await settle([{ text: 'All of it.', stopReason: 'pause_turn' }, {}])
    expect(paused.end?.report).toBe('All of it.')
    expect(paused.requests).toHaveLength(2)
  })

  test('a refusal says why', async () => {
    const { end } = await settle([{ stopReason: 'refusal', stopDetails: 'Malware (cyber).' }])
    expect(end?.failure?.message).toContain('The model declined to answer: Malware (cyber). Rephrase')
    const plain = await settle([{ stopReason: 'refusal' }])
    expect(plain.end?.failure?.message).toContain('The model declined to answer. Rephrase')
  })
})

test('an ignored field is named in the result, so that the model knows', async () => {
  const todos = [{ id: 1, content: 'Look', status: 'pending' }]
  const troupe = createTestRuntime({
    script: (request) =>
      request.messages.length === 1 ? { calls: [['TodoWrite', { todos }]] } : { text: 'done' },
  })
  await troupe.runtime.settled(await troupe.begin('Go'))
  expect(lastWords(troupe.model.requests.at(-1)!)).toBe(
    'To-do list: 0 done, 0 in progress, 1 pending.\n\n[TodoWrite has no field todos.id: ignored.]',
  )
})
