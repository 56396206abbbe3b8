import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { showConversation, useConversation } from '../../stores/conversation-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { connectStores } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { AgentTile } from './agent-tile.tsx'

let bridge: FakeBridge
let script: SampleLog
let disconnect: () => void

beforeEach(() => {
  script = new SampleLog()
  bridge = installFakeBridge()
  disconnect = connectStores(() => {})
})
afterEach(async () => {
  cleanup()
  disconnect()
  await showConversation(null)
})

function open(...history: readonly AgentEvent[]) {
  const state = stateAfter(history)
  useConversation.setState({ conversationId: 'c1', readOnly: false, agents: new Map([[state.id, state]]) })
  render(
    <TooltipProvider>
      <AgentTile agentId="a" onOpen={vi.fn()} />
    </TooltipProvider>,
  )
}
const push = (...deltas: WindowDelta[]) => act(async () => bridge.push(...deltas))
const line = (text: string, agentId = 'a'): WindowDelta => ({
  type: 'live-line',
  conversationId: 'c1',
  agentId,
  line: text,
})
const event = (one: AgentEvent): WindowDelta => ({ type: 'event', conversationId: 'c1', event: one })
const lastLine = () => screen.getByRole('button', { name: /^a/ }).lastElementChild?.textContent

test('a tile shows the words that stream, until the event that ends them', async () => {
  open(script.spawn('a', { parentId: 'main' }), script.status('a', 'running'), script.says('a', 'Earlier.'))
  expect(lastLine()).toBe('Earlier.')
  await push(line('- I look at **routes**'))
  expect(lastLine()).toBe('I look at routes')
  await push(line('for another agent', 'b'))
  expect(lastLine()).toBe('I look at routes')
  await push(line('almost done'), event(script.says('a', 'Done with routes.')))
  expect(lastLine()).toBe('Done with routes.')
  await push(line('the next words'))
  expect(lastLine()).toBe('the next words')
})

test('a request, a pause and an end are more important than streamed words', async () => {
  open(script.spawn('a', { parentId: 'main' }), script.status('a', 'running'))
  await push(line('words'), event(script.asks('a', 'r')), line('late words'))
  expect(lastLine()).toBe('needs your permission')
  await push(event(script.answered('a', 'r')), event(script.status('a', 'paused')), line('later words'))
  expect(lastLine()).toBe('paused')
})

test('a member of a team has its name, and a badge that says where it runs', () => {
  open(
    script.spawn('a', { parentId: 'main', name: 'bench-runner', teamId: 'team', backing: 'remote' }),
    script.next('a', {
      type: 'worker-changed',
      worker: { workerId: 'w', host: 'build-7', pid: 9, cores: 32, tmux: null, epoch: 1 },
      state: 'running',
      jobId: null,
      note: '',
    }),
  )
  expect(screen.getByText('bench-runner')).toBeTruthy()
  const badge = screen.getByRole('img', { name: 'remote' })
  expect(badge.parentElement?.title).toBe('Runs on another machine: build-7 · 32 cores.')
})

test('an open form is the action of the tile', () => {
  open(
    script.spawn('a', { parentId: 'main' }),
    script.next('a', {
      type: 'form-opened',
      formId: 'f',
      toolUseId: 't',
      toolName: 'mcp__tickets__open',
      form: { kind: 'elicitation', server: 'tickets', message: 'Which queue?', schema: {} },
    }),
  )
  expect(screen.getByText('tickets: Which queue?')).toBeTruthy()
})
