import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SampleLog, snapshotOf, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useOwnWindows } from '../../stores/own-windows.ts'
import { startAgentSession } from '../../stores/session-feed.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { FOLDER, startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { StagePanelsArea } from '../stage/stage-panels-area.tsx'
import { AgentWindow } from './agent-window.tsx'

const user = userEvent.setup()
let bridge: FakeBridge

/** A main agent and Explore. */
function agents() {
  const script = new SampleLog()
  return [
    stateAfter([script.spawn('main', { task: '' })]),
    stateAfter([script.spawn('explore', { parentId: 'main', task: 'look at routes' })]),
  ]
}

beforeEach(async () => {
  // happy-dom has no layout: every element gets the same size.
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(1000)
  bridge = await startWindow()
  bridge.answer({
    'conversation.subscribe': () => snapshotOf('c1', agents()),
    'agent.transcript': () => ({ events: [], older: false, live: [] }),
  })
  useOwnWindows.setState({ agentIds: new Set() })
})
afterEach(cleanup)

test('the page shows one agent, has the focus in its panel, and leaves the folder’s last conversation as it is', async () => {
  localStorage.setItem(`last-conversation:${FOLDER.path}`, 'c7')
  await act(() => startAgentSession({ agentId: 'explore', conversationId: 'c1' }))
  render(<AgentWindow agentId="explore" />, { wrapper: TooltipProvider })
  const panel = await screen.findByRole('article', { name: /look at routes/ })
  expect(document.activeElement).toBe(panel)
  expect(screen.getAllByRole('article')).toHaveLength(1)
  await user.click(screen.getByRole('button', { name: 'More actions' }))
  expect(await screen.findByRole('menuitem', { name: /^Find/ })).toBeTruthy()
  expect(screen.queryByRole('menuitem', { name: 'Open in own window' })).toBeNull()
  await user.keyboard('{Escape}')
  expect(document.title).toContain('look at routes')
  expect(localStorage.getItem(`last-conversation:${FOLDER.path}`)).toBe('c7')
  act(() => bridge.push({ type: 'conversation-gone', conversationId: 'c1' }))
  expect(screen.getByText('This agent can’t be shown')).toBeTruthy()
})

test('the stage opens an agent’s own window, says where its panel is, and brings it back', async () => {
  const { record } = snapshotOf('c1')
  const all = agents()
  act(() => {
    useSession.setState({ conversationId: 'c1' })
    useConversation.setState({
      conversationId: 'c1',
      phase: 'ready',
      record,
      agents: new Map(all.map((agent) => [agent.id, agent])),
      agentIds: all.map(({ id }) => id),
    })
  })
  render(<StagePanelsArea />, { wrapper: TooltipProvider })
  await user.click(await screen.findByRole('button', { name: 'More actions' }))
  await user.click(await screen.findByRole('menuitem', { name: 'Open in own window' }))
  const explore = { agentId: 'explore', conversationId: 'c1' }
  expect(bridge.inputsOf('agentWindow.open')).toEqual([explore])
  act(() => bridge.push({ type: 'agent-windows', agentIds: ['explore'] }))
  const moved = screen.getByRole('article', { name: /look at routes, in its own window/ })
  expect(screen.queryByRole('log')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Show window' }))
  expect(bridge.inputsOf('agentWindow.open')).toEqual([explore, explore])
  await user.click(screen.getByRole('button', { name: 'Bring back' }))
  expect(document.activeElement).toBe(moved)
  expect(bridge.inputsOf('agentWindow.close')).toEqual([explore])
  act(() => bridge.push({ type: 'agent-windows', agentIds: [] }))
  expect(screen.getByRole('log')).toBeTruthy()
})
