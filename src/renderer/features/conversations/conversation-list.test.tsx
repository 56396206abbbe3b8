import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { ConversationList } from './conversation-list.tsx'
import { TitleField } from './conversation-row.tsx'
import { loadSeen } from './seen-store.ts'

afterEach(cleanup)
const user = userEvent.setup()

async function open(...conversations: ReturnType<typeof summaryOf>[]): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations })
  bridge.answer({
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  render(<ConversationList />)
  return bridge
}

const titles = () =>
  screen.queryAllByRole('listitem').map((item) => item.querySelector('.truncate')?.textContent)
const row = (name: RegExp) => screen.getByRole('button', { name })

test('lists the conversations of this folder, the most recent first; an empty list says how to start one', async () => {
  await open(
    summaryOf('a', { updatedAt: 1 }),
    summaryOf('b', { updatedAt: 3 }),
    summaryOf('far', { folder: '/elsewhere', updatedAt: 9 }),
  )
  expect(titles()).toEqual(['Conversation b', 'Conversation a'])
  cleanup()
  await open()
  expect(screen.getByText(/The first message starts one/)).toBeTruthy()
})

test('a branch comes after its original, and says what it is; one whose original is gone stands alone', async () => {
  await open(
    summaryOf('a', { updatedAt: 1 }),
    summaryOf('b', { updatedAt: 5 }),
    summaryOf('branch', { updatedAt: 9, branchOf: 'a' }),
    summaryOf('twig', { updatedAt: 3, branchOf: 'branch' }),
    summaryOf('orphan', { updatedAt: 2, branchOf: 'trashed' }),
  )
  expect(titles()).toEqual([
    'Conversation a',
    'Branch: Conversation branch',
    'Branch: Conversation twig',
    'Conversation b',
    'Branch: Conversation orphan',
  ])
})

test('a conversation without a message yet has a name to click', async () => {
  await open(summaryOf('a', { title: '' }))
  expect(titles()).toEqual(['Untitled conversation'])
})

test('F2 renames in place: Enter keeps the title, Escape and an empty title do not', async () => {
  const bridge = await open(summaryOf('a'))
  row(/Conversation a/).focus()
  await user.keyboard('{F2}')
  await user.keyboard('Better name{Enter}')
  expect(bridge.inputsOf('conversation.rename')).toEqual([{ conversationId: 'a', title: 'Better name' }])
  act(() => bridge.push({ type: 'conversation', summary: summaryOf('a', { title: 'Better name' }) }))
  expect(titles()).toEqual(['Better name'])
  row(/Better name/).focus()
  await user.keyboard('{F2}nonsense{Escape}')
  row(/Better name/).focus()
  await user.keyboard('{F2}{Backspace}{Enter}')
  expect(bridge.inputsOf('conversation.rename')).toHaveLength(1)
})

test('a title kept with Enter is not kept again when the field loses the focus', () => {
  const kept: (string | null)[] = []
  render(<TitleField title="Old" onDone={(title) => kept.push(title)} />)
  const field = screen.getByRole('textbox', { name: 'Title' })
  fireEvent.change(field, { target: { value: 'New' } })
  fireEvent.keyDown(field, { key: 'Enter' })
  fireEvent.blur(field)
  expect(kept).toEqual(['New'])
})

test('Delete moves a conversation to the trash', async () => {
  const bridge = await open(summaryOf('a'), summaryOf('b'))
  row(/Conversation a/).focus()
  await user.keyboard('{Delete}')
  expect(bridge.inputsOf('conversation.trash')).toEqual([{ conversationId: 'a' }])
  expect(titles()).toEqual(['Conversation b'])
})

test('moving a conversation with running agents to the trash reports that they were stopped', async () => {
  const notices: string[] = []
  const stop = onNotice(({ text }) => notices.push(text))
  await open(summaryOf('a', { running: 2 }), summaryOf('b'))
  row(/Conversation a/).focus()
  await user.keyboard('{Delete}')
  row(/Conversation b/).focus()
  await user.keyboard('{Delete}')
  expect(notices).toEqual([
    '“Conversation a” is in the trash. Its 2 agents were stopped.',
    '“Conversation b” is in the trash.',
  ])
  stop()
})

test('pending questions and running agents are visible and read out', async () => {
  await open(
    summaryOf('a', { requests: 2, running: 3, updatedAt: 2 }),
    summaryOf('b', { running: 1, updatedAt: 1 }),
  )
  expect(within(row(/Conversation a/)).getByText('2 pending questions')).toBeTruthy()
  expect(within(row(/Conversation b/)).getByText('1 agent running')).toBeTruthy()
})

describe('how a conversation ended', () => {
  const ended = (kind: NonNullable<ConversationSummary['outcome']>['kind'], at = 5) => ({
    outcome: { kind, at },
  })
  const isFront = (yes: boolean) => vi.spyOn(document, 'hasFocus').mockReturnValue(yes)
  afterEach(() => vi.restoreAllMocks())

  test('is marked: failed, interrupted and at a limit until the next run, done until it is seen', async () => {
    await open(
      summaryOf('a', { ...ended('failed'), updatedAt: 5 }),
      summaryOf('b', { ...ended('interrupted'), updatedAt: 4 }),
      summaryOf('c', { ...ended('limit'), updatedAt: 3 }),
      summaryOf('d', { ...ended('done'), updatedAt: 2 }),
      summaryOf('e', { ...ended('stopped'), updatedAt: 1 }),
    )
    const marks = ['a', 'b', 'c', 'd', 'e'].map(
      (id) => row(new RegExp(`Conversation ${id}`)).querySelector('.sr-only')?.textContent,
    )
    expect(marks).toEqual(['failed', 'interrupted', 'stopped at a limit', 'done, not seen yet', undefined])
  })

  test('agents at work and pending questions come first', async () => {
    await open(summaryOf('a', { ...ended('failed'), running: 1 }))
    expect(row(/Conversation a/).querySelector('.sr-only')?.textContent).toBe('1 agent running')
  })

  test('is seen once its conversation is on the screen of a window in front, also after a restart', async () => {
    isFront(true)
    await open(summaryOf('a', ended('done')), summaryOf('b', ended('done')))
    const unread = () => screen.queryAllByText('done, not seen yet')
    expect(unread()).toHaveLength(2)
    await user.click(row(/Conversation a/))
    expect(unread()).toHaveLength(1)
    isFront(false)
    await user.click(row(/Conversation b/))
    expect(unread()).toHaveLength(1)
    isFront(true)
    act(() => void window.dispatchEvent(new Event('focus')))
    expect(unread()).toHaveLength(0)
    const stored = localStorage.getItem('troupe.seen')
    cleanup()
    await open(summaryOf('a', ended('done')), summaryOf('b', ended('done', 9)))
    localStorage.setItem('troupe.seen', stored ?? '')
    act(() => loadSeen())
    expect(unread()).toHaveLength(1)
    expect(within(row(/Conversation b/)).getByText('done, not seen yet')).toBeTruthy()
  })

  test('another view than the stage does not show it', async () => {
    isFront(true)
    await open(summaryOf('a', ended('done')))
    act(() => useSession.setState({ view: 'settings', conversationId: 'a' }))
    expect(screen.getByText('done, not seen yet')).toBeTruthy()
    act(() => useSession.setState({ view: 'stage' }))
    expect(screen.queryByText('done, not seen yet')).toBeNull()
  })
})

test('a thousand conversations are not all rendered at once', async () => {
  await open(...Array.from({ length: 1000 }, (_, index) => summaryOf(`c${index}`, { updatedAt: index })))
  expect(screen.getAllByRole('listitem').length).toBeLessThan(60)
  await user.click(screen.getByRole('button', { name: 'Show 200 more of 960' }))
  expect(screen.getAllByRole('listitem').length).toBeGreaterThan(200)
})

describe('many conversations', () => {
  const five = () => [
    summaryOf('a', { updatedAt: 5, title: 'Charge twice' }),
    summaryOf('b', { updatedAt: 4, title: 'Refactor the cart' }),
    summaryOf('c', { updatedAt: 3, title: 'Old cart', archived: true }),
    summaryOf('d', { updatedAt: 2, title: 'Upgrade React', pinned: true }),
    summaryOf('e', { updatedAt: 1, title: 'Why does CI flake?' }),
  ]

  test('pinned ones come first, archived ones are hidden until they are wanted or the filter finds them', async () => {
    await open(...five())
    expect(titles().slice(0, 4)).toEqual([
      'Pinned: Upgrade React',
      'Charge twice',
      'Refactor the cart',
      'Why does CI flake?',
    ])
    await user.type(screen.getByRole('searchbox', { name: 'Filter conversations' }), 'CART')
    expect(titles()).toEqual(['Refactor the cart', 'Archived: Old cart'])
    await user.keyboard(' zzz')
    expect(screen.getByText('No conversation matches “CART zzz”.')).toBeTruthy()
    await user.keyboard('{Escape}')
    await user.click(screen.getByRole('button', { name: 'Show 1 archived' }))
    expect(titles()).toContain('Archived: Old cart')
  })

  test('the keyboard goes through the rows and pins, archives and duplicates', async () => {
    const bridge = await open(...five())
    bridge.answer({ 'conversation.branch': () => summaryOf('copy', { branchOf: 'a' }) })
    row(/Upgrade React/).focus()
    await user.keyboard('p{ArrowDown}e{ArrowDown}')
    expect(bridge.inputsOf('conversation.mark')).toEqual([
      { conversationId: 'd', pinned: false },
      { conversationId: 'a', archived: true },
    ])
    expect(document.activeElement?.textContent).toContain('Refactor the cart')
    await user.keyboard('/')
    expect(document.activeElement).toBe(screen.getByRole('searchbox'))
    await user.keyboard('{ArrowDown}{ArrowDown}d')
    expect(bridge.inputsOf('conversation.branch')).toEqual([
      { conversationId: 'a', seq: null, content: null },
    ])
  })

  test('of a thousand only a part is in the page', async () => {
    await open(...Array.from({ length: 1000 }, (_, index) => summaryOf(`c${index}`, { updatedAt: index })))
    expect(screen.getAllByRole('listitem').length).toBeLessThan(60)
    await user.type(screen.getByRole('searchbox'), 'c77')
    expect(screen.getAllByRole('listitem')).toHaveLength(11)
  })
})
