import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { StagePanelsArea } from './stage-panels-area.tsx'

beforeEach(async () => {
  const bridge = await startWindow()
  bridge.answer({ 'agent.transcript': () => ({ events: [], older: false, live: [] }) })
})
afterEach(cleanup)

/** An agent whose panel throws while its header reads the model. */
function broken(state: AgentState): AgentState {
  return Object.defineProperty({ ...state }, 'maxTurns', {
    get: () => {
      throw new Error('no turns')
    },
  })
}

test('a broken panel leaves the other panels and the stage as they are', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const script = new SampleLog()
  const running = (id: string) =>
    stateAfter([script.spawn(id, { parentId: 'main' }), script.status(id, 'running')])
  const agents = [stateAfter([script.spawn('main')]), broken(running('a')), running('b')]
  useConversation.setState({
    conversationId: 'c1',
    phase: 'ready',
    agents: new Map(agents.map((agent) => [agent.id, agent])),
    agentIds: agents.map(({ id }) => id),
  })
  render(
    <TooltipProvider>
      <StagePanelsArea />
    </TooltipProvider>,
  )
  await act(async () => {})
  expect(screen.getByText('Something broke in this panel')).toBeTruthy()
  expect(screen.getByRole('article', { name: /^b, b, / })).toBeTruthy()
  expect(screen.getByRole('radiogroup', { name: 'Panel layout' })).toBeTruthy()
})
