import { renderHook, waitFor } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { SampleLog, stateAfter } from '../../shared/testing/sample-log.ts'
import { type FakeBridge, installFakeBridge } from '../testing/fake-bridge.ts'
import { useConversation } from './conversation-store.ts'
import { followRequests, useAsked, useRequests } from './requests-store.ts'

const script = new SampleLog()
const asking = (id: string) => stateAfter([script.spawn(id), script.asks(id, `of-${id}`)])
let bridge: FakeBridge

beforeEach(() => {
  useRequests.setState({ conversations: [] })
  bridge = installFakeBridge({
    'conversation.requests': () => [
      { conversationId: 'c1', title: 'Here', folder: '/a', agents: [asking('near')] },
      { conversationId: 'c2', title: 'There', folder: '/b', agents: [asking('far')] },
    ],
  })
})

const changed = (id: string, requests: number) =>
  ({ type: 'conversation', summary: { id, requests } }) as Parameters<typeof followRequests>[0][number]

test('a conversation in which something opens is asked about; one in which nothing is open is not', async () => {
  followRequests([changed('c2', 0)])
  followRequests([changed('c2', 1), changed('c2', 2)])
  await waitFor(() => expect(useRequests.getState().conversations).toHaveLength(2))
  expect(bridge.inputsOf('conversation.requests')).toHaveLength(1)
  bridge.answer({ 'conversation.requests': () => [] })
  followRequests([changed('c2', 0)])
  await waitFor(() => expect(useRequests.getState().conversations).toEqual([]))
})

test('the conversation on the screen has its own requests, and those of the others follow with their place', async () => {
  followRequests([changed('c2', 1)])
  await waitFor(() => expect(useRequests.getState().conversations).toHaveLength(2))
  const near = asking('near')
  const [request] = near.requests
  if (request === undefined) throw new Error('no request')
  useConversation.setState({
    conversationId: 'c1',
    agents: new Map([[near.id, near]]),
    needs: [{ agentId: near.id, request }],
  })
  const { result } = renderHook(() => useAsked())
  expect(result.current.map(({ agentId, elsewhere }) => [agentId, elsewhere])).toEqual([
    ['near', null],
    ['far', { title: 'There', folder: '/b' }],
  ])
})
