import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { receiveConversation, useConversation } from '../../stores/conversation-store.ts'
import { EventScript, stateAfter } from '../../testing/event-script.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { PromptAnnouncer } from './prompt-announcer.tsx'
import { PromptQueue } from './prompt-queue.tsx'

let bridge: FakeBridge
let script: EventScript

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  script = new EventScript()
  bridge = installFakeBridge({
    'agent.answer': ({ agentId, promptId }) => {
      receiveConversation([
        { type: 'event', conversationId: 'c1', event: script.answered(agentId, promptId) },
      ])
    },
  })
})
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

/** Agents a0, a1, …, each with one open question. */
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
    needs: states.flatMap((state) => state.prompts.map((prompt) => ({ agentId: state.id, prompt }))),
  })
  const onClose = vi.fn()
  render(
    <>
      <PromptQueue open onClose={onClose} />
      <PromptAnnouncer />
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

test('ten questions are cleared from the keyboard, and the list closes', async () => {
  const onClose = openQueue(10)
  await act(async () => {})
  for (let index = 0; index < 10; index++) await press('a')
  expect(bridge.inputsOf('agent.answer').map((input) => [input.agentId, input.decision])).toEqual(
    Array.from({ length: 10 }, (_, index) => [`a${index}`, 'allow-once']),
  )
  expect(onClose).toHaveBeenCalledTimes(1)
})

test('opened while something is written, the first question has the focus', async () => {
  const field = document.createElement('textarea')
  document.body.append(field)
  field.focus()
  openQueue(2)
  await act(async () => {})
  expect(document.activeElement?.getAttribute('data-prompt')).toBe('p0')
  field.remove()
})

test('J, K and the arrows go through them; what is answered is the one that is shown', async () => {
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
    { conversationId: 'c1', agentId: 'a1', promptId: 'p1', decision: 'allow-always', words: null },
  ])
  expect(current()).toBe('a2')
})

test('a denial with words goes on to the next', async () => {
  openQueue(2)
  await act(async () => {})
  await press('d')
  fireEvent.change(screen.getByRole('textbox', { name: /instead/ }), { target: { value: 'no' } })
  await press('Enter')
  expect(bridge.inputsOf('agent.answer')[0]).toMatchObject({ decision: 'deny', words: 'no' })
  expect(current()).toBe('a1')
  await press('a')
  expect(bridge.inputsOf('agent.answer')).toHaveLength(2)
})

test('says what would be listed where there is nothing', () => {
  useConversation.setState({ needs: [] })
  render(<PromptQueue open onClose={() => {}} />)
  expect(screen.getByRole('dialog').textContent).toContain('When an agent needs your permission')
})

test('a screen reader hears of each new question once', async () => {
  openQueue(1)
  await act(async () => {})
  const said = () => screen.getByRole('status', { hidden: true }).textContent
  expect(said()).toBe('a0 needs your permission to run a command.')
  const other = stateAfter([script.spawn('b'), script.asks('b', 'q')])
  act(() => {
    const { needs, agents } = useConversation.getState()
    useConversation.setState({
      agents: new Map(agents).set('b', other),
      needs: [...needs, ...other.prompts.map((prompt) => ({ agentId: 'b', prompt }))],
    })
  })
  expect(said()).toBe('b needs your permission to run a command. 2 questions wait for you.')
  act(() => useConversation.setState(({ needs }) => ({ needs: needs.slice(1) })))
  expect(said()).toBe('b needs your permission to run a command. 2 questions wait for you.')
})
