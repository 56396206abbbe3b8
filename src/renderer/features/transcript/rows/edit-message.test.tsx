import { act, cleanup, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ConversationRecord } from '../../../../shared/events/conversation.ts'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { SampleLog, stateAfter } from '../../../../shared/testing/sample-log.ts'
import { useBranch } from '../../../stores/conversation-actions.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import type { FakeBridge } from '../../../testing/fake-bridge.ts'
import { Refusal } from '../../../testing/fake-handlers.ts'
import { startWindow, summaryOf } from '../../../testing/start-window.tsx'
import { inTranscript } from '../testing/in-transcript.tsx'
import { RowView } from './row-view.tsx'

let bridge: FakeBridge
const user = userEvent.setup()
const escaped = vi.fn()

const row: Extract<TranscriptRow, { kind: 'user' }> = {
  key: '4:user',
  at: 0,
  seq: 4,
  kind: 'user',
  from: 'user',
  messageId: 'm-1',
  sender: null,
  text: 'Do it',
  images: [],
}

beforeEach(async () => {
  bridge = await startWindow({ conversations: [summaryOf('c1')] })
  bridge.answer({
    'conversation.branch': () => summaryOf('c2', { branchOf: 'c1' }),
    'conversation.unsubscribe': () => undefined,
    'conversation.subscribe': () => {
      throw new Error('not needed here')
    },
  })
  useBranch.setState({ edit: null, busy: false })
  show({})
  window.addEventListener('keydown', escaped)
})
afterEach(() => {
  window.removeEventListener('keydown', escaped)
  escaped.mockClear()
  cleanup()
})

function show({ parentId = null, scratch = false }: { parentId?: string | null; scratch?: boolean }) {
  const script = new SampleLog()
  useConversation.setState({
    conversationId: 'c1',
    phase: 'ready',
    record: { id: 'c1', scratch } as ConversationRecord,
    agents: new Map([['a', stateAfter([script.spawn('a', { parentId })])]]),
  })
}
const draw = (more: Partial<typeof row> = {}) => inTranscript(<RowView row={{ ...row, ...more }} past />)
const button = (name: string) => screen.getByRole('button', { name })
const sent = () => bridge.inputsOf('conversation.branch')

test('an earlier message is edited in place and resent in a branch, from the keyboard', async () => {
  draw()
  button('Edit and resend').focus()
  await user.keyboard('{Enter}')
  const field = screen.getByRole('textbox', { name: 'Edit message' })
  expect(document.activeElement).toBe(field)
  expect(screen.getByText(/files stay as they are now/)).toBeTruthy()
  await user.keyboard(' twice{Shift>}{Enter}{/Shift}and well{Enter}')
  expect(sent()).toEqual([{ conversationId: 'c1', seq: 4, content: 'Do it twice\nand well' }])
  expect(useConversation.getState().conversationId).toBe('c2')
})

test('Escape ends the edit, reaches no other key, and returns the focus', async () => {
  draw()
  await user.click(button('Edit and resend'))
  escaped.mockClear()
  await user.keyboard('x{Escape}')
  expect(escaped.mock.calls.filter(([event]) => event.key === 'Escape')).toEqual([])
  expect(document.activeElement).toBe(button('Edit and resend'))
  expect(screen.getByText('Do it')).toBeTruthy()
  expect(sent()).toEqual([])
})

test('a branch without an edit keeps the answer', async () => {
  draw()
  await user.click(button('Branch from here'))
  expect(sent()).toEqual([{ conversationId: 'c1', seq: 4, content: null }])
})

test('an empty message is not sent; pictures are sent along', async () => {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } } as const
  const { redraw } = draw()
  await user.click(button('Edit and resend'))
  await user.keyboard('{Control>}a{/Control}{Backspace}{Enter}')
  expect(sent()).toEqual([])
  redraw(<RowView row={{ ...row, images: [image] }} past />)
  await user.keyboard('{Enter}')
  expect(sent()).toMatchObject([{ content: [image] }])
})

test('a failure keeps the edit; two presses make one branch', async () => {
  bridge.answer({ 'conversation.branch': () => Promise.reject(new Refusal('The disk is full.', 'io')) })
  const { redraw } = draw()
  await user.click(button('Edit and resend'))
  await user.keyboard('!{Enter}')
  expect(screen.getByDisplayValue('Do it!')).toBeTruthy()
  bridge.answer({ 'conversation.branch': () => new Promise(() => {}) })
  await user.keyboard('{Enter}{Enter}')
  expect(sent()).toHaveLength(2)
  redraw(<RowView row={{ ...row, key: 'again' }} past />)
  expect(screen.getByDisplayValue('Do it!')).toBeTruthy()
})

test('messages to subagents and scratch conversations offer no branch', () => {
  show({ parentId: 'main' })
  draw()
  expect(screen.queryByRole('button', { name: 'Edit and resend' })).toBeNull()
  act(() => show({ scratch: true }))
  expect(screen.queryByRole('button', { name: 'Edit and resend' })).toBeNull()
  act(() => show({}))
  expect(button('Edit and resend')).toBeTruthy()
})
