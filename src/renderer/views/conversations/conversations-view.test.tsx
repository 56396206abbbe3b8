import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { snapshotOf } from '../../../shared/testing/sample-log.ts'
import { ExportDialog } from '../../features/sharing/export-dialog.tsx'
import { onNotice, showOverlay, useOverlay } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { runCommand } from '../command-actions.ts'
import { ConversationsView } from './conversations-view.tsx'

beforeEach(() => {
  // happy-dom has no layout: every element gets the same size.
  for (const size of ['clientHeight', 'clientWidth', 'offsetHeight', 'offsetWidth'] as const)
    vi.spyOn(HTMLElement.prototype, size, 'get').mockReturnValue(600)
})
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
})
const user = userEvent.setup()

async function open(...conversations: ReturnType<typeof summaryOf>[]): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations })
  bridge.answer({ 'conversation.subscribe': ({ conversationId }) => snapshotOf(conversationId) })
  useSession.setState({ view: 'review' })
  runCommand('conversations')
  render(
    <TooltipProvider>
      <ConversationsView />
    </TooltipProvider>,
  )
  await act(async () => {})
  return bridge
}

const rows = () => screen.queryAllByRole('option').map((row) => row.textContent)
const totals = {
  agents: 3,
  colors: ['blue', 'pink'],
  tokens: 92_000,
  usd: 0.44,
  priced: true,
  added: 12,
  removed: 3,
  lastLine: 'All tests pass.',
  branch: 'cart',
}

test('lists conversations of all folders with what their agents came to', async () => {
  await open(
    summaryOf('a', { updatedAt: 3, totals }),
    summaryOf('b', { updatedAt: 2, folder: '/work/other', requests: 2 }),
    summaryOf('c', { updatedAt: 1, outcome: { kind: 'failed', at: 1 } }),
    summaryOf('d', { archived: true }),
  )
  expect(rows()).toHaveLength(3)
  expect(rows()[0]).toMatch(/Conversation b2 questions for youother/)
  expect(rows()[1]).toMatch(/Conversation aAll tests pass\.shopcart3\+12−3\$0\.4492k/)
  expect(rows()[2]).toMatch(/Conversation cFailedshop––/)
  await user.click(screen.getByRole('radio', { name: 'Archived 1' }))
  expect(rows()[0]).toContain('Conversation d')
})

test('the keys move, choose, pin, archive, trash and open', async () => {
  const bridge = await open(...['a', 'b', 'c', 'd'].map((id, at) => summaryOf(id, { updatedAt: 9 - at })))
  const notices: string[] = []
  const silence = onNotice(({ text }) => notices.push(text))
  await user.keyboard('jxjx')
  expect(screen.getAllByRole('option', { selected: true }).map((row) => row.textContent)).toEqual([
    expect.stringContaining('Conversation b'),
    expect.stringContaining('Conversation c'),
  ])
  await user.keyboard('e')
  expect(bridge.inputsOf('conversation.mark')).toEqual([
    { conversationId: 'b', archived: true },
    { conversationId: 'c', archived: true },
  ])
  expect(screen.queryByRole('toolbar')).toBeNull()
  await user.keyboard('p')
  expect(bridge.inputsOf('conversation.mark').at(-1)).toEqual({ conversationId: 'd', pinned: true })
  await user.keyboard('{Control>}a{/Control}')
  const bar = within(screen.getByRole('toolbar', { name: 'Chosen conversations' }))
  expect(bar.getByText('4 chosen')).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('toolbar')).toBeNull()
  await user.keyboard('{Home}xjx{Delete}')
  await expect.poll(() => notices).toContain('2 conversations are in the trash. Their agents were stopped.')
  expect(bridge.inputsOf('conversation.trash').map(({ conversationId }) => conversationId)).toEqual([
    'a',
    'b',
  ])
  expect(useSession.getState().conversations.map(({ id }) => id)).toEqual(['c', 'd'])
  await user.keyboard('{Enter}')
  await expect.poll(() => useSession.getState()).toMatchObject({ view: 'stage', conversationId: 'c' })
  silence()
})

test('the filter finds words in titles and last lines; Escape clears it, then leads back', async () => {
  await open(summaryOf('a', { totals }), summaryOf('b', { title: 'Fix the cart' }))
  await user.keyboard('/')
  await user.keyboard('tests all')
  expect(rows()).toHaveLength(1)
  await user.keyboard('x')
  expect(screen.getByText('No conversation matches')).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(rows()).toHaveLength(2)
  await user.keyboard('{Escape}')
  expect(useSession.getState().view).toBe('review')
})

test('rows keep their places while conversations go on, and a thousand draw only the visible ones', async () => {
  const many = Array.from({ length: 1000 }, (_, at) => summaryOf(`c${at}`, { updatedAt: 5000 - at }))
  const bridge = await open(...many)
  expect(rows().length).toBeLessThan(60)
  const first = rows()[0]
  act(() => bridge.push({ type: 'conversation', summary: summaryOf('c5', { updatedAt: 9000, running: 1 }) }))
  expect(rows()[0]).toBe(first)
  expect(rows()[5]).toContain('1 agent at work')
})

test('says what all cost and take, and finds work to review in other folders', async () => {
  const bridge = await startWindow({
    conversations: [
      summaryOf('a', { totals, createdAt: new Date('2019-03-04').getTime() }),
      summaryOf('b', { folder: '/work/other' }),
      summaryOf('c', { folder: '/work/third' }),
    ],
  })
  let answer = (_: readonly string[]) => {}
  bridge.answer({
    'conversation.sizes': () => ({ a: 1_000_000, b: 2_000_000, gone: 9_000_000 }),
    'review.conversations': () => new Promise<readonly string[]>((resolve) => (answer = resolve)),
  })
  render(
    <TooltipProvider>
      <ConversationsView />
    </TooltipProvider>,
  )
  expect(await screen.findByText('$0.44 since March 2019 · 3 MB on the disk')).toBeTruthy()
  await user.click(screen.getByRole('radio', { name: 'Unmerged' }))
  expect(rows()).toHaveLength(0)
  await act(async () => answer(['b']))
  expect(screen.getByRole('radio', { name: 'Unmerged 1' })).toBeTruthy()
  expect(rows()).toHaveLength(1)
  expect(rows()[0]).toContain('Conversation b')
  await user.keyboard('{Home}')
  await user.click(screen.getByRole('option'))
  await user.keyboard('x')
  expect(screen.getByRole('toolbar').textContent).toContain('1 chosen2 MB')
})

test('the keys export one conversation after the other, and show the files', async () => {
  const bridge = await open(...['a', 'b', 'c'].map((id, at) => summaryOf(id, { updatedAt: 9 - at })))
  bridge.answer({ 'system.saveShared': () => ({ path: '/tmp/x.html', bytes: 10 }) })
  await user.keyboard('o')
  expect(bridge.inputsOf('system.reveal')).toEqual([{ path: '/data/troupe/conversations/a.jsonl' }])
  render(<OpenExport />)
  await user.keyboard('xjxs')
  expect(await screen.findByRole('dialog', { name: 'Export 1 of 2: Conversation a' })).toBeTruthy()
  await user.click(await ready('Export…'))
  expect(await screen.findByRole('dialog', { name: 'Export 2 of 2: Conversation b' })).toBeTruthy()
  await user.click(await ready('Export…'))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(bridge.inputsOf('system.saveShared').map(({ conversationId }) => conversationId)).toEqual(['a', 'b'])
})

function OpenExport() {
  const isOpen = useOverlay(({ overlay }) => overlay === 'export')
  return <ExportDialog open={isOpen} onClose={() => showOverlay(null)} />
}

async function ready(name: string): Promise<HTMLElement> {
  const button = await screen.findByRole<HTMLButtonElement>('button', { name })
  await expect.poll(() => button.disabled).toBe(false)
  return button
}
