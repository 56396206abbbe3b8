import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { receiveConversation, useConversation } from '../../stores/conversation-store.ts'
import { useRequests } from '../../stores/requests-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { RequestAnnouncer } from './request-announcer.tsx'
import { RequestQueue } from './request-queue.tsx'

let bridge: FakeBridge
let script: SampleLog

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] })
  script = new SampleLog()
  useRequests.setState({ conversations: [] })
  bridge = installFakeBridge({
    'agent.answer': ({ agentId, requestId, answer: { decision } }) => {
      const event = script.answered(agentId, requestId, { decision })
      receiveConversation([{ type: 'event', conversationId: 'c1', event }])
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
      <textarea aria-label="composer" />
      <RequestQueue onClose={onClose} renderForm={() => null} />
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

const pass = (ms: number) => act(() => vi.advanceTimersByTime(ms))
const press = async (key: string, more: object = {}) => {
  pass(500)
  await act(async () => {
    fireEvent.keyDown(document.activeElement ?? document.body, { key, ...more })
  })
}
const focused = () => document.activeElement?.getAttribute('data-request')
const entries = () => screen.getAllByRole('group').map((entry) => entry.getAttribute('data-request'))
const entryOf = (requestId: string) => {
  const entry = screen.getAllByRole('group').find((one) => one.getAttribute('data-request') === requestId)
  if (entry === undefined) throw new Error(`no entry ${requestId}`)
  return entry
}

test('the keyboard answers ten requests; each keeps its place, and the key after the last one goes nowhere', async () => {
  openQueue(10)
  const before = entries()
  for (let index = 0; index < 12; index++) await press('a')
  expect(bridge.inputsOf('agent.answer').map((input) => [input.agentId, input.answer.decision])).toEqual(
    Array.from({ length: 10 }, (_, index) => [`a${index}`, 'allow-once']),
  )
  expect(entries()).toEqual(before)
  expect(document.activeElement?.hasAttribute('data-request-drawer')).toBe(true)
})

test('Escape closes the drawer and gives the focus back; a key beside the drawer does not', async () => {
  const composer = document.createElement('textarea')
  document.body.append(composer)
  composer.focus()
  const onClose = openQueue(2)
  expect(focused()).toBe('p0')
  fireEvent.keyDown(composer, { key: 'Escape' })
  expect(onClose).not.toHaveBeenCalled()
  await press('Escape')
  expect(onClose).toHaveBeenCalledTimes(1)
  expect(document.activeElement).toBe(composer)
  composer.remove()
})

test('what is beside the drawer stays usable: a request that comes takes no focus from it', async () => {
  openQueue(2)
  const composer = screen.getByLabelText('composer')
  composer.focus()
  arrives(script.spawn('late'), script.asks('late', 'p-late'))
  arrives(script.answered('a0', 'p0'))
  expect(document.activeElement).toBe(composer)
})

test('J, K and the arrows select a request; the keys answer the selected one', async () => {
  openQueue(3)
  expect(focused()).toBe('p0')
  await press('j')
  await press('ArrowDown')
  await press('j')
  expect(focused()).toBe('p2')
  await press('k')
  expect(focused()).toBe('p1')
  await press('A', { shiftKey: true })
  expect(bridge.inputsOf('agent.answer')).toEqual([
    { conversationId: 'c1', agentId: 'a1', requestId: 'p1', answer: { decision: 'allow-always' } },
  ])
  expect(focused()).toBe('p2')
})

test('a denial with feedback selects the next request', async () => {
  openQueue(2)
  await press('d')
  fireEvent.change(screen.getByRole('textbox', { name: /Feedback/ }), { target: { value: 'no' } })
  await press('Enter')
  expect(bridge.inputsOf('agent.answer')[0]).toMatchObject({ answer: { decision: 'deny', feedback: 'no' } })
  expect(entryOf('p0').textContent).toContain('Denied.')
  expect(focused()).toBe('p1')
  await press('a')
  expect(bridge.inputsOf('agent.answer')).toHaveLength(2)
})

test('an empty drawer says what it lists', () => {
  useConversation.setState({ needs: [], agents: new Map() })
  render(<RequestQueue onClose={() => {}} renderForm={() => null} />)
  expect(screen.getByRole('complementary', { name: 'Requests' }).textContent).toContain(
    'Permission requests and questions from agents',
  )
})

test('requests of other conversations are listed and answered there', async () => {
  const elsewhere = stateAfter([script.spawn('far'), script.asks('far', 'p-far')])
  useRequests.setState({
    conversations: [
      { conversationId: 'c2', title: 'Why does CI flake?', folder: '/work/ci', agents: [elsewhere] },
    ],
  })
  openQueue(1)
  expect(entries()).toEqual(['p0'])
  fireEvent.click(screen.getByRole('radio', { name: 'All 2' }))
  expect(entries()).toEqual(['p0', 'p-far'])
  expect(entryOf('p-far').textContent).toContain('In “Why does CI flake?”, ci')
  pass(500)
  await act(async () => {
    fireEvent.click(within(entryOf('p-far')).getByRole('button', { name: 'Allow once' }))
  })
  expect(bridge.inputsOf('agent.answer')).toMatchObject([{ conversationId: 'c2', agentId: 'far' }])
  expect(entryOf('p-far').textContent).toContain('Allowed once.')
})

test('with nothing in this conversation the drawer opens with those of the others', () => {
  const elsewhere = stateAfter([script.spawn('far'), script.asks('far', 'p-far')])
  useRequests.setState({
    conversations: [{ conversationId: 'c2', title: 'Other', folder: '/work/ci', agents: [elsewhere] }],
  })
  openQueue(0)
  expect(entries()).toEqual(['p-far'])
})

test('a dangerous request comes first, in full, and its change of place is no surprise later', async () => {
  const danger = { kind: 'deletes' as const, consequence: 'Deletes 3 files.' }
  openQueue(3, (index) =>
    index === 2
      ? {
          subject: { ...ownCommand(2).subject, text: 'rm a', parts: [{ text: 'rm a', step: 1, danger }] },
          alwaysRule: null,
        }
      : ownCommand(index),
  )
  expect(entries()).toEqual(['p2', 'p0', 'p1'])
  expect(entryOf('p2').textContent).toContain('Deletes 3 files.')
  arrives(script.answered('a0', 'p0'))
  expect(entries()).toEqual(['p2', 'p0', 'p1'])
})

test('a change is not allowed before it was on the screen', async () => {
  openQueue(1, () => ({
    subject: { kind: 'diff', action: 'write a.ts', text: '@@ -1 +1 @@\n-a\n+fresh', folder: '/w' },
  }))
  await press('a')
  expect(bridge.inputsOf('agent.answer')).toEqual([])
  expect(screen.getByText('fresh')).toBeTruthy()
  await press('a')
  expect(bridge.inputsOf('agent.answer')).toHaveLength(1)
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
  useConversation.setState(({ needs }) => ({ agents: new Map([[remote.id, remote]]), needs: [...needs] }))
  render(<RequestQueue onClose={vi.fn()} renderForm={() => null} />)
  expect(screen.getByRole('group').textContent).toContain('wants to run a command on build-7')
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
        onClose={() => {}}
        renderForm={(agentId, { formId }) => <p>{`${agentId} ${formId}`}</p>}
      />
      <RequestAnnouncer />
    </>,
  )
  expect(screen.getByRole('radio', { name: 'This conversation 2' })).toBeTruthy()
  expect(entryOf('f1').textContent).toContain('a0 f1')
  expect(announcer().textContent).toContain('Main agent has a plan for you to approve.')
})

test('similar requests are answered together; one that is not selected stays', async () => {
  openQueue(3, similar)
  const group = screen.getByRole('group', { name: /3 similar requests/ })
  expect([...group.querySelectorAll('li b')].map((bright) => bright.textContent)).toEqual(FILES.slice(0, 3))
  expect(screen.getByRole('button', { name: /Allow 3 once/ })).toBeTruthy()
  await press('ArrowDown')
  await press('ArrowDown')
  expect(document.activeElement).toBe(screen.getByRole('checkbox', { name: /charge/ }))
  fireEvent.click(screen.getByRole('checkbox', { name: /charge/ }))
  await press('Enter')
  expect(answers()).toEqual([
    ['a0', 'allow-once', undefined],
    ['a2', 'allow-once', undefined],
  ])
  expect(screen.getAllByRole('checkbox')).toHaveLength(1)
  expect(screen.getByText(/No request is selected/)).toBeTruthy()
  await press('t')
  await press('d')
  fireEvent.change(screen.getByRole('textbox', { name: 'Feedback for 1 agent' }), { target: { value: 'no' } })
  await press('Enter')
  expect(bridge.inputsOf('agent.answer')[2]).toMatchObject({
    agentId: 'a1',
    answer: { decision: 'deny', feedback: 'no' },
  })
})

test('“Always allow” in a group shows the rules first, and saves the exact ones or the wider one that was chosen', async () => {
  const ruleOffers = (index: number) => [
    { rule: similar(index).alwaysRule },
    { rule: 'Bash(npx vitest run:*)', alsoCovers: 'vitest with any file' },
  ]
  openQueue(2, (index) => ({ ...similar(index), ruleOffers: ruleOffers(index) }))
  await press('A', { shiftKey: true })
  expect(answers()).toEqual([])
  expect(screen.getByRole('radiogroup', { name: /Always/ }).textContent).toContain(
    'Also covers vitest with any file.',
  )
  await press('2')
  await press('A', { shiftKey: true })
  expect(answers()).toEqual([
    ['a0', 'allow-always', 'Bash(npx vitest run:*)'],
    ['a1', 'allow-always', 'Bash(npx vitest run:*)'],
  ])
  cleanup()
  openQueue(2, similar)
  await press('A', { shiftKey: true })
  await press('Enter')
  expect(answers().slice(2)).toEqual([
    ['a0', 'allow-always', similar(0).alwaysRule],
    ['a1', 'allow-always', similar(1).alwaysRule],
  ])
})

test('a request that joins a group is not selected, so it is not answered unseen', async () => {
  openQueue(2, similar)
  arrives(script.spawn('late'), script.asks('late', 'p-late', testOf('late.ts')))
  expect(screen.getAllByRole('checkbox')).toHaveLength(3)
  expect((screen.getByRole('checkbox', { name: /late/ }) as HTMLInputElement).checked).toBe(false)
  await press('a')
  expect(answers().map(([agentId]) => agentId)).toEqual(['a0', 'a1'])
})

test('a request with a hidden character is not in the group, and shows the character', async () => {
  openQueue(3, (index) => (index === 2 ? testOf('re\u202efund.ts') : similar(index)))
  expect(screen.getAllByRole('checkbox')).toHaveLength(2)
  expect(entryOf('p2').textContent).toContain('Has a hidden character.')
  expect(entryOf('p2').textContent).toContain('reRLOfund.ts')
})

test('a request that a rule answers keeps the keys until the user goes on', async () => {
  openQueue(2)
  arrives(
    script.answered('a0', 'p0', { decision: 'allow-always', rule: 'Bash(npm test:*)', answeredBy: 'rules' }),
  )
  expect(focused()).toBe('p0')
  expect(entryOf('p0').textContent).toContain('Allowed by a new rule')
  await press('a')
  expect(answers()).toEqual([])
  await press('j')
  expect(focused()).toBe('p1')
})

test('a key just after an answer does not answer the request that has the focus now', async () => {
  openQueue(3)
  await press('a')
  expect(focused()).toBe('p1')
  await act(async () => fireEvent.keyDown(document.activeElement ?? document.body, { key: 'a' }))
  expect(answers()).toHaveLength(1)
  await press('a')
  expect(answers()).toHaveLength(2)
})

test('requests that were answered before are listed, and the rule of one can be removed', async () => {
  const rule = 'Bash(npm test p0)'
  const listed = (...texts: readonly string[]) => ({
    entries: texts.map((text) => ({ list: 'allow', text, source: 'saved' })),
  })
  bridge.answer({ 'rules.list': () => listed(rule) as never, 'rules.edit': () => listed() as never })
  openQueue(2)
  cleanup()
  useConversation.setState({ record: { folder: '/work/shop' } as never })
  arrives(script.answered('a1', 'p1', { decision: 'deny', feedback: 'Use vitest.' }))
  arrives(script.answered('a0', 'p0', { decision: 'allow-always', rule }))
  render(<RequestQueue onClose={() => {}} renderForm={() => null} />)
  await act(async () => {})
  const list = screen.getByRole('list', { name: 'Answered' })
  expect(list.textContent).toMatch(/^npm test p0always, .*npm test p1denied, .*Your feedback: Use vitest\.$/)
  await act(async () => fireEvent.click(screen.getByRole('button', { name: 'Remove rule' })))
  expect(bridge.inputsOf('rules.edit')).toEqual([
    { folder: '/work/shop', from: { source: 'saved', list: 'allow', text: rule }, to: null },
  ])
  expect(screen.getByText(/This rule no longer holds/)).toBeTruthy()
})

test('? lists the keys', async () => {
  openQueue(1)
  await act(async () => {})
  expect(screen.queryByRole('list', { name: 'Keys' })).toBeNull()
  await press('?', { shiftKey: true })
  expect(screen.getByRole('list', { name: 'Keys' }).textContent).toContain(
    'Select or leave out a row of a group',
  )
})

test('where the user’s new rule answers the rest of a group, the next request has the keys', async () => {
  openQueue(4, (index) =>
    index < 3 ? { subject: testOf('a.ts').subject, alwaysRule: 'Bash(x)' } : ownCommand(3),
  )
  await press('t')
  await press('ArrowDown')
  fireEvent.click(screen.getAllByRole('checkbox')[0] as HTMLElement)
  await press('A', { shiftKey: true })
  await press('A', { shiftKey: true })
  expect(answers()).toEqual([['a0', 'allow-always', 'Bash(x)']])
  const byRule = { decision: 'allow-always', rule: 'Bash(x)', answeredBy: 'rules' } as const
  arrives(script.answered('a1', 'p1', byRule))
  arrives(script.answered('a2', 'p2', byRule))
  expect(focused()).toBe('p3')
})
