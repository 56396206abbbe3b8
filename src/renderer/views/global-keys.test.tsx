import { act, cleanup, render } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../shared/agent-event.ts'
import { useDrafts } from '../stores/draft-store.ts'
import { onNotice } from '../stores/notice-store.ts'
import { useOverlay } from '../stores/overlay-store.ts'
import { useSession } from '../stores/session-store.ts'
import { openConversation } from '../stores/shown-conversation.ts'
import { EventScript, stateAfter } from '../testing/event-script.ts'
import type { FakeBridge } from '../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../testing/start-window.tsx'
import { useGlobalKeys } from './global-keys.ts'

let bridge: FakeBridge

beforeEach(async () => {
  bridge = await startWindow({ conversations: [summaryOf('c1')] })
})
afterEach(cleanup)

function Keys() {
  useGlobalKeys()
  return (
    <>
      <input aria-label="elsewhere" />
      <article aria-label="panel" tabIndex={-1} />
      <main>
        <textarea aria-label="composer" />
      </main>
    </>
  )
}

/** A conversation in which the main agent is in this state and one helper works. */
async function openWith(main: 'running' | 'ready'): Promise<void> {
  const script = new EventScript()
  const log: AgentEvent[] = [
    script.spawn('main'),
    main === 'running'
      ? script.status('main', 'running')
      : script.next('main', { type: 'status-changed', status: 'waiting', waitingFor: 'message' }),
  ]
  const helper = [script.spawn('helper', { parentId: 'main' }), script.status('helper', 'running')]
  bridge.answer({
    'conversation.subscribe': () => ({
      record: {
        v: 1,
        id: 'c1',
        folder: '/work/shop',
        title: 't',
        named: false,
        mainAgentId: 'main',
        agentIds: ['main', 'helper'],
        createdAt: 0,
        updatedAt: 0,
        rehearsal: false,
        scratch: false,
        queued: [],
        limits: null,
      },
      readOnly: false,
      agents: [stateAfter(log), stateAfter(helper)],
      queued: [],
      order: 9,
    }),
  })
  await act(() => openConversation('c1'))
}

const stops = () => bridge.calls.filter((call) => /stop$/.test(call.name)).map((call) => call.name)
const pressEscape = (target: Element, timeStamp: number) => {
  const event = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true })
  Object.defineProperty(event, 'timeStamp', { value: timeStamp })
  act(() => void target.dispatchEvent(event))
}

test('Escape stops the main agent, a second press stops all agents, and a late press counts as a first one', async () => {
  await openWith('running')
  const { getByLabelText } = render(<Keys />)
  const composer = getByLabelText('composer')
  pressEscape(composer, 1000)
  expect(stops()).toEqual(['agent.stop'])
  pressEscape(composer, 1900)
  expect(stops()).toEqual(['agent.stop', 'conversation.stop'])
  pressEscape(composer, 9000)
  pressEscape(composer, 20_000)
  expect(stops()).toEqual(['agent.stop', 'conversation.stop', 'agent.stop', 'agent.stop'])
})

test('while only subagents work, the first Escape announces the effect of the second', async () => {
  await openWith('ready')
  const said = vi.fn()
  const stop = onNotice(said)
  const { getByLabelText } = render(<Keys />)
  pressEscape(getByLabelText('composer'), 1000)
  expect(said).toHaveBeenCalledWith(
    expect.objectContaining({ text: 'Press Escape again to stop the agent.' }),
  )
  expect(stops()).toEqual([])
  pressEscape(getByLabelText('composer'), 1400)
  expect(stops()).toEqual(['conversation.stop'])
  stop()
})

test('an Escape that was handled elsewhere, or in another field, stops nothing', async () => {
  await openWith('running')
  const { getByLabelText } = render(<Keys />)
  pressEscape(getByLabelText('elsewhere'), 1000)
  const taken = new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true })
  taken.preventDefault()
  getByLabelText('composer').dispatchEvent(taken)
  expect(stops()).toEqual([])
})

test('Escape outside the conversation moves the focus there and stops nothing', async () => {
  await openWith('running')
  const { getByLabelText } = render(<Keys />)
  const wishes = () => useDrafts.getState().focusRequests
  const before = wishes()
  pressEscape(getByLabelText('panel'), 1000)
  expect(stops()).toEqual([])
  expect(wishes()).toBe(before + 1)
  // A press in the panel does not count as a first press.
  pressEscape(getByLabelText('composer'), 1400)
  expect(stops()).toEqual(['agent.stop'])
  pressEscape(document.body, 9000)
  expect(stops()).toEqual(['agent.stop', 'agent.stop'])
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
  expect(useOverlay.getState().overlay).toBe('requests')
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
