import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { receiveConversation, useConversation } from '../../stores/conversation-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { RequestAnnouncer } from './request-announcer.tsx'
import { RequestQueue } from './request-queue.tsx'

let bridge: FakeBridge
let script: SampleLog

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
  script = new SampleLog()
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

const announcer = () => document.querySelector('.sr-only[role=status]') as HTMLElement

/** Unlike the others: plain words may be subcommands. */
const ownCommand = (index: number) => ({
  subject: {
    kind: 'command' as const,
    action: 'run a command',
    text: `npm test p${index}`,
    folder: '/work/shop',
  },
  alwaysRule: `Bash(npm test p${index})`,
})

/** Agents a0, a1, …, each with one pending request. */
function openQueue(count: number, asks: (index: number) => Parameters<SampleLog['asks']>[2] = ownCommand) {
  const states = Array.from({ length: count }, (_, index) =>
    stateAfter([script.spawn(`a${index}`), script.asks(`a${index}`, `p${index}`, asks(index))]),
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

/** Something else than the user's own answer: events of the runtime. */
const arrives = (...events: readonly AgentEvent[]) =>
  act(() => receiveConversation(events.map((event) => ({ type: 'event', conversationId: 'c1', event }))))

const testOf = (file: string) => ({
  subject: {
    kind: 'command' as const,
    action: 'run a command',
    text: `npx vitest run test/${file}`,
    folder: '/w',
  },
  alwaysRule: `Bash(npx vitest run test/${file})`,
})
const FILES = ['capture.ts', 'charge.ts', 'payout.ts', 'dispute.ts', 'void.ts']
const similar = (index: number) => testOf(FILES[index] ?? `more-${index}.ts`)
const answers = () =>
  bridge
    .inputsOf('agent.answer')
    .map(({ agentId, answer }) => [agentId, answer.decision, 'rule' in answer ? answer.rule : undefined])

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
  expect(bridge.inputsOf('agent.answer').map((input) => [input.agentId, input.answer.decision])).toEqual(
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
    { conversationId: 'c1', agentId: 'a1', requestId: 'p1', answer: { decision: 'allow-always' } },
  ])
  expect(current()).toBe('a2')
})

test('a denial with feedback selects the next request', async () => {
  openQueue(2)
  await act(async () => {})
  await press('d')
  fireEvent.change(screen.getByRole('textbox', { name: /Feedback/ }), { target: { value: 'no' } })
  await press('Enter')
  expect(bridge.inputsOf('agent.answer')[0]).toMatchObject({ answer: { decision: 'deny', feedback: 'no' } })
  expect(current()).toBe('a1')
  await press('a')
  expect(bridge.inputsOf('agent.answer')).toHaveLength(2)
})

test('an empty queue says what it lists', () => {
  useConversation.setState({ needs: [], agents: new Map() })
  render(<RequestQueue open onClose={() => {}} renderForm={() => null} />)
  expect(screen.getByRole('dialog').textContent).toContain('Permission requests and questions from agents')
})

test('each new request is announced once', async () => {
  openQueue(1)
  await act(async () => {})
  const announced = () => announcer().textContent
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
  expect(announcer().textContent).toContain('Main agent has a plan for you to approve.')
})

test('similar requests are answered together; an unticked one stays', async () => {
  openQueue(3, similar)
  await act(async () => {})
  const group = screen.getByRole('group')
  expect(group.textContent).toContain('3 agents want to run the same command')
  expect([...group.querySelectorAll('li b')].map((bright) => bright.textContent)).toEqual(FILES.slice(0, 3))
  await press('ArrowDown')
  await press('ArrowDown')
  expect(document.activeElement).toBe(screen.getByRole('checkbox', { name: /a1/ }))
  fireEvent.click(screen.getByRole('checkbox', { name: /a1/ }))
  await press('Enter')
  expect(answers()).toEqual([
    ['a0', 'allow-once', undefined],
    ['a2', 'allow-once', undefined],
  ])
  expect(screen.getAllByRole('checkbox')).toHaveLength(1)
  expect(screen.getByText(/No request is ticked/)).toBeTruthy()
  await press('t')
  await press('d')
  fireEvent.change(screen.getByRole('textbox', { name: 'Feedback for 1 agent' }), { target: { value: 'no' } })
  await press('Enter')
  expect(bridge.inputsOf('agent.answer')[2]).toMatchObject({
    agentId: 'a1',
    answer: { decision: 'deny', feedback: 'no' },
  })
})

test('“Always allow” in a group saves the exact rules, or the wider rule that was chosen', async () => {
  const ruleOffers = (index: number) => [
    { rule: similar(index).alwaysRule },
    { rule: 'Bash(npx vitest run:*)', alsoCovers: 'vitest with any file' },
  ]
  openQueue(2, (index) => ({ ...similar(index), ruleOffers: ruleOffers(index) }))
  await act(async () => {})
  expect(screen.getByRole('radiogroup').textContent).toContain('Also covers vitest with any file.')
  await press('2')
  await press('A', { shiftKey: true })
  expect(answers()).toEqual([
    ['a0', 'allow-always', 'Bash(npx vitest run:*)'],
    ['a1', 'allow-always', 'Bash(npx vitest run:*)'],
  ])
  cleanup()
  openQueue(2, similar)
  await act(async () => {})
  await press('A', { shiftKey: true })
  expect(answers().slice(2)).toEqual([
    ['a0', 'allow-always', similar(0).alwaysRule],
    ['a1', 'allow-always', similar(1).alwaysRule],
  ])
})

test('a request that joins the group on the screen gets no tick, so it is not answered unseen', async () => {
  openQueue(2, similar)
  await act(async () => {})
  arrives(script.spawn('late'), script.asks('late', 'p-late', testOf('late.ts')))
  expect(screen.getAllByRole('checkbox')).toHaveLength(3)
  expect((screen.getByRole('checkbox', { name: /late/ }) as HTMLInputElement).checked).toBe(false)
  await press('a')
  expect(answers().map(([agentId]) => agentId)).toEqual(['a0', 'a1'])
})

test('a request with a hidden character is not in the group, and shows the character', async () => {
  openQueue(3, (index) => (index === 2 ? testOf('re\u202efund.ts') : similar(index)))
  await act(async () => {})
  expect(screen.getAllByRole('checkbox')).toHaveLength(2)
  expect(screen.getByText('Has a hidden character, so it is asked alone.')).toBeTruthy()
  await press('j')
  expect(screen.getByRole('group').querySelector('pre')?.textContent).toContain('reRLOfund.ts')
})

test('a request that a rule answers stays on the screen until the user goes on', async () => {
  openQueue(2)
  await act(async () => {})
  arrives(
    script.answered('a0', 'p0', { decision: 'allow-always', rule: 'Bash(npm test:*)', answeredBy: 'rules' }),
  )
  expect(current()).toBe('a0')
  expect(screen.getByText(/Allowed by a new rule/).textContent).toContain('Bash(npm test:*)')
  await press('a')
  expect(answers()).toEqual([])
  fireEvent.click(screen.getByRole('button', { name: /Next request/ }))
  expect(current()).toBe('a1')
})

test('a click just after an answer does not answer the request that took the place', async () => {
  openQueue(3)
  await act(async () => {})
  await press('a')
  fireEvent.click(screen.getByRole('button', { name: /Allow once/ }))
  expect(answers()).toHaveLength(1)
  vi.advanceTimersByTime(500)
  await act(async () => {
    fireEvent.click(screen.getByRole('button', { name: /Allow once/ }))
  })
  expect(answers()).toHaveLength(2)
})

test('answered requests are listed, and the rule of one can be removed', async () => {
  const rule = 'Bash(npm test p0)'
  const listed = (...texts: readonly string[]) => ({
    entries: texts.map((text) => ({ list: 'allow', text, source: 'saved' })),
  })
  bridge.answer({ 'rules.list': () => listed(rule) as never, 'rules.edit': () => listed() as never })
  openQueue(2)
  useConversation.setState({ record: { folder: '/work/shop' } as never })
  await act(async () => {})
  arrives(script.answered('a1', 'p1', { decision: 'deny', feedback: 'Use vitest.' }))
  arrives(script.answered('a0', 'p0', { decision: 'allow-always', rule }))
  const list = screen.getByRole('list', { name: 'Answered' })
  expect(list.textContent).toBe('npm test p0alwaysnpm test p1denied')
  await press('u')
  await act(async () => {})
  expect(screen.getByRole('region', { name: 'Answered request' }).textContent).toContain(rule)
  await press('u')
  expect(bridge.inputsOf('rules.edit')).toEqual([
    { folder: '/work/shop', from: { source: 'saved', list: 'allow', text: rule }, to: null },
  ])
  await act(async () => {})
  expect(screen.getByText(/This rule no longer holds/)).toBeTruthy()
  await press('j')
  expect(screen.getByRole('region', { name: 'Answered request' }).textContent).toContain('Use vitest.')
})

test('? lists the keys', async () => {
  openQueue(1)
  await act(async () => {})
  expect(screen.queryByRole('list', { name: 'Keys' })).toBeNull()
  await press('?', { shiftKey: true })
  expect(screen.getByRole('list', { name: 'Keys' }).textContent).toContain('Tick or untick a row of a group')
})

test('where the user’s new rule answers the rest of a group, the next request is shown', async () => {
  openQueue(4, (index) =>
    index < 3 ? { subject: testOf('a.ts').subject, alwaysRule: 'Bash(x)' } : ownCommand(3),
  )
  await act(async () => {})
  await press('t')
  await press('ArrowDown')
  fireEvent.click(screen.getByRole('checkbox', { name: /a0/ }))
  await press('A', { shiftKey: true })
  expect(answers()).toEqual([['a0', 'allow-always', 'Bash(x)']])
  const byRule = { decision: 'allow-always', rule: 'Bash(x)', answeredBy: 'rules' } as const
  arrives(script.answered('a1', 'p1', byRule))
  arrives(script.answered('a2', 'p2', byRule))
  expect(current()).toBe('a3')
})
