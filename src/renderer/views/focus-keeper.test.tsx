import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import type { AccessInfo } from '../../shared/models/model-access.ts'
import { snapshotOf } from '../../shared/testing/sample-log.ts'
import { useTrust } from '../stores/session-feed.ts'
import { setView } from '../stores/session-store.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import type { FakeBridge } from '../testing/fake-bridge.ts'
import { FOLDER, startWindow, summaryOf } from '../testing/start-window.tsx'
import { TooltipProvider } from '../ui/popover.tsx'
import { useFocusKeeper } from './focus-keeper.ts'
import { Window } from './window.tsx'

afterEach(() => {
  cleanup()
  useTrust.setState({ asking: null, answered: new Set() })
})
const user = userEvent.setup()
const NO_ACCESS: AccessInfo = { kind: 'none', keySource: null, keyStoreSafe: true, baseUrl: '' }
const message = () => screen.findByRole('textbox', { name: 'Message' })
const row = (name: RegExp) => screen.getByRole('button', { name })
const button = (name: string | RegExp) => screen.findByRole('button', { name })

async function open(choices: Parameters<typeof startWindow>[0] = {}): Promise<FakeBridge> {
  const bridge = await startWindow({
    conversations: Array.from({ length: 45 }, (_, index) =>
      summaryOf(`c${index + 1}`, { title: `Talk ${index + 1}.`, updatedAt: 100 - index }),
    ),
    ...choices,
  })
  bridge.answer({
    'agent.transcript': () => ({ events: [], older: false, live: [] }),
    'conversation.subscribe': ({ conversationId }) => snapshotOf(conversationId),
    'access.set': () => ({ ...NO_ACCESS, kind: 'rehearsal' }),
    'folder.pick': () => ({ ...FOLDER, trusted: false }),
    'folder.trust': () => FOLDER,
  })
  Object.assign(window, { innerWidth: 1440 })
  render(
    <TooltipProvider>
      <Window />
    </TooltipProvider>,
  )
  return bridge
}

async function talk(): Promise<FakeBridge> {
  const bridge = await open()
  await act(() => openConversation('c1'))
  ;(await message()).focus()
  return bridge
}

async function openPalette(): Promise<void> {
  await talk()
  await user.keyboard('{Control>}k{/Control}')
  await screen.findByRole('combobox')
}

interface Action {
  readonly run: () => Promise<void>
  /** The element that has the focus afterwards, by its accessible name. */
  readonly focus: RegExp
}

const MESSAGE = /^Message$/

const ACTIONS: Readonly<Record<string, Action>> = {
  'rehearsing without a key': {
    run: async () => {
      await open({ access: NO_ACCESS })
      await user.click(await button(/Not now|Later|Look around/i))
      const rehearse = await button('Rehearse without a key')
      rehearse.focus()
      await user.keyboard('{Enter}')
      await waitFor(() => expect(screen.queryByRole('button', { name: 'Rehearse without a key' })).toBeNull())
    },
    focus: MESSAGE,
  },
  'renaming in the list': {
    run: async () => {
      const bridge = await talk()
      bridge.answer({ 'conversation.rename': () => undefined })
      row(/^Talk 3\./).focus()
      await user.keyboard('{F2}New name{Enter}')
      // The list sorts by the time of the last change, so the row moves.
      act(() =>
        bridge.push({
          type: 'conversation',
          summary: summaryOf('c3', { title: 'New name', updatedAt: 1000 }),
        }),
      )
    },
    focus: /^New name/,
  },
  'canceling a rename': {
    run: async () => {
      await talk()
      row(/^Talk 3\./).focus()
      await user.keyboard('{F2}x{Escape}')
    },
    focus: /^Talk 3\./,
  },
  'deleting a conversation in the list': {
    run: async () => {
      await talk()
      row(/^Talk 3\./).focus()
      await user.keyboard('{Delete}')
    },
    focus: /^Talk 4\./,
  },
  'showing all conversations': {
    run: async () => {
      await talk()
      row(/^Show 5 more/).focus()
      await user.keyboard('{Enter}')
    },
    focus: /^Talk 41/,
  },
  'moving the shown conversation to the trash': {
    run: async () => {
      await talk()
      await user.click(await button('Conversation'))
      await user.click(await screen.findByRole('menuitem', { name: /Move to trash/ }))
    },
    focus: MESSAGE,
  },
  'removing a pasted text': {
    run: async () => {
      await talk()
      fireEvent.paste(await message(), { clipboardData: { files: [], getData: () => 'x'.repeat(5000) } })
      ;(await button('Remove pasted text')).focus()
      await user.keyboard('{Enter}')
    },
    focus: MESSAGE,
  },
  'closing the palette with Escape': {
    run: async () => {
      await openPalette()
      await user.keyboard('{Escape}')
    },
    focus: MESSAGE,
  },
  'closing the help': {
    run: async () => {
      await talk()
      await user.keyboard('/help{Enter}')
      await screen.findByRole('dialog')
      await user.keyboard('{Escape}')
    },
    focus: MESSAGE,
  },
  'closing the limits': {
    run: async () => {
      await openPalette()
      await user.keyboard('limits{Enter}')
      await screen.findByRole('dialog')
      await user.keyboard('{Escape}')
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    },
    focus: MESSAGE,
  },
  'going to another view from the palette': {
    run: async () => {
      await openPalette()
      await user.keyboard('settings{Enter}')
      await screen.findByRole('heading', { name: 'General', level: 1 })
    },
    focus: /./,
  },
  'leaving a view while one of its fields has the focus': {
    run: async () => {
      await talk()
      act(() => setView('settings'))
      await screen.findByRole('heading', { name: 'General', level: 1 })
      screen.getAllByRole('button', { name: /theme|zoom|layout/i })[0]?.focus()
      await user.keyboard('{Control>}1{/Control}')
      await message()
    },
    focus: MESSAGE,
  },
  'answering the first questions': {
    run: async () => {
      await open({ folder: null, access: NO_ACCESS })
      ;(await button(/Open a folder/)).focus()
      await user.keyboard('{Enter}')
      ;(await button(/I trust this folder/)).focus()
      await user.keyboard('{Enter}')
      ;(await button(/Rehearse without a key/)).focus()
      await user.keyboard('{Enter}')
      await message()
    },
    focus: MESSAGE,
  },
}

function nameOf(element: Element | null): string {
  return element?.getAttribute('aria-label') ?? element?.textContent ?? element?.tagName ?? ''
}

test.each(Object.entries(ACTIONS))(
  'after %s the focus is where work goes on',
  async (_name, { run, focus }) => {
    await run()
    await waitFor(() => {
      expect(document.activeElement).not.toBe(document.body)
      expect(nameOf(document.activeElement)).toMatch(focus)
    })
  },
)

function Keeper({ view }: { readonly view: 'composer' | 'nothing' | 'settings' }) {
  useFocusKeeper()
  if (view === 'composer') return <textarea aria-label="Message" />
  return view === 'nothing' ? null : <main aria-label="Settings" />
}

test('a view that is still loading gets the focus when it is there', async () => {
  vi.useFakeTimers()
  const { rerender } = render(<Keeper view="composer" />)
  screen.getByRole('textbox').focus()
  rerender(<Keeper view="nothing" />)
  await act(() => vi.advanceTimersByTimeAsync(700))
  expect(document.activeElement).toBe(document.body)
  rerender(<Keeper view="settings" />)
  await act(() => vi.advanceTimersByTimeAsync(100))
  vi.useRealTimers()
  expect(nameOf(document.activeElement)).toBe('Settings')
})

test('an element that is hidden gives its focus away, as a view does while the next one loads', async () => {
  vi.useFakeTimers()
  const { rerender } = render(<Keeper view="composer" />)
  const field = screen.getByRole('textbox')
  field.focus()
  // The browser takes the focus from an element that is not drawn.
  Object.assign(field, { checkVisibility: () => false })
  field.blur()
  await act(() => vi.advanceTimersByTimeAsync(700))
  expect(document.activeElement).toBe(document.body)
  rerender(<Keeper view="settings" />)
  await act(() => vi.advanceTimersByTimeAsync(100))
  vi.useRealTimers()
  expect(nameOf(document.activeElement)).toBe('Settings')
})

test('a focus that the user left on purpose is not given back', async () => {
  const bridge = await talk()
  row(/^Talk 3\./).focus()
  vi.useFakeTimers()
  act(() => row(/^Talk 3\./).blur())
  await act(() => vi.advanceTimersByTimeAsync(10))
  act(() =>
    bridge.push({ type: 'conversation', summary: summaryOf('c3', { title: 'Talk 3.', updatedAt: 2000 }) }),
  )
  act(() => bridge.push({ type: 'conversation-gone', conversationId: 'c3' }))
  await act(() => vi.advanceTimersByTimeAsync(1000))
  vi.useRealTimers()
  expect(document.activeElement).toBe(document.body)
})

function AfterAnswer({ isOver }: { readonly isOver: boolean }) {
  useFocusKeeper()
  return (
    <main>
      {!isOver && <article data-after-answer="" aria-label="panel" tabIndex={-1} />}
      <textarea data-focus-home="" aria-label="field" />
    </main>
  )
}

test('after an answer the lost focus goes to no text field, because a late key would be typed there', async () => {
  const { rerender } = render(<AfterAnswer isOver={false} />)
  act(() => screen.getByLabelText('panel').focus())
  rerender(<AfterAnswer isOver />)
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('main')))
})
