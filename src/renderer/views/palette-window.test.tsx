import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { SampleLog, snapshotOf, stateAfter } from '../../shared/testing/sample-log.ts'
import { showOverlay } from '../stores/overlay-store.ts'
import { setView } from '../stores/session-store.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import type { FakeBridge } from '../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../testing/start-window.tsx'
import { TooltipProvider } from '../ui/popover.tsx'
import { Window } from './window.tsx'

afterEach(() => {
  cleanup()
  showOverlay(null)
})
const user = userEvent.setup()

/** The whole window with a conversation, in another view than the stage. */
async function open(): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations: [summaryOf('c1', { title: 'The cart' })] })
  const script = new SampleLog()
  const main = stateAfter([script.spawn('main', { task: '' }), script.status('main', 'running')])
  bridge.answer({
    'access.models': () => [{ id: 'claude-opus-9-1', name: 'Claude Opus 9.1' }],
    'agent.transcript': () => ({ events: [], older: false, live: [] }),
    'conversation.subscribe': ({ conversationId }) => snapshotOf(conversationId, [main]),
  })
  await act(() => openConversation('c1'))
  act(() => setView('settings'))
  render(
    <TooltipProvider>
      <Window />
    </TooltipProvider>,
  )
  return bridge
}

async function type(text: string): Promise<void> {
  await user.keyboard('{Control>}k{/Control}')
  await screen.findByRole('combobox')
  await user.keyboard(text)
}

// The first test of this file: the palette is not loaded yet.
test('what is typed while the palette loads is its first text, and reaches no other field', async () => {
  await open()
  const field = document.createElement('textarea')
  document.body.append(field)
  field.focus()
  fireEvent.keyDown(field, { key: 'k', code: 'KeyK', ctrlKey: true })
  expect(screen.queryByRole('combobox')).toBeNull()
  const focused = document.activeElement as HTMLInputElement
  expect(focused).not.toBe(field)
  fireEvent.change(focused, { target: { value: 'rename' } })
  const palette = await screen.findByRole<HTMLInputElement>('combobox')
  expect(palette.value).toBe('rename')
  await waitFor(() => expect(document.activeElement).toBe(palette))
  field.remove()
})

test('an overlay that loads when it first opens gives the focus back to its origin', async () => {
  const bridge = await open()
  bridge.answer({
    'agent.context': ({ agentId }) => ({
      agentId,
      model: 'sonnet',
      window: null,
      used: 0,
      basis: 'length' as const,
      groups: [],
    }),
  })
  const button = screen.getByRole('button', { name: /^Go to/ })
  button.focus()
  act(() => showOverlay('context', null))
  await screen.findByRole('dialog', { name: 'Context window' })
  await waitFor(() => expect(button).not.toBe(document.activeElement))
  await user.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(button))
})

test('“Choose model…” lists the models, those of the API too, and Enter chooses', async () => {
  const bridge = await open()
  await type('model{Enter}')
  expect(screen.getByRole<HTMLInputElement>('combobox').value).toBe('Model: ')
  expect(await screen.findByText('Model: Claude Opus 9.1')).toBeTruthy()
  await user.keyboard('9.1{Enter}')
  expect(bridge.inputsOf('conversation.setModel')).toEqual([
    { conversationId: 'c1', model: 'claude-opus-9-1' },
  ])
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
})

test('rename, find and help work from another view', async () => {
  const bridge = await open()
  await type('rename{Enter}')
  const title = await screen.findByRole('textbox', { name: 'Title' })
  await waitFor(() => expect(document.activeElement).toBe(title))
  await user.keyboard('Better{Enter}')
  expect(bridge.inputsOf('conversation.rename')).toEqual([{ conversationId: 'c1', title: 'Better' }])
  act(() => setView('settings'))
  await type('find{Enter}')
  const find = await screen.findByLabelText(/^Find in (?!the)/)
  await waitFor(() => expect(document.activeElement).toBe(find))
  await type('help{Enter}')
  expect(await screen.findByRole('dialog', { name: 'Keys and commands' })).toBeTruthy()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})
