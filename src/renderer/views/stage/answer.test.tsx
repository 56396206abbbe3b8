import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ChangesList, ListedFile } from '../../../shared/changes/changes.ts'
import { callOf, SampleLog } from '../../../shared/testing/sample-log.ts'
import { madeUpWorktree } from '../../features/worktrees/testing/review-world.ts'
import { showChanges, useChanges } from '../../stores/changes-store.ts'
import { showComparison } from '../../stores/comparison-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { useReview } from '../../stores/review-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { switchConversation } from '../../stores/shown-conversation.ts'
import { showStagePart, stagePartNow } from '../../stores/stage-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { StageView } from './stage-view.tsx'

const user = userEvent.setup()
const conversationId = 'c1'
let bridge: FakeBridge
let log: SampleLog

const file = (shown: string, added: number): ListedFile => ({
  ...{ path: `/work/shop/${shown}`, shown, before: null, after: null, added, removed: 1, renamedFrom: null },
  ...{ kept: 'yes', maybeBy: [], letter: 'M', undone: false, alsoBy: [], cannot: null },
})

const LIST: ChangesList = {
  conversationId,
  agents: [{ agentId: 'a', name: 'a', color: 'blue', worktree: null }],
  calls: [
    {
      ...{
        agentId: 'a',
        toolUseId: 't1',
        order: 1,
        at: 0,
        cause: 'tool',
        label: 'Edit',
        ignored: 0,
        note: '',
      },
      ...{ files: [file('one.ts', 3), file('two.ts', 4)], messageSeq: null },
    },
    {
      ...{
        agentId: 'a',
        toolUseId: 't2',
        order: 2,
        at: 0,
        cause: 'tool',
        label: 'Edit',
        ignored: 0,
        note: '',
      },
      ...{ files: [file('one.ts', 5)], messageSeq: null },
    },
  ],
  ...{ messages: [], user: [], undos: [], redo: null, kept: { days: 30, bytes: 0 } },
}

/** Two agents at work. */
beforeEach(async () => {
  vi.spyOn(window, 'innerWidth', 'get').mockReturnValue(1440)
  bridge = await startWindow()
  log = new SampleLog({ conversationId })
  log.spawn('main', { parentId: null, task: '' })
  log.status('main', 'running')
  log.receives('main', 'Fix it.', 'user')
  for (const id of ['a', 'b'])
    log.spawn(id, { parentId: 'main', parentToolUseId: callOf(id), task: `Task ${id}` })
  log.status('a', 'running')
  log.status('b', 'running')
  bridge.answer({ 'conversation.subscribe': () => log.snapshot(), 'changes.list': () => LIST })
  useSession.setState({ conversationId })
  await act(() => switchConversation(conversationId))
  render(
    <TooltipProvider>
      <StageView />
    </TooltipProvider>,
  )
  await screen.findByRole('radio', { name: 'Panels 2' })
})
afterEach(() => {
  cleanup()
  showStagePart('panels')
})

let sent = 0
/** Sends the window the events that the log got since the last call. */
function send(): void {
  const events = log.events.slice(sent)
  sent = log.events.length
  act(() => bridge.push(...events.map((event) => ({ type: 'event' as const, conversationId, event }))))
}
beforeEach(() => {
  sent = 0
})

function endAll(): void {
  log.ends('a', '## Result\n\nThe `key` is made twice. More follows.')
  log.ends('b', '', 'failed', 'docs/payments.md is read-only.')
  log.answers('main', { text: 'All is fixed.' })
  log.status('main', 'waiting', 'message')
  send()
}

test('shows the answer beside the reports as soon as all agents have ended', async () => {
  expect(stagePartNow()).toBe('panels')
  log.ends('a', 'Done.')
  send()
  expect(stagePartNow()).toBe('panels')
  log.ends('b', 'Done.')
  log.answers('main', { text: 'All is fixed.' })
  log.status('main', 'waiting', 'message')
  send()
  await screen.findByRole('region', { name: 'Reports' })
  expect(screen.getByRole('radio', { name: 'Answer' }).getAttribute('aria-checked')).toBe('true')
})

test('says of each agent what it found, what it changed, and why it failed', async () => {
  endAll()
  const reports = within(await screen.findByRole('region', { name: 'Reports' }))
  const [first, second] = reports.getAllByRole('heading', { level: 3 }).map((title) => title.closest('li'))
  expect(first?.textContent).toMatch(/^Task a/)
  expect(first?.textContent).toContain('The key is made twice.')
  expect(first?.textContent).not.toContain('More follows')
  expect(first?.textContent).toContain('one.ts+8 −2')
  expect(second?.textContent).toContain('Failed before its first turn: docs/payments.md is read-only.')
  await user.click(within(second as HTMLElement).getByRole('button', { name: 'Try again' }))
  expect(bridge.inputsOf('agent.continue')).toEqual([{ agentId: 'b', conversationId }])
})

test('leaves what the user looks at, and does not switch while they type', async () => {
  act(() => focusComposer())
  await user.type(document.activeElement ?? document.body, 'wait')
  endAll()
  expect(stagePartNow()).toBe('panels')
  await user.click(screen.getByRole('radio', { name: 'Answer' }))
  await screen.findByRole('region', { name: 'Reports' })
})

test('stays with the panels that the user chose, and returns to them when an agent works again', async () => {
  endAll()
  await user.click(await screen.findByRole('radio', { name: 'Panels 2' }))
  log.status('main', 'running')
  log.status('main', 'waiting', 'message')
  send()
  expect(stagePartNow()).toBe('panels')
  await user.click(screen.getByRole('radio', { name: 'Answer' }))
  log.status('b', 'running')
  send()
  expect(stagePartNow()).toBe('panels')
})

test('goes through the reports with the arrow keys, and opens the panel of one', async () => {
  endAll()
  const region = await screen.findByRole('region', { name: 'Reports' })
  const [first, second] = [...region.querySelectorAll<HTMLElement>('[data-report]')]
  act(() => first?.focus())
  await user.keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(second)
  await user.keyboard('{Enter}')
  expect(stagePartNow()).toBe('panels')
})

test('opens the changes of a file, and comes back to the answer', async () => {
  endAll()
  const reports = within(await screen.findByRole('region', { name: 'Reports' }))
  await user.click(await reports.findByRole('button', { name: /one\.ts/ }))
  expect(stagePartNow()).toBe('changes')
  expect(useChanges.getState().wantedPath).toBe('/work/shop/one.ts')
  await screen.findByRole('region', { name: 'Changes' })
  act(() => showChanges(false))
  expect(stagePartNow()).toBe('answer')
})

test('puts agents that did not finish first on request', async () => {
  endAll()
  const region = await screen.findByRole('region', { name: 'Reports' })
  await user.click(within(region).getByRole('button', { name: 'Order of reports: By start' }))
  await user.click(await screen.findByRole('menuitemradio', { name: 'Unfinished first' }))
  const titles = within(region)
    .getAllByRole('heading', { level: 3 })
    .map(({ textContent }) => textContent)
  expect(titles).toEqual(['Task b', 'Task a'])
})

test('offers the worktrees of these agents for review', async () => {
  endAll()
  const reports = within(await screen.findByRole('region', { name: 'Reports' }))
  expect(reports.queryByRole('button', { name: /^Review/ })).toBeNull()
  const worktrees = [waiting('w1', 'a'), waiting('w2', 'b'), waiting('w3', 'of another conversation')]
  act(() => useReview.setState({ snapshot: { folder: '/work/shop', worktrees, order: [] } as never }))
  await user.click(reports.getByRole('button', { name: /^Review 2 worktrees/ }))
  expect(useSession.getState().view).toBe('review')
  expect(useReview.getState().selectedId).toBe('w1')
})

const waiting = (id: string, agentId: string) => madeUpWorktree({ id, agentId, agentName: 'x' }).worktree

test('a comparison takes the width of the conversation, which comes back on request or for a message', async () => {
  const isAway = () => screen.getByLabelText('Message', { selector: 'textarea' }).closest('[hidden]') !== null
  expect(isAway()).toBe(false)
  const attempts = ['a', 'b'].map((agentId) => ({ agentId, agent: 'x', model: null, check: null }))
  const comparison = { id: 'b-1', task: 'Fix it.', command: null, base: 'f00', startedAt: 1, merged: null }
  const { record } = useConversation.getState()
  act(() => {
    if (record !== null)
      useConversation.setState({ record: { ...record, comparisons: [{ ...comparison, attempts }] } })
    showComparison()
  })
  await screen.findByRole('button', { name: 'Show conversation' })
  expect(isAway()).toBe(true)
  await user.click(screen.getByRole('button', { name: 'Show conversation' }))
  expect(isAway()).toBe(false)
  await user.click(screen.getByRole('button', { name: 'Hide conversation' }))
  expect(isAway()).toBe(true)
  act(() => focusComposer())
  expect(isAway()).toBe(false)
  act(() => showStagePart('panels'))
})
