import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { KeyBindings } from '../../shared/commands/key-bindings.ts'
import type { AgentEvent } from '../../shared/events/agent-event.ts'
import { SampleLog, snapshotOf, stateAfter } from '../../shared/testing/sample-log.ts'
import { useDrafts } from '../stores/draft-store.ts'
import { useKeyBindings } from '../stores/keys-store.ts'
import { type Notice, onNotice, useOverlay, useRequestDrawer } from '../stores/overlay-store.ts'
import { useSession } from '../stores/session-store.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import type { FakeBridge } from '../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../testing/start-window.tsx'
import { Button } from '../ui/button.tsx'
import { useGlobalKeys } from './global-keys.ts'
import { Toasts } from './toasts.tsx'

let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow({ conversations: [summaryOf('c1')] })
})
afterEach(() => {
  cleanup()
  useKeyBindings.setState({ bindings: {} })
})

function Keys() {
  useGlobalKeys()
  return (
    <>
      <input aria-label="elsewhere" />
      <article aria-label="panel" tabIndex={-1} />
      <Button disabled focusableWhenDisabled>
        refused
      </Button>
      <main>
        <textarea aria-label="composer" />
      </main>
    </>
  )
}

/** A conversation in which the main agent is in this state and one helper works. */
async function openWith(main: 'running' | 'ready'): Promise<void> {
  const script = new SampleLog()
  const log: AgentEvent[] = [
    script.spawn('main'),
    main === 'running'
      ? script.status('main', 'running')
      : script.next('main', { type: 'status-changed', status: 'waiting', waitingFor: 'message' }),
  ]
  const helper = [script.spawn('helper', { parentId: 'main' }), script.status('helper', 'running')]
  bridge.answer({
    'conversation.subscribe': () => snapshotOf('c1', [stateAfter(log), stateAfter(helper)]),
  })
  await act(() => openConversation('c1'))
}

const stops = () => bridge.calls.filter((call) => /stop$/.test(call.name)).map((call) => call.name)
const pressEscape = (target: Element, timeStamp: number) => {
  const event = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true })
  Object.defineProperty(event, 'timeStamp', { value: timeStamp })
  act(() => void target.dispatchEvent(event))
}
const notices: Notice[] = []
onNotice((notice) => notices.push(notice))
beforeEach(() => {
  notices.length = 0
})

test('Escape stops the reading of a conversation of another program', async () => {
  const id = `from-claude-${'0'.repeat(20)}`
  bridge.answer({ 'conversation.subscribe': () => new Promise<never>(() => {}) })
  render(<Keys />)
  act(() => void openConversation(id))
  pressEscape(document.body, 1000)
  expect(bridge.inputsOf('history.cancel')).toEqual([{ conversationId: id }])
  await openWith('running')
  pressEscape(document.body, 2000)
  expect(bridge.inputsOf('history.cancel')).toHaveLength(1)
})

test('Escape twice within a second stops all agents, a notice names them, and its action continues them', async () => {
  await openWith('running')
  render(<Keys />)
  pressEscape(document.body, 1000)
  expect(stops()).toEqual([])
  expect(notices.map(({ text }) => text)).toEqual(['Press Escape again to stop all 2 agents.'])
  await act(async () => pressEscape(document.body, 1900))
  expect(stops()).toEqual(['conversation.stop'])
  const notice = notices.at(-1)
  expect(notice?.text).toBe('Stopped: Main agent, helper.')
  expect(notice?.action?.label).toBe('Continue all 2')
  notice?.action?.run()
  expect(bridge.inputsOf('conversation.continue')).toEqual([{ conversationId: 'c1' }])
})

test('a press more than a second later counts as a first one, and so does the press after a stop', async () => {
  await openWith('running')
  render(<Keys />)
  for (const at of [1000, 2001, 9000]) pressEscape(document.body, at)
  expect(stops()).toEqual([])
  pressEscape(document.body, 9500)
  pressEscape(document.body, 9900)
  expect(stops()).toEqual(['conversation.stop'])
})

test('Escape in the composer only leaves it, and does not count as a first press', async () => {
  await openWith('running')
  const { getByLabelText } = render(<Keys />)
  const composer = getByLabelText('composer')
  composer.focus()
  pressEscape(composer, 1000)
  expect(document.activeElement).toBe(document.body)
  pressEscape(document.body, 1200)
  expect(stops()).toEqual([])
  pressEscape(document.body, 1400)
  expect(stops()).toEqual(['conversation.stop'])
})

test('while only subagents work, two presses stop them', async () => {
  await openWith('ready')
  render(<Keys />)
  pressEscape(document.body, 1000)
  expect(notices[0]?.text).toBe('Press Escape again to stop the agent.')
  await act(async () => pressEscape(document.body, 1400))
  expect(stops()).toEqual(['conversation.stop'])
  expect(notices.at(-1)?.text).toBe('Stopped: helper.')
})

test('a press that something else handled counts for nothing', async () => {
  await openWith('running')
  const { getByLabelText } = render(<Keys />)
  pressEscape(document.body, 1000)
  pressEscape(getByLabelText('elsewhere'), 1100)
  pressEscape(document.body, 1200)
  const taken = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true })
  taken.preventDefault()
  document.body.dispatchEvent(taken)
  pressEscape(document.body, 1400)
  expect(stops()).toEqual([])
})

test.each(['dialog', 'menu', 'listbox'])(
  'a press that closes a %s counts for nothing, wherever the focus is',
  async (role) => {
    await openWith('running')
    render(<Keys />)
    const popup = document.createElement('div')
    popup.setAttribute('role', role)
    document.body.append(popup)
    // The popup leaves the page before the event reaches the window.
    document.addEventListener('keydown', () => popup.remove(), { once: true })
    pressEscape(document.body, 1000)
    pressEscape(document.body, 1200)
    expect(stops()).toEqual([])
    pressEscape(document.body, 1400)
    expect(stops()).toEqual(['conversation.stop'])
  },
)

test('a notice on the screen is no popup: the second press stops', async () => {
  await openWith('running')
  render(
    <>
      <Keys />
      <Toasts />
    </>,
  )
  pressEscape(document.body, 1000)
  await screen.findByText('Press Escape again to stop all 2 agents.')
  pressEscape(document.body, 1400)
  expect(stops()).toEqual(['conversation.stop'])
})

test('Escape outside the conversation moves the focus there and stops nothing', async () => {
  await openWith('running')
  const { getByLabelText } = render(<Keys />)
  const wishes = () => useDrafts.getState().focusRequests
  const before = wishes()
  pressEscape(getByLabelText('panel'), 1000)
  expect(wishes()).toBe(before + 1)
  // A press in the panel does not count as a first press.
  pressEscape(document.body, 1400)
  expect(stops()).toEqual([])
})

test('the keys of the commands work on a disabled button that keeps the focus', async () => {
  render(<Keys />)
  screen.getByRole('button', { name: 'refused' }).focus()
  await userEvent.keyboard('{Control>}{Shift>}P{/Shift}{/Control}')
  expect(useRequestDrawer.getState().open).toBe(true)
})

test('the keys of the commands work while the user types, and keep the menu from running them again', async () => {
  const { getByLabelText } = render(<Keys />)
  const user = userEvent.setup()
  bridge.answer({ 'folder.pick': () => null })
  const left: string[] = []
  const watch = (event: KeyboardEvent) => {
    if (event.key !== 'Control' && event.key !== 'Shift' && !event.defaultPrevented) left.push(event.key)
  }
  window.addEventListener('keydown', watch)
  await user.click(getByLabelText('composer'))
  await user.keyboard('{Control>}k{/Control}')
  expect(useOverlay.getState().overlay).toBe('palette')
  await user.keyboard('{Control>}{Shift>}P{/Shift}{/Control}')
  expect(useRequestDrawer.getState().open).toBe(true)
  await user.keyboard('{Control>},{/Control}')
  expect(useSession.getState().view).toBe('settings')
  await user.keyboard('{Control>}2{/Control}')
  expect(useSession.getState().view).toBe('agents')
  await user.keyboard('{Control>}4{/Control}')
  expect(useSession.getState().view).toBe('review')
  await user.keyboard('{Control>}1{/Control}')
  expect(useSession.getState().view).toBe('stage')
  await user.keyboard('{Control>}o{/Control}')
  expect(bridge.inputsOf('folder.pick')).toHaveLength(1)
  window.removeEventListener('keydown', watch)
  expect(left).toEqual([])
})

test('a key that the focused part has handled runs no command', async () => {
  await openWith('running')
  const { getByLabelText } = render(<Keys />)
  const field = getByLabelText('composer')
  const press = () => act(() => void fireEvent.keyDown(field, { key: '.', code: 'Period', ctrlKey: true }))
  const take = (event: Event) => event.preventDefault()
  field.addEventListener('keydown', take)
  press()
  expect(bridge.inputsOf('agent.pause')).toEqual([])
  field.removeEventListener('keydown', take)
  press()
  expect(bridge.inputsOf('agent.pause')).not.toEqual([])
})

test('keys that the user chose work at once, instead of the defaults, and count before equal defaults', () => {
  render(<Keys />)
  act(() => useOverlay.setState({ overlay: null }))
  const bind = (bindings: KeyBindings['bindings']) =>
    act(() => bridge.push({ type: 'keys', keys: { file: '/k', bindings, problems: [] } }))
  bind({ palette: { keys: 'Alt Shift .', line: 2 } })
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  expect(useOverlay.getState().overlay).toBeNull()
  fireEvent.keyDown(document.body, { key: '>', code: 'Period', altKey: true, shiftKey: true })
  expect(useOverlay.getState().overlay).toBe('palette')
  act(() => useOverlay.setState({ overlay: null }))
  bind({ settings: { keys: 'Mod K', line: 2 } })
  fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  expect(useOverlay.getState().overlay).toBeNull()
  expect(useSession.getState().view).toBe('settings')
})

test('zoom takes the key with and without Shift', () => {
  render(<Keys />)
  for (const event of [{ key: '=' }, { key: '+', shiftKey: true }])
    fireEvent.keyDown(document.body, { ...event, ctrlKey: true })
  expect(bridge.inputsOf('settings.change').map(({ patch }) => patch.zoom)).toEqual([110, 125])
})
