import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { AgentLogTrouble } from './agent-log-trouble.tsx'
import { LogTroubleBanner } from './log-trouble-banner.tsx'

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
      <LogTroubleBanner />
      <section aria-label="panel of a1">
        <AgentLogTrouble agentId="a1" />
      </section>
      <section aria-label="panel of a9">
        <AgentLogTrouble agentId="a9" />
      </section>
    </>,
  )
})

const FULL = 'The transcript can’t be saved: the disk is full (/data). Free some space, then try again.'
const tell = (...troubles: readonly (readonly [string, readonly string[]])[]) =>
  act(() =>
    bridge.push({
      type: 'log-trouble',
      troubles: troubles.map(([conversationId, agentIds]) => ({ conversationId, agentIds, message: FULL })),
    }),
  )
const banner = () => within(screen.getByRole('alert'))

test('the reason stays on the screen, for each conversation, until all is saved', () => {
  tell(['c1', ['a1', 'a2']], ['c2', ['b1']])
  expect(screen.getByRole('alert').textContent).toContain(`2 agents are paused. ${FULL}`)
  expect(screen.getByRole('alert').textContent).toContain('One agent in “Docs” is paused.')
  expect(banner().getAllByRole('button', { name: 'Try again' })).toHaveLength(2)
  tell(['c2', ['b1']])
  expect(screen.getByRole('alert').textContent).not.toContain('2 agents')
  tell()
  expect(screen.getByRole('alert').textContent).toBe('')
})

test('trying again asks for that conversation, says that it does, and can be asked as often as it fails', async () => {
  tell(['c1', ['a1']], ['c2', ['b1']])
  let fail: (error: Error) => void = () => {}
  bridge.answer({
    'conversation.retryLog': () =>
      new Promise((_, reject) => {
        fail = reject
      }),
  })
  await user.click(banner().getAllByRole('button', { name: 'Try again' })[1]!)
  expect(bridge.inputsOf('conversation.retryLog')).toEqual([{ conversationId: 'c2' }])
  const trying = banner().getByRole('button', { name: 'Trying …' })
  await user.click(trying)
  expect(bridge.inputsOf('conversation.retryLog')).toHaveLength(1)
  await act(async () => fail(new Error('The disk is still full.')))
  await user.click(banner().getAllByRole('button', { name: 'Try again' })[1]!)
  expect(bridge.inputsOf('conversation.retryLog')).toHaveLength(2)
})

test('the panel of an agent that is paused says so, and offers the same; others say nothing', async () => {
  tell(['c1', ['a1']])
  const panel = within(screen.getByRole('region', { name: 'panel of a1' }))
  expect(panel.getByText('Paused: its log can’t be written.')).toBeTruthy()
  await user.click(panel.getByRole('button', { name: 'Try again' }))
  expect(bridge.inputsOf('conversation.retryLog')).toEqual([{ conversationId: 'c1' }])
  expect(screen.getByRole('region', { name: 'panel of a9' }).textContent).toBe('')
})

test('a conversation elsewhere is one click away', async () => {
  tell(['c2', ['b1']])
  bridge.answer({
    'conversation.subscribe': () => {
      throw new Error('Not in this test.')
    },
  })
  await user.click(banner().getByRole('button', { name: 'Show it' }))
  expect(bridge.inputsOf('conversation.subscribe')).toEqual([{ conversationId: 'c2' }])
})
