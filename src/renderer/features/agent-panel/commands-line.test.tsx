import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { Refusal } from '../../testing/fake-handlers.ts'
import { CommandsLine } from './commands-line.tsx'

let bridge: FakeBridge
let script: SampleLog
let history: AgentEvent[]
const user = userEvent.setup()

beforeEach(() => {
  bridge = installFakeBridge()
  script = new SampleLog()
  history = [script.spawn('a')]
  know()
})
afterEach(cleanup)

function know(...events: AgentEvent[]): void {
  history.push(...events)
  const state = stateAfter(history)
  act(() =>
    useConversation.setState({ conversationId: 'c1', readOnly: false, agents: new Map([['a', state]]) }),
  )
}
const starts = (commandId: string, command: string) =>
  script.next('a', {
    type: 'command-started',
    commandId,
    toolUseId: `t-${commandId}`,
    command,
    description: '',
  })
const ends = (commandId: string) =>
  script.next('a', { type: 'command-ended', commandId, exitCode: 0, by: 'exit' })

test('counts the commands that run, and is gone with the last one', () => {
  const { container } = render(<CommandsLine agentId="a" />)
  expect(container.textContent).toBe('')
  know(starts('b-1', 'npm run dev'), starts('b-2', 'npm test -- --watch'))
  expect(container.textContent).toContain('2 commands running')
  expect(container.textContent).toContain('npm run dev · npm test -- --watch')
  know(ends('b-1'))
  expect(container.textContent).toContain('1 command running')
  know(ends('b-2'))
  expect(container.textContent).toBe('')
})

test('opens to a list whose Stop ends one command, once', async () => {
  render(<CommandsLine agentId="a" />)
  know(starts('b-1', 'npm run dev'), starts('b-2', 'tail -f x\u202e'))
  await user.click(screen.getByRole('button', { name: /2 commands running/ }))
  const stop = screen.getByRole('button', { name: 'Stop npm run dev' })
  await user.click(stop)
  await user.click(stop)
  expect(bridge.inputsOf('agent.stopCommand')).toEqual([
    { conversationId: 'c1', agentId: 'a', commandId: 'b-1' },
  ])
  expect(screen.getByRole('list').textContent).toContain('⟨RLO⟩')
})

test('a command that could not be stopped can be stopped again', async () => {
  bridge.answer({
    'agent.stopCommand': () => {
      throw new Refusal('No.', 'io')
    },
  })
  render(<CommandsLine agentId="a" />)
  know(starts('b-1', 'npm run dev'))
  await user.click(screen.getByRole('button', { name: /1 command running/ }))
  await user.click(screen.getByRole('button', { name: 'Stop npm run dev' }))
  await user.click(await screen.findByRole('button', { name: 'Stop npm run dev' }))
  expect(bridge.inputsOf('agent.stopCommand')).toHaveLength(2)
})

test('another program’s commands cannot be stopped here', async () => {
  render(<CommandsLine agentId="a" />)
  know(starts('b-1', 'npm run dev'))
  act(() => useConversation.setState({ readOnly: true }))
  await user.click(screen.getByRole('button', { name: /1 command running/ }))
  expect(screen.queryByRole('button', { name: /Stop/ })).toBeNull()
})
