import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { HistoryEntry, HistorySource } from '../../../shared/histories/history.ts'
import type { Settings } from '../../../shared/settings/settings.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { ConversationList } from './conversation-list.tsx'
import { HistoryBar } from './histories.tsx'
import { useHistories } from './histories-store.ts'

const user = userEvent.setup()
afterEach(cleanup)
beforeEach(() => useHistories.setState(useHistories.getInitialState(), true))

const entryOf = (id: string, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  ...{ id: `from-claude-${id.padEnd(20, '0')}`, program: 'claude', title: `History ${id}`, folder: HERE() },
  ...{ createdAt: 0, updatedAt: 0, agents: 2, bytes: 2048, ...more },
})
const HERE = () => useSession.getState().folder?.path ?? ''

const sourceOf = (more: Partial<HistorySource> = {}): HistorySource => ({
  ...{ program: 'claude', place: '/home/.claude/projects', isFound: true, reading: 'on' },
  ...{ entries: [], problems: [], ...more },
})

async function open(sources: (bridge: FakeBridge) => readonly HistorySource[]): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations: [summaryOf('a')] })
  bridge.answer({
    'history.list': () => [...sources(bridge)],
    'settings.change': ({ patch }) => ({ ...useSession.getState().settings, ...patch }) as Settings,
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  render(<ConversationList />)
  await user.click(screen.getByRole('button', { name: 'Other agent programs' }))
  return bridge
}

test('nothing is asked for before the user looks, and nothing listed before they agree', async () => {
  let isLet = false
  const bridge = await open(() => [
    sourceOf(isLet ? { entries: [entryOf('1'), entryOf('2', { folder: '/far/away' })] } : { reading: 'ask' }),
    sourceOf({ program: 'codex', isFound: false, reading: 'ask' }),
  ])
  expect(bridge.inputsOf('history.list')).toHaveLength(1)
  const question = await screen.findByRole('region', { name: 'Claude Code' })
  expect(question.textContent).toContain('/home/.claude/projects and writes nothing there')
  expect(screen.queryByText(/Codex/)).toBeNull()
  isLet = true
  await user.click(within(question).getByRole('button', { name: 'Read' }))
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { histories: { claude: true } } }])
  await screen.findByRole('button', { name: 'From Claude Code 2' })
  expect(screen.getByRole('button', { name: /History 1/ })).toBeTruthy()
  expect(screen.queryByRole('button', { name: /History 2/ })).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Show 1 of other folders' }))
  expect(screen.getByRole('button', { name: /History 2 away/ })).toBeTruthy()
})

test('a no is kept, and a program that may not be read is not shown', async () => {
  let isRefused = false
  const bridge = await open(() => [sourceOf({ reading: isRefused ? 'off' : 'ask' })])
  isRefused = true
  await user.click(await screen.findByRole('button', { name: 'Never' }))
  expect(bridge.inputsOf('settings.change')).toEqual([{ patch: { histories: { claude: false } } }])
  expect(await screen.findByText(/turned off in Settings/)).toBeTruthy()
  expect(screen.queryByRole('region', { name: 'Claude Code' })).toBeNull()
})

test('says that no program keeps conversations here, and what could not be read', async () => {
  await open(() => [sourceOf({ isFound: false, reading: 'ask' })])
  expect(await screen.findByText(/keep no conversations on this computer/)).toBeTruthy()
  cleanup()
  useHistories.setState(useHistories.getInitialState(), true)
  await open(() => [sourceOf({ problems: ['A history can’t be read: /x.'] })])
  await user.click(await screen.findByRole('button', { name: 'From Claude Code 0' }))
  expect(screen.getByText('None of this folder.')).toBeTruthy()
  expect(screen.getByText('A history can’t be read: /x.')).toBeTruthy()
})

test('the arrow keys go on from the conversations to the histories, and Enter opens one', async () => {
  await open(() => [sourceOf({ entries: [entryOf('1')] })])
  await user.click(await screen.findByRole('button', { name: 'From Claude Code 1' }))
  screen.getByRole('button', { name: /Conversation a/ }).focus()
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'ArrowDown' })
  expect(document.activeElement?.textContent).toContain('History 1')
  await user.keyboard('{Enter}')
  expect(useSession.getState().conversationId).toBe(entryOf('1').id)
})

test('the filter finds words in the titles of histories, also with few conversations', async () => {
  const others = ['2', '3', '4', '5'].map((id) => entryOf(id))
  await open(() => [sourceOf({ entries: [entryOf('1', { title: 'Fix the cart' }), ...others] })])
  await user.click(await screen.findByRole('button', { name: 'From Claude Code 5' }))
  await user.type(
    screen.getByRole('searchbox', { name: 'Filter conversations of other programs' }),
    'cart fix',
  )
  expect(screen.getByRole('button', { name: /Fix the cart/ })).toBeTruthy()
  expect(screen.queryByRole('button', { name: /History 2/ })).toBeNull()
  await user.type(
    screen.getByRole('searchbox', { name: 'Filter conversations of other programs' }),
    ' nothing',
  )
  expect(screen.getByText('None matches “cart fix nothing”.')).toBeTruthy()
})

test('while a history is read, the bar says how far that is, and a press stops it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const { id } = entryOf('1')
  const bridge = await startWindow()
  bridge.answer({ 'history.progress': () => 0.427 })
  useConversation.setState({ conversationId: id, phase: 'loading' })
  render(<HistoryBar>composer</HistoryBar>)
  expect(screen.getByRole('status').textContent).toBe('Reading the conversation of Claude Code')
  await act(async () => {
    vi.advanceTimersByTime(300)
  })
  expect(screen.getByText('42%')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: /Stop/ }))
  expect(bridge.inputsOf('history.cancel')).toEqual([{ conversationId: id }])
  vi.useRealTimers()
})
