import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { SampleLog, snapshotOf, stateAfter } from '../../shared/testing/sample-log.ts'
import { CoordinatorDialog } from '../features/teams/coordinator-dialog.tsx'
import { send, toggleCoordinator } from '../stores/conversation-actions.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { useOverlay } from '../stores/overlay-store.ts'
import { useSession } from '../stores/session-store.ts'
import type { FakeBridge } from '../testing/fake-bridge.ts'
import { FOLDER, startWindow, summaryOf } from '../testing/start-window.tsx'
import { TooltipProvider } from '../ui/popover.tsx'
import { CoordinatorButton } from './title-bar.tsx'

const user = userEvent.setup()
let bridge: FakeBridge

const snapshotWith = (id: string, coordinator: boolean) => {
  const main = stateAfter([new SampleLog().spawn(`main-${id}`)])
  const agents = [{ ...main, status: 'waiting' as const, waitingFor: 'message' as const }]
  return snapshotOf(id, agents, { folder: FOLDER.path, title: 'A task', coordinator })
}

beforeEach(async () => {
  bridge = await startWindow()
  bridge.answer({
    'conversation.create': () => summaryOf('c-new'),
    'conversation.subscribe': ({ conversationId }) =>
      snapshotWith(conversationId, conversationId === 'c-coordinated'),
    'conversation.unsubscribe': () => undefined,
    'conversation.send': () => ({ messageId: 'm', queued: false }),
    'conversation.branch': () => summaryOf('c-branch'),
  })
})
afterEach(() => {
  cleanup()
  useOverlay.setState({ overlay: null })
})

function Both() {
  const open = useOverlay(({ overlay }) => overlay === 'coordinator')
  return (
    <TooltipProvider>
      <CoordinatorButton compact={false} />
      <CoordinatorDialog open={open} onClose={() => useOverlay.setState({ overlay: null })} />
    </TooltipProvider>
  )
}
const button = () => screen.getByRole('button', { name: 'Coordinator mode', hidden: true })
const isOn = () => button().getAttribute('aria-pressed')

async function shown(id: string) {
  const { openConversation } = await import('../stores/shown-conversation.ts')
  await act(() => openConversation(id))
}

test('the button switches a new conversation, which is created so', async () => {
  render(<Both />)
  expect(isOn()).toBe('false')
  await user.click(button())
  expect(isOn()).toBe('true')
  await user.click(button())
  await user.click(button())
  await act(() => send({ agentId: null, content: 'Go' }).then(() => undefined))
  expect(bridge.inputsOf('conversation.create')).toMatchObject([{ folder: FOLDER.path, coordinator: true }])
})

test('the choice counts for one conversation', async () => {
  render(<Both />)
  await user.click(button())
  await shown('c-1')
  await act(() =>
    import('../stores/shown-conversation.ts').then(({ openConversation }) => openConversation(null)),
  )
  expect(isOn()).toBe('false')
})

test.each([
  [null, false, false],
  [null, true, true],
  [true, false, true],
  [false, true, false],
])(
  'with %s from the environment and %s in the settings a new conversation has %s',
  (given, chosen, expected) => {
    const { info, settings } = useSession.getState()
    useSession.setState({
      info: { ...info, coordinatorMode: given },
      settings: { ...settings, coordinatorMode: chosen },
    })
    render(<Both />)
    expect(isOn()).toBe(String(expected))
    act(toggleCoordinator)
    expect(isOn()).toBe(String(!expected))
  },
)

test('a conversation that has begun keeps its mode, and continues in a branch with the other one', async () => {
  render(<Both />)
  await shown('c-1')
  await user.click(button())
  expect(isOn()).toBe('false')
  expect(screen.getByRole('dialog', { name: 'Continue in coordinator mode?' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Branch' }))
  expect(bridge.inputsOf('conversation.branch')).toEqual([
    { conversationId: 'c-1', seq: null, content: null, coordinator: true },
  ])
  expect(useSession.getState().conversationId).toBe('c-branch')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('or it begins an empty conversation with the other one', async () => {
  render(<Both />)
  await shown('c-coordinated')
  expect(isOn()).toBe('true')
  await user.click(button())
  expect(screen.getByRole('dialog', { name: 'Continue without coordinator mode?' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Empty conversation' }))
  expect(useSession.getState()).toMatchObject({ conversationId: null, draft: { coordinatorMode: false } })
  expect(bridge.inputsOf('conversation.branch')).toEqual([])
})

test('a branch that is not possible leaves the dialog open', async () => {
  bridge.answer({
    'conversation.branch': () => {
      throw new Error('This conversation works in its own worktree.')
    },
  })
  render(<Both />)
  await shown('c-1')
  await user.click(button())
  await user.click(screen.getByRole('button', { name: 'Branch' }))
  expect(screen.getByRole('dialog')).toBeTruthy()
  expect(useSession.getState().conversationId).toBe('c-1')
  await user.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('agents that work are named in the offer', async () => {
  render(<Both />)
  await shown('c-1')
  const { agents } = useConversation.getState()
  const [[id, main]] = [...agents] as [[string, NonNullable<ReturnType<typeof agents.get>>]]
  act(() =>
    useConversation.setState({ agents: new Map([[id, { ...main, status: 'running', waitingFor: null }]]) }),
  )
  await user.click(button())
  expect(screen.getByText(/1 agent of this conversation continues here/)).toBeTruthy()
})

test('a definition that is tried out can’t be switched', async () => {
  render(<Both />)
  await shown('c-1')
  const { record } = useConversation.getState()
  act(() => useConversation.setState({ record: record && { ...record, scratch: true } }))
  expect((button() as HTMLButtonElement).disabled).toBe(true)
})
