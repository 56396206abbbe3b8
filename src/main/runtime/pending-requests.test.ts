import { expect, test } from 'vitest'
import { createTestRuntime } from './testing/test-runtime.ts'

const asks = (command: string) =>
  createTestRuntime({
    script: ({ messages }) => (messages.length < 2 ? { calls: [['Bash', { command }]] } : { text: 'done' }),
  })

test('the requests of all conversations are listed with their agents, until they are answered', async () => {
  const troupe = asks('npm test')
  const { dispatch } = troupe.runtime
  const pending = async () => {
    const listed = await troupe.runtime.handlers['conversation.requests']({})
    if (!listed.ok) throw new Error(listed.failure.message)
    return listed.value.map(({ conversationId, agents }) => [
      conversationId,
      agents.flatMap(({ requests }) => requests.map(({ subject }) => subject.text)),
    ])
  }
  const first = await troupe.begin('Go')
  const { agentId, requestId } = await troupe.when('permission-asked')
  const second = await troupe.begin('Go too')
  await troupe.when('permission-asked', (event) => event.agentId !== agentId)
  expect(await pending()).toEqual([
    [first, ['npm test']],
    [second, ['npm test']],
  ])
  const answer = { decision: 'allow-once' } as const
  await dispatch({ type: 'agent.answer', conversationId: first, agentId, requestId, answer })
  await troupe.runtime.settled(first)
  expect(await pending()).toEqual([[second, ['npm test']]])
})

test('no rule is offered or saved for a deletion, also if the answer says always', async () => {
  const troupe = asks('rm -r build')
  const conversationId = await troupe.begin('Go')
  const asked = await troupe.when('permission-asked')
  expect(asked).toMatchObject({
    alwaysRule: null,
    subject: { parts: [{ text: 'rm -r build', danger: { kind: 'deletes' } }] },
  })
  expect(asked.ruleOffers).toBeUndefined()
  const { agentId, requestId } = asked
  const answer = { decision: 'allow-always', rule: 'Bash(rm -r build)' } as const
  await troupe.runtime.dispatch({ type: 'agent.answer', conversationId, agentId, requestId, answer })
  await troupe.runtime.settled(conversationId)
  expect(troupe.events).toContainEqual(
    expect.objectContaining({ text: expect.stringContaining('was not offered for this call') }),
  )
})
