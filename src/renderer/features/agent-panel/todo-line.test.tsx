import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent, Todo } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { installFakeBridge } from '../../testing/fake-bridge.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { AgentPanel } from './agent-panel.tsx'
import { AgentTile } from './agent-tile.tsx'

let script: SampleLog
const user = userEvent.setup()
let agentId = ''
let count = 0

beforeEach(() => {
  script = new SampleLog()
  agentId = `agent-${++count}`
  installFakeBridge()
})
afterEach(cleanup)

const todo = (content: string, status: Todo['status'], activeForm?: string): Todo => ({
  content,
  status,
  ...(activeForm === undefined ? {} : { activeForm }),
})
const lists = (...todos: Todo[]): AgentEvent =>
  script.next(agentId, {
    type: 'tool-ended',
    toolUseId: 't',
    name: 'TodoWrite',
    isError: false,
    content: '',
    note: '',
    durationMs: 1,
    display: { kind: 'todos', todos },
    outputFile: null,
  })

let history: AgentEvent[] = []
function know(...events: AgentEvent[]) {
  history = [...history, ...events]
  const state = stateAfter(history)
  act(() => useConversation.setState({ conversationId: 'c1', agents: new Map([[agentId, state]]) }))
}
function panel(...todos: Todo[]) {
  history = []
  know(
    script.spawn(agentId),
    script.status(agentId, 'running'),
    ...(todos.length > 0 ? [lists(...todos)] : []),
  )
  return render(
    <TooltipProvider>
      <AgentPanel agentId={agentId} onFind={vi.fn()} onCopy={async () => true}>
        <p>transcript</p>
      </AgentPanel>
    </TooltipProvider>,
  )
}
const line = () => screen.getByRole('button', { name: /to-dos done/ })
const items = () =>
  within(screen.getByRole('list', { name: 'To-do list' }))
    .getAllByRole('listitem')
    .map((item) => `${within(item).getByRole('img').getAttribute('aria-label')}: ${item.textContent}`)

test('a panel has no to-do line without a list', () => {
  panel()
  expect(screen.queryByRole('button', { name: /to-dos done/ })).toBeNull()
})

test('the line says how far the list is and what is done now', () => {
  panel(
    todo('Read', 'completed'),
    todo('Write tests', 'in_progress', 'Writing tests'),
    todo('Run', 'pending'),
  )
  expect(line().textContent).toBe('1 of 3 to-dos done·Writing tests')
  expect(line().getAttribute('aria-expanded')).toBe('false')
  know(lists(todo('Read', 'completed'), todo('Run', 'pending')))
  expect(line().textContent).toBe('1 of 2 to-dos done·next: Run')
  const stop = { reachedLimit: null, limitOf: null, report: '', failure: null } as const
  know(script.next(agentId, { type: 'agent-ended', status: 'stopped', ...stop }))
  expect(line().textContent).toBe('1 of 2 to-dos done·not done: Run')
  know(lists(todo('Read', 'completed'), todo('Run\u202e', 'completed')))
  expect(line().textContent).toBe('2 of 2 to-dos done·all done')
  know(lists())
  expect(screen.queryByRole('button', { name: /to-dos done/ })).toBeNull()
})

test('the line opens to the latest list from the keyboard, and stays open while its agent has a tile', async () => {
  const { unmount } = panel(todo('Read', 'completed'), todo('Write', 'in_progress'))
  line().focus()
  await user.keyboard('{Enter}')
  expect(items()).toEqual(['Done: Read', 'In progress: Write'])
  expect(document.activeElement).toBe(line())
  know(lists(todo('Read', 'completed'), todo('Write', 'completed'), todo('Run\u202e', 'pending')))
  expect(items()).toEqual(['Done: Read', 'Done: Write', expect.stringMatching(/^To do: Run.+/)])
  expect(items()[2]).not.toContain('\u202e')
  unmount()
  panel(todo('Again', 'pending'))
  expect(items()).toEqual(['To do: Again'])
  await user.keyboard('{Tab}')
  line().focus()
  await user.keyboard(' ')
  expect(screen.queryByRole('list', { name: 'To-do list' })).toBeNull()
})

test('a tile counts the to-dos', () => {
  history = []
  know(script.spawn(agentId), lists(todo('Read', 'completed'), todo('Write', 'pending')))
  render(
    <TooltipProvider>
      <AgentTile agentId={agentId} onOpen={vi.fn()} />
    </TooltipProvider>,
  )
  expect(screen.getByRole('button', { name: /1\/2 to-dos done/ })).toBeTruthy()
})
