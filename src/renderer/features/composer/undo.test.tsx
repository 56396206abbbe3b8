import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { snapshotOf } from '../../../shared/testing/sample-log.ts'
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
const undo = () => user.keyboard('{Control>}z{/Control}')
const redo = () => user.keyboard('{Control>}{Shift>}z{/Shift}{/Control}')

async function open(): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations: [summaryOf('c1'), summaryOf('c2')] })
  bridge.answer({
    'folder.files': () => ['src/cart.ts'],
    'conversation.create': () => summaryOf('c3'),
    'conversation.send': () => ({ messageId: 'm1', queued: false }),
    'conversation.subscribe': ({ conversationId }) => snapshotOf(conversationId),
  })
  await act(() => openConversation(null))
  render(<Composer variant="start" />)
  return bridge
}

test('undo takes back an accepted completion, then the typing word by word; redo brings it back', async () => {
  await open()
  await user.type(field(), 'look at #car')
  await screen.findByText('src/cart.ts')
  await user.keyboard('{Enter}')
  expect(field().value).toBe('look at src/cart.ts ')
  await undo()
  expect(field().value).toBe('look at #car')
  expect(field().selectionStart).toBe('look at #car'.length)
  await undo()
  expect(field().value).toBe('look at ')
  await undo()
  await undo()
  await undo()
  expect(field().value).toBe('')
  await redo()
  expect(field().value).toBe('look ')
  await redo()
  await redo()
  await user.keyboard('{Control>}y{/Control}')
  expect(field().value).toBe('look at src/cart.ts ')
  await redo()
  expect(field().value).toBe('look at src/cart.ts ')
})

test('a change after an undo ends the redo', async () => {
  await open()
  await user.type(field(), 'one two')
  await undo()
  await user.type(field(), 'x')
  await redo()
  expect(field().value).toBe('one x')
})

test('undo takes back a recalled message, dropped paths, the recipient and a removed image', async () => {
  await open()
  await user.type(field(), 'sent before{Enter}')
  await waitFor(() => expect(field().value).toBe(''))
  await undo()
  expect(field().value).toBe('')
  await user.keyboard('{ArrowUp}')
  expect(field().value).toBe('sent before')
  await undo()
  expect(field().value).toBe('')
  await user.type(field(), 'see')
  await act(() => takeDropped([new File(['a'], 'notes.txt', { type: 'text/plain' })]))
  expect(field().value).toBe('see /dropped/notes.txt ')
  await undo()
  expect(field().value).toBe('see')
  const image = new File([new Uint8Array([1])], 'shot.png', { type: 'image/png' })
  await act(async () => {
    fireEvent.paste(field(), { clipboardData: { files: [image] } })
  })
  await user.click(await screen.findByRole('button', { name: 'Remove shot.png' }))
  expect(screen.queryByAltText('shot.png')).toBeNull()
  await user.click(field())
  await undo()
  expect(screen.getByAltText('shot.png')).toBeTruthy()
  await undo()
  expect(screen.queryByAltText('shot.png')).toBeNull()
  expect(field().value).toBe('see')
})

test('deleting letters is one step, apart from typing; a paste is a step of its own', async () => {
  await open()
  await user.type(field(), 'word{Backspace}{Backspace}')
  await user.paste('many words')
  expect(field().value).toBe('womany words')
  await undo()
  expect(field().value).toBe('wo')
  await undo()
  expect(field().value).toBe('word')
})

test('the undo of the Edit menu does the same', async () => {
  await open()
  await user.type(field(), 'one two')
  fireEvent(
    field(),
    new InputEvent('beforeinput', { inputType: 'historyUndo', bubbles: true, cancelable: true }),
  )
  expect(field().value).toBe('one ')
  fireEvent(
    field(),
    new InputEvent('beforeinput', { inputType: 'historyRedo', bubbles: true, cancelable: true }),
  )
  expect(field().value).toBe('one two')
})

test('each conversation has its own history', async () => {
  await open()
  await act(() => openConversation('c1'))
  await user.type(field(), 'first')
  await act(() => openConversation('c2'))
  await user.type(field(), 'second')
  await undo()
  await undo()
  expect(field().value).toBe('')
  await act(() => openConversation('c1'))
  expect(field().value).toBe('first')
  await user.click(field())
  await undo()
  expect(field().value).toBe('')
})
