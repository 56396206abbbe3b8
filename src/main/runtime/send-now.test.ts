import { expect, test } from 'vitest'
import { lastWords } from './testing/scripted-model.ts'
import { agentCall, childrenOf, echo, eventsOf, gate, isMain, script } from './testing/scripts.ts'
import { createTestRuntime, type TestRuntime } from './testing/test-runtime.ts'

const sendNow = (troupe: TestRuntime, conversationId: string, messageId: string) =>
  troupe.runtime.dispatch({ type: 'conversation.sendNow', conversationId, messageId })

async function queue(troupe: TestRuntime, conversationId: string, content: string): Promise<string> {
  const sent = await troupe.runtime.dispatch({
    ...{ type: 'conversation.send', conversationId, agentId: null, content },
  })
  return sent.ok ? sent.value.messageId : ''
}

/** Waits until the signal of the request ends it. */
const hangs = (signal: AbortSignal) =>
  new Promise<{ text: string }>((resolve) =>
    signal.addEventListener('abort', () => resolve({ text: 'never said' }), { once: true }),
  )

test('a queued message interrupts the main agent and is read at once', async () => {
  const asked = gate()
  const troupe = createTestRuntime({
    script: script(
      [
        (_request, signal) => {
          asked.open()
          return hangs(signal)
        },
        echo,
      ],
      echo,
    ),
  })
  const id = await troupe.begin('Do a lot')
  await asked.opened
  const messageId = await queue(troupe, id, 'Wait, do this instead')
  expect(await sendNow(troupe, id, messageId)).toMatchObject({ ok: true })
  expect(await troupe.runtime.settled(id)).toMatchObject({ status: 'waiting', waitingFor: 'message' })
  expect(troupe.model.requests).toHaveLength(2)
  expect(lastWords(troupe.model.requests[1]!)).toContain('Wait, do this instead')
  expect(await sendNow(troupe, id, messageId)).toMatchObject({ failure: { type: 'not-found' } })
})

test('it ends the agents that the main agent waits for, and no agent in the background', async () => {
  const both = gate()
  const read = gate()
  let begun = 0
  const troupe: TestRuntime = createTestRuntime({
    policy: { maxParallelAgents: 4 },
    script: script(
      [
        { calls: [agentCall('behind', { run_in_background: true })] },
        { calls: [agentCall('awaited')] },
        (request) => {
          read.open()
          return { text: lastWords(request) }
        },
      ],
      (_request, signal) => {
        begun += 1
        if (begun === 2) both.open()
        return hangs(signal)
      },
    ),
  })
  const id = await troupe.begin('Go')
  await both.opened
  await sendNow(troupe, id, await queue(troupe, id, 'Now this'))
  await read.opened
  const endOf = (task: string) => {
    const agentId = childrenOf(troupe).find((child) => child.task === task)?.agentId
    return eventsOf(troupe, agentId).find(({ type }) => type === 'agent-ended')
  }
  expect(endOf('awaited')).toMatchObject({ status: 'stopped' })
  expect(endOf('behind')).toBeUndefined()
  expect(lastWords(troupe.model.requests.filter(isMain).at(-1)!)).toContain('Now this')
  await troupe.runtime.close()
})

test('a message to another agent can’t interrupt it', async () => {
  const working = gate()
  const troupe: TestRuntime = createTestRuntime({
    script: script([{ calls: [agentCall('one')] }, echo], (_request, signal) => {
      working.open()
      return hangs(signal)
    }),
  })
  const id = await troupe.begin('Go')
  await working.opened
  const sent = await troupe.runtime.dispatch({
    ...{ type: 'conversation.send', conversationId: id, content: 'Hurry' },
    agentId: childrenOf(troupe)[0]?.agentId ?? null,
  })
  const messageId = sent.ok ? sent.value.messageId : ''
  expect(await sendNow(troupe, id, messageId)).toMatchObject({ failure: { type: 'not-possible' } })
  await troupe.runtime.close()
})
