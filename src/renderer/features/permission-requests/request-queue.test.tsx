import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { receiveConversation, useConversation } from '../../stores/conversation-store.ts'
import { EventScript, stateAfter } from '../../testing/event-script.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { RequestAnnouncer } from './request-announcer.tsx'
import { RequestQueue } from './request-queue.tsx'

let bridge: FakeBridge
let script: EventScript

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  script = new EventScript()
  bridge = installFakeBridge({
    'agent.answer': ({ agentId, requestId }) => {
      receiveConversation([
        { type: 'event', conversationId: 'c1', event: script.answered(agentId, requestId) },
      ])
    },
  })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** Agents a0, a1, …, each with one pending request. */
function openQueue(count: number) {
  const states = Array.from({ length: count }, (_, index) =>
    stateAfter([script.spawn(`a${index}`), script.asks(`a${index}`, `p${index}`)]),
  )
  useConversation.setState({
    conversationId: 'c1',
    phase: 'ready',
    readOnly: false,
    agents: new Map(states.map((state) => [state.id, state])),
    agentIds: states.map((state) => state.id),
    needs: states.flatMap((state) => state.requests.map((request) => ({ agentId: state.id, request }))),
  })
  const onClose = vi.fn()
  render(
    <>
      <RequestQueue open onClose={onClose} renderForm={() => null} />
      <RequestAnnouncer />
    </>,
  )
  return onClose
}

const press = async (key: string, more: object = {}) => {
  vi.advanceTimersByTime(500)
  await act(async () => {
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more })
  })
}
const current = () => screen.getByRole('group').textContent?.match(/^(a\d+) wants/)?.[1]

test('the keyboard answers ten requests, then the dialog closes', async () => {
  const onClose = openQueue(10)
  await act(async () => {})
  for (let index = 0; index < 10; index++) await press('a')
  expect(bridge.inputsOf('agent.answer').map((input) => [input.agentId, input.decision])).toEqual(
    Array.from({ length: 10 }, (_, index) => [`a${index}`, 'allow-once']),
  )
  expect(onClose).toHaveBeenCalledTimes(1)
})

test('the first request takes the focus from a text field outside the dialog', async () => {
  const field = document.createElement('textarea')
  document.body.append(field)
  field.focus()
  openQueue(2)
  await act(async () => {})
  expect(document.activeElement?.getAttribute('data-request')).toBe('p0')
  field.remove()
})

test('J, K and the arrows select a request; the keys answer the selected one', async () => {
  openQueue(3)
  await act(async () => {})
  expect(current()).toBe('a0')
  await press('j')
  await press('ArrowDown')
  await press('j')
  expect(current()).toBe('a2')
  await press('k')
  expect(current()).toBe('a1')
  await press('A', { shiftKey: true })
  expect(bridge.inputsOf('agent.answer')).toEqual([
    { conversationId: 'c1', agentId: 'a1', requestId: 'p1', decision: 'allow-always', feedback: null },
  ])
  expect(current()).toBe('a2')
})

test('a denial with feedback selects the next request', async () => {
  openQueue(2)
  await act(async () => {})
  await press('d')
  fireEvent.change(screen.getByRole('textbox', { name: /Feedback/ }), { target: { value: 'no' } })
  await press('Enter')
  expect(bridge.inputsOf('agent.answer')[0]).toMatchObject({ decision: 'deny', feedback: 'no' })
  expect(current()).toBe('a1')
  await press('a')
  expect(bridge.inputsOf('agent.answer')).toHaveLength(2)
})

test('an empty queue says what it lists', () => {
  useConversation.setState({ needs: [] })
  render(<RequestQueue open onClose={() => {}} renderForm={() => null} />)
  expect(screen.getByRole('dialog').textContent).toContain('Permission requests and questions from agents')
})

test('each new request is announced once', async () => {
  openQueue(1)
  await act(async () => {})
  const announced = () => screen.getByRole('status', { hidden: true }).textContent
  expect(announced()).toBe('a0 needs your permission to run a command.')
  const other = stateAfter([script.spawn('b'), script.asks('b', 'q')])
  act(() => {
    const { needs, agents } = useConversation.getState()
    useConversation.setState({
      agents: new Map(agents).set('b', other),
      needs: [...needs, ...other.requests.map((request) => ({ agentId: 'b', request }))],
    })
  })
  expect(announced()).toBe('b needs your permission to run a command. 2 requests are pending.')
  act(() => useConversation.setState(({ needs }) => ({ needs: needs.slice(1) })))
  expect(announced()).toBe('b needs your permission to run a command. 2 requests are pending.')
})

test('a request of an agent in another process or on another machine says where it runs', () => {
  openQueue(1)
  expect(screen.getByRole('group').textContent).not.toContain('build-7')
  cleanup()
  const [asking] = useConversation.getState().agents.values()
  if (asking === undefined) throw new Error('no agent')
  const worker = { workerId: 'w', host: 'build-7', pid: 9, cores: 32, tmux: null, epoch: 1 }
  const remote = { ...asking, backing: 'remote' as const, worker }
  useConversation.setState({ agents: new Map([[remote.id, remote]]) })
  render(<RequestQueue open onClose={vi.fn()} renderForm={() => null} />)
  expect(screen.getByRole('group').textContent).toContain('wants to run a command in shop on build-7')
})

test('a form is in the queue beside permission requests, and is announced', async () => {
  openQueue(1)
  cleanup()
  const form = {
    formId: 'f1',
    toolUseId: 't',
    toolName: 'AskUserQuestion',
    form: { kind: 'plan', plan: '# Split the parser' } as const,
    openedAt: 1,
  }
  const { needs } = useConversation.getState()
  useConversation.setState({ needs: [...needs, { agentId: 'a0', form }] })
  render(
    <>
      <RequestQueue
        open
        onClose={() => {}}
        renderForm={(agentId, { formId }, position) => <p>{`${agentId} ${formId} ${position}`}</p>}
      />
      <RequestAnnouncer />
    </>,
  )
  expect(screen.getByText('2 pending requests')).toBeTruthy()
  fireEvent.click(screen.getByRole('button', { name: /Split the parser/ }))
  expect(screen.getByText('a0 f1 2 of 2')).toBeTruthy()
  expect(screen.getByRole('status', { hidden: true }).textContent).toContain(
    'Main agent has a plan for you to approve.',
  )
})
