import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { snapshotOf } from '../../../shared/testing/sample-log.ts'
import { draftOf } from '../../stores/draft-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { Composer } from './composer.tsx'
import { forgetSent } from './use-composer-keys.ts'
import { takeDropped } from './use-send.ts'

afterEach(() => {
  cleanup()
  forgetSent()
})
const user = userEvent.setup()
const field = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Message' })
const chips = () => screen.queryAllByRole('button', { name: /^Pasted text/ }).map((chip) => chip.textContent)
const sent = () => bridge.inputsOf('conversation.send').map(({ content }) => content)
const lines = (amount: number) => Array.from({ length: amount }, (_, index) => `line ${index}`).join('\n')
const paste = (text: string) =>
  act(async () => {
    fireEvent.paste(field(), { clipboardData: { files: [], getData: () => text } })
  })

let bridge: FakeBridge
beforeEach(async () => {
  bridge = await startWindow({ conversations: [summaryOf('c1'), summaryOf('c2')] })
  bridge.answer({
    'conversation.subscribe': ({ conversationId }) => snapshotOf(conversationId),
    'conversation.send': () => ({ messageId: 'm1', queued: false }),
  })
  await act(() => openConversation('c1'))
  render(<Composer />)
})

test('a long paste becomes a chip, a short one stays text, and the model gets the whole text', async () => {
  await user.type(field(), 'Explain this')
  await paste(lines(1204))
  expect(chips()).toEqual(['Pasted text · 1,204 lines'])
  expect(field().value).toBe('Explain this')
  await user.paste(' please')
  expect(field().value).toBe('Explain this please')
  await user.keyboard('{Enter}')
  expect(sent()).toEqual([
    `Explain this please\n\n<pasted-text-1 lines="1204">\n${lines(1204)}\n</pasted-text-1>`,
  ])
  expect(chips()).toEqual([])
})

test('pasted text alone can be sent; line breaks of other systems count too', async () => {
  await paste(lines(60).replaceAll('\n', '\r\n'))
  expect(chips()).toEqual(['Pasted text · 60 lines'])
  await user.click(screen.getByRole('button', { name: /^(Send|Queue)$/ }))
  expect(sent()).toEqual([`<pasted-text-1 lines="60">\n${lines(60)}\n</pasted-text-1>`])
})

test('Backspace at the start of the text removes the last chip, and undo brings it back', async () => {
  await paste(lines(60))
  await paste(lines(70))
  await user.type(field(), 'a{Backspace}{Backspace}')
  expect(chips()).toEqual(['Pasted text · 60 lines'])
  await user.keyboard('{Control>}z{/Control}')
  expect(chips()).toEqual(['Pasted text · 60 lines', 'Pasted text · 70 lines'])
})

test('a chip opens to its text, goes into the text field at the caret, and can be removed', async () => {
  await paste(lines(60))
  await user.type(field(), 'before after')
  field().setSelectionRange(7, 7)
  fireEvent.select(field())
  await user.click(screen.getByRole('button', { name: /^Pasted text/ }))
  const dialog = await screen.findByRole('dialog', { name: 'Pasted text · 60 lines' })
  expect(within(dialog).getByText(/line 59/)).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Insert as text' }))
  expect(field().value).toBe(`before ${lines(60)}after`)
  expect(chips()).toEqual([])
  await paste(lines(50))
  await user.click(screen.getByRole('button', { name: 'Remove pasted text' }))
  expect(chips()).toEqual([])
})

test('a huge chip is shown in parts and is not inserted as text', async () => {
  await paste(lines(200_000))
  expect(chips()[0]).toContain('200,000 lines')
  await user.click(screen.getByRole('button', { name: /^Pasted text/ }))
  const dialog = await screen.findByRole('dialog')
  expect(within(dialog).getByRole('button', { name: 'Insert as text' })).toHaveProperty('disabled', true)
  const shown = () => dialog.querySelector('pre')?.textContent?.length ?? 0
  const before = shown()
  expect(before).toBeLessThan(60_000)
  await user.click(within(dialog).getByRole('button', { name: 'Show more' }))
  expect(shown()).toBeGreaterThan(before)
})

test('too much text is not sent, and the message names the limit; the draft stays', async () => {
  await user.type(field(), 'Read')
  await paste('x'.repeat(1_000_000))
  await user.click(field())
  await user.keyboard('{Enter}')
  expect(sent()).toEqual([])
  expect(screen.getByRole('alert').textContent).toContain('at most 1,000,000 characters')
  expect(chips()).toHaveLength(1)
  await paste('x'.repeat(10_000_001))
  expect(screen.getByRole('alert').textContent).toContain('at most 10,000,000 characters')
  expect(chips()).toHaveLength(1)
})

test('Up brings back a message with its chips; a queued message that is edited keeps them', async () => {
  await user.type(field(), 'Explain')
  await paste(lines(300))
  await user.click(field())
  await user.keyboard('{Enter}')
  await user.type(field(), 'second{Enter}{ArrowUp}{ArrowUp}')
  expect([field().value, chips()]).toEqual(['Explain', ['Pasted text · 300 lines']])
  await user.keyboard('{ArrowDown}')
  expect([field().value, chips()]).toEqual(['second', []])
  await user.keyboard('{ArrowDown}')
  const message = String(sent()[0])
  bridge.answer({ 'conversation.unqueue': () => ({ text: message }) })
  act(() =>
    bridge.push({
      type: 'conversation-event',
      conversationId: 'c1',
      event: {
        v: 1,
        conversationId: 'c1',
        seq: 100,
        order: 100,
        at: 0,
        type: 'message-queued',
        message: {
          messageId: 'q1',
          agentId: 'main',
          from: 'user',
          sender: null,
          content: [{ type: 'text', text: message }],
        },
      },
    }),
  )
  await user.click(screen.getByRole('button', { name: 'Edit message' }))
  expect([field().value, chips()]).toEqual(['Explain', ['Pasted text · 300 lines']])
})

test('Up replaces no chip of the user', async () => {
  await user.type(field(), 'first{Enter}')
  await paste(lines(60))
  await user.click(field())
  await user.keyboard('{ArrowUp}')
  expect([field().value, chips()]).toEqual(['', ['Pasted text · 60 lines']])
})

test('long text that is dropped becomes a chip; a dropped file is only named, whatever its size', async () => {
  await act(async () => {
    fireEvent.drop(field(), { dataTransfer: { files: [], types: ['text/plain'], getData: () => lines(80) } })
  })
  expect(chips()).toEqual(['Pasted text · 80 lines'])
  const huge = new File(['x'], 'huge.log', { type: 'text/plain' })
  Object.defineProperty(huge, 'size', { value: 5_000_000_000 })
  Object.defineProperty(huge, 'text', { value: () => expect.unreachable('a dropped file is not read') })
  await act(() => takeDropped([huge]))
  expect(draftOf('c1').text).toBe('/dropped/huge.log ')
})
