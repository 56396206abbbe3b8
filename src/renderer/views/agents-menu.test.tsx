import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../shared/testing/sample-log.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { useStage } from '../stores/stage-store.ts'
import { installFakeBridge } from '../testing/fake-bridge.ts'
import { AgentsMenu } from './agents-menu.tsx'

const user = userEvent.setup()
let script: SampleLog

beforeEach(() => {
  script = new SampleLog()
  installFakeBridge()
  useStage.setState({ selectedAgentId: null, reveal: null })
})
afterEach(cleanup)

function know(...histories: readonly (readonly AgentEvent[])[]) {
  const states = histories.map(stateAfter)
  useConversation.setState({ agents: new Map(states.map((state) => [state.id, state])) })
}
const sub = (id: string): AgentEvent[] => [script.spawn(id, { parentId: 'main' })]

test('the title bar counts the agents at work and lists them by state; an entry shows the agent', async () => {
  know(
    [script.spawn('main'), script.status('main', 'running')],
    sub('tests').concat(script.status('tests', 'running')),
    sub('keys').concat(script.asks('keys', 'p')),
    sub('docs'),
  )
  render(<AgentsMenu />)
  await user.click(screen.getByRole('button', { name: 'Agents at work: 2 working · 1 needs you · 1 queued' }))
  const items = await screen.findAllByRole('menuitem')
  expect(items.map((item) => item.textContent)).toEqual([
    'keysneeds your permission',
    'Main agentstarting',
    'testsstarting',
    'docsqueued',
  ])
  await user.click(screen.getByRole('menuitem', { name: /^keys/ }))
  expect(useStage.getState().reveal).toEqual({ kind: 'agent', agentId: 'keys' })
})

test('without agents at work there is no menu', () => {
  know([script.spawn('main'), script.status('main', 'waiting', 'message')])
  render(<AgentsMenu />)
  expect(screen.queryByRole('button')).toBeNull()
  act(() => know([script.spawn('main'), script.status('main', 'running')]))
  expect(screen.getByRole('button', { name: 'Agents at work: 1 working' })).toBeTruthy()
})
