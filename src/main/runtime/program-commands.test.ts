/** Commands on an external agent reach the agent's backing; other agents refuse them. */
import { expect, test } from 'vitest'
import { fail, ok } from '../../shared/kernel/result.ts'
import { plainBacking } from './ports/agent-backing.ts'
import { echo } from './testing/scripts.ts'
import { createTestRuntime } from './testing/test-runtime.ts'

const OPTION = {
  id: 'model',
  name: 'Model',
  category: 'model' as const,
  current: 'pro',
  values: [{ id: 'pro', name: 'Pro', description: '' }],
}

test('the backing answers for its program', async () => {
  const calls: string[] = []
  const troupe = createTestRuntime({
    script: echo,
    runtime: {
      backings: (agent) => ({
        ...plainBacking('acp', async () => {
          agent.takeMessages()
          return { kind: 'answered', text: 'Done.', reachedLimit: null }
        }),
        program: {
          async setOption(optionId, value) {
            calls.push(`${optionId}=${value}`)
            return ok([OPTION])
          },
          login: async (methodId) => fail({ type: 'not-possible', message: `No ${methodId} here.` }),
        },
      }),
    },
  })
  const conversationId = await troupe.begin('Go')
  const { id: agentId } = await troupe.runtime.settled(conversationId)
  const agent = { conversationId, agentId }
  expect(
    await troupe.runtime.dispatch({
      type: 'agent.setProgramOption',
      ...agent,
      optionId: 'model',
      value: 'pro',
    }),
  ).toEqual(ok(undefined))
  expect(calls).toEqual(['model=pro'])
  expect(troupe.runtime.state(conversationId, agentId)?.program?.options).toEqual([OPTION])
  expect(await troupe.runtime.dispatch({ type: 'agent.login', ...agent, methodId: 'web' })).toMatchObject({
    failure: { message: 'No web here.' },
  })
})

test('an agent of this runtime has no program', async () => {
  const troupe = createTestRuntime({ script: echo })
  const conversationId = await troupe.begin('Go')
  const { id: agentId } = await troupe.runtime.settled(conversationId)
  const failure = {
    type: 'not-possible',
    message: expect.stringContaining('not carried out by an external agent'),
  }
  const set = { conversationId, agentId, optionId: 'model', value: 'pro' }
  expect(await troupe.runtime.dispatch({ type: 'agent.setProgramOption', ...set })).toMatchObject({
    ok: false,
    failure,
  })
  expect(
    await troupe.runtime.dispatch({ type: 'agent.login', conversationId, agentId, methodId: 'web' }),
  ).toMatchObject({ failure })
  expect(
    await troupe.runtime.dispatch({ type: 'agent.login', conversationId, agentId: 'no', methodId: 'web' }),
  ).toMatchObject({
    failure: { type: 'not-found' },
  })
})
