import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { AgentWriteFailure, WriteFailureBanner } from './write-failure-banner.tsx'

afterEach(cleanup)
const user = userEvent.setup()
let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow({
    conversations: [summaryOf('c1', { title: 'Fix the cart' }), summaryOf('c2', { title: 'Docs' })],
  })
  useSession.setState({ conversationId: 'c1' })
  render(
    <>
      <WriteFailureBanner />
      <section aria-label="panel of a1">
        <AgentWriteFailure agentId="a1" />
      </section>
      <section aria-label="panel of a9">
        <AgentWriteFailure agentId="a9" />
      </section>
    </>,
  )
})

const FULL = 'The transcript can’t be saved: the disk is full (/data). Free some space, then try again.'
const pushFailures = (...failures: readonly (readonly [string, readonly string[]])[]) =>
  act(() =>
    bridge.push({
      type: 'write-failure',
      failures: failures.map(([conversationId, agentIds]) => ({ conversationId, agentIds, message: FULL })),
    }),
  )
const banner = () => within(screen.getByRole('alert'))

test('the banner shows the reason for each conversation until saving works', () => {
  pushFailures(['c1', ['a1', 'a2']], ['c2', ['b1']])
  expect(screen.getByRole('alert').textContent).toContain(`2 agents are paused. ${FULL}`)
  expect(screen.getByRole('alert').textContent).toContain('1 agent in “Docs” is paused.')
  expect(banner().getAllByRole('button', { name: 'Retry' })).toHaveLength(2)
  pushFailures(['c2', ['b1']])
  expect(screen.getByRole('alert').textContent).not.toContain('2 agents')
  pushFailures()
  expect(screen.getByRole('alert').textContent).toBe('')
})

test('Retry saves one conversation, is disabled while it runs, and works again after a failure', async () => {
  pushFailures(['c1', ['a1']], ['c2', ['b1']])
  let fail: (error: Error) => void = () => {}
  bridge.answer({
    'conversation.retryLog': () =>
      new Promise((_, reject) => {
        fail = reject
      }),
  })
  await user.click(banner().getAllByRole('button', { name: 'Retry' })[1]!)
  expect(bridge.inputsOf('conversation.retryLog')).toEqual([{ conversationId: 'c2' }])
  const retrying = banner().getByRole('button', { name: 'Retrying…' })
  await user.click(retrying)
  expect(bridge.inputsOf('conversation.retryLog')).toHaveLength(1)
  await act(async () => fail(new Error('The disk is still full.')))
  await user.click(banner().getAllByRole('button', { name: 'Retry' })[1]!)
  expect(bridge.inputsOf('conversation.retryLog')).toHaveLength(2)
})

test('the panel of a paused agent has the reason and Retry; other panels have neither', async () => {
  pushFailures(['c1', ['a1']])
  const panel = within(screen.getByRole('region', { name: 'panel of a1' }))
  expect(panel.getByText('Paused: its log can’t be written.')).toBeTruthy()
  await user.click(panel.getByRole('button', { name: 'Retry' }))
  expect(bridge.inputsOf('conversation.retryLog')).toEqual([{ conversationId: 'c1' }])
  expect(screen.getByRole('region', { name: 'panel of a9' }).textContent).toBe('')
})

test('Show opens the conversation of a failure', async () => {
  pushFailures(['c2', ['b1']])
  bridge.answer({
    'conversation.subscribe': () => {
      throw new Error('Not in this test.')
    },
  })
  await user.click(banner().getByRole('button', { name: 'Show' }))
  expect(bridge.inputsOf('conversation.subscribe')).toEqual([{ conversationId: 'c2' }])
})
