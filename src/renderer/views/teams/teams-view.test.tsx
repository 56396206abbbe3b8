import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'
import { SampleLog, snapshotOf, stateAfter } from '../../../shared/testing/sample-log.ts'
import type { Verification } from '../../../shared/verification/verification.ts'
import { useTeams } from '../../features/teams/teams-store.ts'
import { draftKeyNow, draftOf } from '../../stores/draft-store.ts'
import { onNotice } from '../../stores/overlay-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { useStage } from '../../stores/stage-store.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { startWindow, summaryOf } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/popover.tsx'
import { TeamsView } from './teams-view.tsx'

afterEach(() => {
  cleanup()
  useTeams.setState(useTeams.getInitialState(), true)
})
const user = userEvent.setup()

const script = new SampleLog()
const text = (words: string) => [{ type: 'text' as const, text: words }]
const received = (id: string, messageId: string, words: string, more: object = {}) =>
  script.next(id, {
    type: 'user-message',
    messageId,
    from: 'user',
    sender: null,
    content: text(words),
    ...more,
  } as never)

const MAIN = stateAfter([
  script.spawn('main'),
  received('main', 'm0', 'Form a team.'),
  script.says('main', 'Yes.'),
  received('main', 'b1', 'Stop for lunch.', { broadcast: 'b' }),
])
const member = (name: string, more: object = {}) =>
  script.spawn(name, { parentId: 'main', name, teamId: 'team', background: true, ...more })
const BUILDER = stateAfter([
  member('builder'),
  script.status('builder', 'running'),
  received('builder', 'b2', 'Stop for lunch.', { broadcast: 'b' }),
  received(
    'builder',
    'm1',
    'A message from the agent tester. An agent wrote this, not the user.\n\nWhich port?',
    {
      from: 'agent',
      sender: 'tester',
    },
  ),
  script.says('builder', '8080.'),
])
const TESTER = stateAfter([
  member('tester'),
  script.next('tester', {
    type: 'agent-ended',
    status: 'completed',
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
  }),
])
const FUZZER = stateAfter([
  member('fuzzer', { backing: 'remote' }),
  script.status('fuzzer', 'running'),
  script.next('fuzzer', {
    type: 'worker-changed',
    worker: { workerId: 'w-4', host: 'build-9', pid: 7, cores: 16, tmux: null, epoch: 1 },
    state: 'silent',
    jobId: null,
    note: '',
  } as never),
])
const AGENTS = [MAIN, BUILDER, TESTER, FUZZER]

const TEAM: Team = {
  id: 'team',
  name: 'retries',
  leaderId: 'main',
  members: ['builder', 'tester', 'fuzzer'].map((name) => ({
    name,
    agentId: name,
    agent: 'x',
    backing: name === 'fuzzer' ? 'remote' : 'in-process',
  })),
  createdAt: 1,
  endingAt: null,
  endedAt: null,
}

const TASK: TeamTask = {
  id: '1',
  teamId: 'team',
  subject: 'Find the callers',
  description: '',
  status: 'pending',
  owner: null,
  dependsOn: [],
  createdBy: 'main',
  createdAt: 0,
  claimedAt: null,
  endedAt: null,
  version: 1,
}

interface Choices {
  readonly agents?: readonly AgentState[]
  readonly record?: Partial<ConversationRecord>
  readonly readOnly?: boolean
}

async function show({ agents = AGENTS, record = {}, readOnly = false }: Choices = {}): Promise<FakeBridge> {
  const bridge = await startWindow({ conversations: [summaryOf('c1')] })
  const base = snapshotOf('c1', agents)
  bridge.answer({
    'conversation.subscribe': () => ({
      ...base,
      readOnly,
      record: {
        ...base.record,
        teams: [TEAM],
        tasks: [TASK, { ...TASK, id: '2', subject: 'Fix them', dependsOn: ['1'] }],
        queued: [
          {
            messageId: 'b3',
            agentId: 'fuzzer',
            content: text('Stop for lunch.'),
            from: 'user',
            sender: null,
            broadcast: 'b',
          },
        ],
        ...record,
      },
    }),
    'mailboxes.list': () => [{ name: 'nightly', waiting: 2 }],
    'workers.state': () => ({
      nats: { kind: 'connected', url: 'tls://nats.lab:4222', tls: true },
      workers: [],
      outbox: 0,
    }),
    'conversation.send': () => ({ messageId: 'x', queued: true }),
    'agent.definitionChange': () => ({ kind: 'same', what: [] }),
  })
  await act(() => openConversation('c1'))
  render(
    <TooltipProvider>
      <TeamsView />
    </TooltipProvider>,
  )
  await screen.findByText('nightly')
  return bridge
}

const people = () => within(screen.getByRole('listbox', { name: 'Team retries' }))
const threads = () => screen.getByRole('listbox', { name: 'Threads' })
const field = () => screen.getByRole('textbox')

test('the team: who is in it, where each runs, what is wrong, and the mailboxes without an agent', async () => {
  await show()
  expect(
    people()
      .getAllByRole('option')
      .map((option) => option.textContent),
  ).toEqual([
    expect.stringContaining('Main agent'),
    expect.stringMatching(/builder.*in-process/),
    expect.stringMatching(/tester.*in-process.*ended · a message resumes it/),
    expect.stringMatching(/fuzzer.*remote.*build-9 · 16 cores.*No heartbeat from build-9/),
  ])
  expect(
    within(screen.getByRole('region', { name: 'Mailboxes without an agent' })).getByText('2 messages'),
  ).toBeTruthy()
  expect(screen.getByText('tls://nats.lab:4222 · TLS · 0 machines')).toBeTruthy()
})

test('a message to all is one thread: its state at each receiver, and the answers under their authors', async () => {
  await show({
    record: { refusals: [{ broadcast: 'b', agentId: 'tester', reason: 'It takes no more messages.' }] },
  })
  expect(within(threads()).getAllByText(/to all/)).toHaveLength(1)
  await user.click(within(threads()).getByText(/to all/))
  const log = within(screen.getByRole('log', { name: 'Messages' }))
  const states = within(log.getByRole('list', { name: 'Read by 1 of 4 receivers' }))
  expect(states.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'answeredbuilder',
    'deliveredMain agent',
    'queuedfuzzer(its worker does not answer)',
    'not deliverabletester(It takes no more messages)',
  ])
  expect(log.getAllByRole('article').map((article) => article.getAttribute('aria-label'))).toEqual([
    'You',
    'builder, answer',
  ])
  expect(log.getByRole('article', { name: 'builder, answer' }).textContent).toContain('8080.')
})

test('times are the time of day, with the whole date and time on hover', async () => {
  await show()
  const [time] = within(threads()).getAllByRole('time')
  expect(time?.textContent).toMatch(/^(?:[A-Z][a-z]{2} \d+, )?\d\d:\d\d$/)
  expect(time?.title).toMatch(/^\w+, \w+ \d+, \d{4} at \d\d:\d\d:\d\d$/)
})

test('threads: the pair in both directions, without the frame of the message', async () => {
  await show()
  await user.click(within(threads()).getByText('Which port?'))
  expect(screen.getByRole('log', { name: 'Messages' }).textContent).toContain('Which port?')
  expect(screen.getByRole('log', { name: 'Messages' }).textContent).not.toContain('An agent wrote this')
})

test('selecting a member with the keys chooses the receiver, says what will happen, and Enter sends', async () => {
  const bridge = await show()
  screen.getByRole('listbox', { name: 'Team retries' }).focus()
  await user.keyboard('jjj')
  expect(screen.getByRole('textbox', { name: 'Message to tester' })).toBeTruthy()
  expect(screen.getByText('tester has ended and resumes.')).toBeTruthy()
  await user.keyboard('j')
  expect(screen.getByText('fuzzer can’t be reached: kept in its mailbox.')).toBeTruthy()
  await user.keyboard('km')
  expect(document.activeElement).toBe(field())
  await user.keyboard('Once more, please{Shift>}{Enter}{/Shift}thanks{Enter}')
  expect(bridge.inputsOf('conversation.send')).toEqual([
    { conversationId: 'c1', agentId: 'tester', content: 'Once more, please\nthanks' },
  ])
  expect((field() as HTMLTextAreaElement).value).toBe('')
})

test('what is typed stays with its receiver, and comes along only when it is readdressed', async () => {
  const bridge = await show()
  bridge.answer({ 'team.send': () => [] })
  const written = () => (field() as HTMLTextAreaElement).value
  await user.click(people().getByText('builder'))
  await user.type(field(), 'for builder')
  await user.click(people().getByText('tester'))
  expect(written()).toBe('')
  await user.click(within(threads()).getByText(/to all/))
  expect(written()).toBe('')
  await user.click(people().getByText('builder'))
  expect(written()).toBe('for builder')

  await user.click(screen.getByRole('button', { name: 'To: builder' }))
  await user.click(await screen.findByRole('menuitemradio', { name: /tester/ }))
  expect(written()).toBe('for builder')
  await user.click(people().getByText('builder'))
  expect(written()).toBe('')
})

test('a message that can’t be sent stays in the field', async () => {
  const bridge = await show()
  bridge.answer({
    'conversation.send': () => {
      throw new Error('The disk is full.')
    },
  })
  await user.click(people().getByText('builder'))
  await user.type(field(), 'hello{Enter}')
  expect((field() as HTMLTextAreaElement).value).toBe('hello')
})

test('Enter on a member opens its panel on the Stage', async () => {
  await show()
  screen.getByRole('listbox', { name: 'Team retries' }).focus()
  await user.keyboard('jj{Enter}')
  expect(useSession.getState().view).toBe('stage')
  expect(useStage.getState().selectedAgentId).toBe('builder')
})

test('the leader shows how many agents work at once, and the board which task is offered next', async () => {
  await show()
  const leader = within(screen.getByRole('group', { name: 'Leader' })).getByRole('option')
  expect(leader.textContent).toContain('2 of 10 at once')
  const free = screen.getByRole('group', { name: 'Free: 1' })
  expect(free.textContent).toContain('The next worker without a task is offered #1.')
  cleanup()
  await show({ record: { teams: [{ ...TEAM, endedAt: 9 }], tasks: [TASK] } })
  expect(screen.queryByText(/is offered/)).toBeNull()
})

test('the board: columns, what holds a task up, and arrow keys', async () => {
  await show()
  const board = screen.getByRole('listbox', { name: 'Task board' })
  expect(within(board).getByRole('group', { name: 'Free: 1' }).textContent).toContain('Find the callers')
  expect(within(board).getByRole('group', { name: 'Waiting for others: 1' }).textContent).toContain('after#1')
  board.focus()
  await user.keyboard('{ArrowDown}{ArrowRight}')
  expect(within(board).getByRole('option', { selected: true }).textContent).toContain('Fix them')
})

test('without a team the messages of all agents are shown; without a conversation the view says what fills it', async () => {
  await show({ record: { teams: [], tasks: [] } })
  expect(screen.getByRole('listbox', { name: 'Agents' })).toBeTruthy()
  expect(screen.queryByRole('listbox', { name: 'Task board' })).toBeNull()
  cleanup()
  await act(() => openConversation(null))
  render(<TeamsView />)
  expect(screen.getByText('No team works here yet')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Ask for a team…' }))
  expect(useSession.getState().view).toBe('stage')
  expect(draftOf(draftKeyNow()).text).toBe('Form a team of three and ')
})

test('a team without tasks says what they are for, and its button begins one', async () => {
  await show({ record: { tasks: [] } })
  await user.click(screen.getByRole('button', { name: 'New task…' }))
  expect(await screen.findByRole('dialog', { name: 'New task' })).toBeTruthy()
})

test('canceled tasks, and all but the last twenty done ones, are shown on request', async () => {
  const done = Array.from({ length: 25 }, (_, index) => ({
    ...TASK,
    ...{ id: String(index + 2), status: 'completed', owner: 'builder', claimedAt: 1, endedAt: index + 2 },
  })) as TeamTask[]
  await show({ record: { tasks: [{ ...TASK, status: 'canceled' }, ...done] } })
  const board = within(screen.getByRole('listbox', { name: 'Task board' }))
  expect(board.getByRole('group', { name: 'Done: 25' })).toBeTruthy()
  expect(board.getAllByRole('option')).toHaveLength(20)
  await user.click(screen.getByRole('button', { name: 'All 25 done' }))
  expect(board.getAllByRole('option')).toHaveLength(25)
  await user.click(screen.getByRole('button', { name: 'Canceled · 1' }))
  screen.getByRole('listbox', { name: 'Task board' }).focus()
  await user.keyboard('{ArrowDown}{End}')
  expect(board.getByRole('option', { selected: true }).textContent).toContain('Find the callers')
})

test('a message to all goes to the leader and every member as one command', async () => {
  const bridge = await show()
  bridge.answer({ 'team.send': () => [] })
  await user.click(within(threads()).getByText(/to all/))
  expect(
    screen.getByText(
      'Main agent and builder read it in their next turn; tester has ended and resumes; fuzzer can’t be reached: kept in its mailbox.',
      { exact: false },
    ),
  ).toBeTruthy()
  await user.type(field(), 'Back to work{Enter}')
  expect(bridge.inputsOf('team.send')).toEqual([
    {
      conversationId: 'c1',
      agentIds: ['main', 'builder', 'tester', 'fuzzer'],
      content: 'Back to work',
    },
  ])
})

test('N begins a task; it may wait for others; a refusal is shown and nothing is lost', async () => {
  const bridge = await show()
  bridge.answer({
    'task.create': () => {
      throw new Error('The disk is full.')
    },
  })
  screen.getByRole('listbox', { name: 'Task board' }).focus()
  await user.keyboard('n')
  const dialog = within(await screen.findByRole('dialog'))
  expect(document.activeElement).toBe(dialog.getByRole('textbox', { name: 'Task' }))
  await user.keyboard('Write the notes')
  await user.click(dialog.getByRole('checkbox', { name: /Fix them/ }))
  await user.click(dialog.getByRole('textbox', { name: 'Description' }))
  await user.keyboard('One page.{Control>}{Enter}{/Control}')
  expect((await dialog.findByRole('alert')).textContent).toBe('The disk is full.')
  bridge.answer({ 'task.create': () => ({ ...TASK, id: '3' }) })
  await user.click(dialog.getByRole('button', { name: 'Create task' }))
  expect(bridge.inputsOf('task.create').at(-1)).toEqual({
    conversationId: 'c1',
    subject: 'Write the notes',
    description: 'One page.',
    dependsOn: ['2'],
  })
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('a task from the keyboard: done, cancel, and its dialog with Enter', async () => {
  const bridge = await show()
  screen.getByRole('listbox', { name: 'Task board' }).focus()
  await user.keyboard('d')
  expect(bridge.inputsOf('task.update')).toEqual([])
  await user.keyboard('{ArrowDown}d{Delete}')
  expect(bridge.inputsOf('task.update')).toEqual([
    { conversationId: 'c1', taskId: '1', status: 'completed' },
    { conversationId: 'c1', taskId: '1', status: 'canceled' },
  ])
  await user.keyboard('{Enter}')
  expect(await screen.findByRole('dialog', { name: '#1 Find the callers' })).toBeTruthy()
})

const HELD: TeamTask = { ...TASK, status: 'in_progress', owner: 'tester', claimedAt: 2, version: 2 }
const stopped = stateAfter([
  member('tester'),
  script.next('tester', {
    ...{ type: 'agent-ended', status: 'stopped', report: '' },
    ...{ failure: null, reachedLimit: null, limitOf: null },
  }),
])

test('a stuck team says why, marks the tasks that wait, and Resume gets it going', async () => {
  const tasks = [HELD, { ...TASK, id: '2', subject: 'Fix them', dependsOn: ['1'] }]
  const bridge = await show({ agents: [MAIN, BUILDER, stopped, FUZZER], record: { tasks } })
  expect(screen.getByText('Stuck: tester was stopped and still holds #1; #2 waits for that.')).toBeTruthy()
  const board = within(screen.getByRole('listbox', { name: 'Task board' }))
  expect(board.getByRole('option', { name: /^#1/ }).textContent).toContain('tester was stopped')
  expect(board.getByRole('option', { name: /^#2/ }).textContent).toContain(
    'Blocked by #1: tester was stopped',
  )
  const said: string[] = []
  const stop = onNotice(({ text }) => said.push(text))
  bridge.answer({ 'team.resume': () => ({ resumed: ['tester'], released: ['4', '5'], told: true }) })
  screen.getByRole('button', { name: 'Resume' }).focus()
  await user.keyboard('{Enter}')
  expect(bridge.inputsOf('team.resume')).toEqual([{ conversationId: 'c1', teamId: 'team' }])
  expect(said).toEqual([
    'Resumed: tester. #4, #5 are free again for another worker. The leader decides about the tasks that nobody works on.',
  ])
  stop()
})

test('a team that works is not stuck; a conversation of another program has no Resume', async () => {
  const tasks = [{ ...HELD, owner: 'builder' }]
  await show({ record: { tasks } })
  expect(screen.queryByText(/Stuck/)).toBeNull()
  cleanup()
  await show({ agents: [MAIN, BUILDER, stopped, FUZZER], record: { tasks: [HELD] }, readOnly: true })
  expect(screen.getByText(/Stuck: tester was stopped/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Resume' })).toBeNull()
})

test('a press on a task opens its details: both directions of its dependencies, its result and its history', async () => {
  const done: TeamTask = {
    ...TASK,
    ...{ status: 'completed', owner: 'builder', claimedAt: 2, endedAt: 60_002, version: 4 },
    description: 'All of them, also in the tests.',
    result: 'Three callers, all in src/a.ts.',
    history: [
      { at: 1, by: 'tester', status: 'in_progress', owner: 'tester' },
      { at: 2, by: null, status: 'in_progress', owner: 'builder' },
      { at: 60_002, by: 'builder', status: 'completed', owner: 'builder' },
    ],
  }
  const tasks = [done, { ...TASK, id: '2', subject: 'Fix them', dependsOn: ['1', '7'] }]
  const bridge = await show({ record: { tasks } })
  await user.click(screen.getByText('Find the callers'))
  const details = within(await screen.findByRole('dialog', { name: '#1 Find the callers' }))
  const part = (name: string) => details.getByRole('region', { name }).textContent
  expect(part('Description')).toContain('All of them, also in the tests.')
  expect(part('Result')).toContain('Three callers, all in src/a.ts.')
  expect(details.getByText('1:00')).toBeTruthy()
  const history = within(details.getByRole('region', { name: 'History' }))
  expect(
    history.getAllByRole('listitem').map(({ textContent }) => textContent?.replace(/^.*\d\d:\d\d/, '')),
  ).toEqual(['Main agentcreated it', 'testerclaimed it', 'Yougave it to builder', 'buildercompleted it'])

  details.getByRole('button', { name: /#2 Fix them/ }).focus()
  await user.keyboard('{Enter}')
  const next = within(await screen.findByRole('dialog', { name: '#2 Fix them' }))
  expect(next.getByText('#7 does not exist')).toBeTruthy()
  expect(next.getByText('Blocked by #7: it will never be done.')).toBeTruthy()
  await user.click(next.getByRole('button', { name: 'Cancel task' }))
  expect(bridge.inputsOf('task.update')).toEqual([{ conversationId: 'c1', taskId: '2', status: 'canceled' }])
  await user.click(next.getByRole('button', { name: 'Back to #1' }))
  expect(await screen.findByRole('dialog', { name: '#1 Find the callers' })).toBeTruthy()
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('keys in the details do not act on the view behind, and the board has the keys again after them', async () => {
  const bridge = await show()
  await user.click(screen.getByText('Find the callers'))
  const details = await screen.findByRole('dialog', { name: '#1 Find the callers' })
  within(details).getByRole('button', { name: 'Mark as done' }).focus()
  await user.keyboard('nm')
  expect(screen.getByRole('dialog').textContent).toContain('Find the callers')
  await user.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  await user.keyboard('d')
  expect(bridge.inputsOf('task.update')).toEqual([{ conversationId: 'c1', taskId: '1', status: 'completed' }])
})

test('the details show the verification of the changes with its evidence whole, and open a long output large', async () => {
  const output = Array.from({ length: 40 }, (_, line) => `line ${line + 1}`).join('\n')
  const verification: Verification = {
    ...{ id: 'v-1', owner: 'builder', digest: '', base: '', state: 'done', startedBy: 'user' },
    ...{ agentId: 'tester', verdict: 'failed', summary: 'A test fails.', at: 5 },
    evidence: [{ claim: 'x'.repeat(900), command: 'npm test', exitCode: 1, location: null, output }],
  }
  const tasks = [{ ...HELD, owner: 'builder' }]
  await show({ record: { tasks, verifications: [verification] } })
  screen.getByRole('listbox', { name: 'Task board' }).focus()
  await user.keyboard('{ArrowDown}{Enter}')
  const details = within(await screen.findByRole('dialog', { name: '#1 Find the callers' }))
  expect(details.getByText('Verification failed')).toBeTruthy()
  expect(details.getByText('x'.repeat(900))).toBeTruthy()
  expect(details.getByRole('region', { name: 'Output of npm test' }).textContent).toBe(output)
  await user.click(details.getByRole('button', { name: 'Open large' }))
  const large = within(await screen.findByRole('dialog', { name: 'npm test' }))
  expect(large.getByRole('region', { name: 'Output of npm test, large' }).textContent).toBe(output)
  await user.keyboard('{Escape}')
  expect(await screen.findByRole('dialog', { name: '#1 Find the callers' })).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Open panel' }))
  expect(useStage.getState().selectedAgentId).toBe('builder')
})

test('the menu of a task assigns it to an agent', async () => {
  const bridge = await show()
  await user.pointer({ keys: '[MouseRight]', target: screen.getByText('Find the callers') })
  await user.click(await screen.findByRole('menuitem', { name: 'builder' }))
  expect(bridge.inputsOf('task.update')).toEqual([{ conversationId: 'c1', taskId: '1', owner: 'builder' }])
})

test('a team ends by agreement or at once, and the dialog says what each means', async () => {
  const bridge = await show()
  await user.click(screen.getByRole('button', { name: 'End the team…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'End the team retries?' }))
  expect(dialog.getByText(/2 workers work now/)).toBeTruthy()
  bridge.answer({
    'team.end': () => {
      throw new Error('This team has ended.')
    },
  })
  await user.click(dialog.getByRole('button', { name: 'End now' }))
  expect((await dialog.findByRole('alert')).textContent).toBe('This team has ended.')
  bridge.answer({ 'team.end': () => undefined })
  await user.click(dialog.getByRole('button', { name: 'End by agreement' }))
  expect(bridge.inputsOf('team.end')).toEqual([
    { conversationId: 'c1', teamId: 'team', force: true },
    { conversationId: 'c1', teamId: 'team', force: false },
  ])
})

test('a worker is added with a name, a type, a prompt and where it runs; what is not possible is said', async () => {
  const bridge = await show()
  bridge.answer({ 'team.addMember': () => ({ agentId: 'new' }) })
  await user.click(screen.getByRole('button', { name: 'Add a worker…' }))
  const dialog = within(await screen.findByRole('dialog'))
  const add = () => dialog.getByRole('button', { name: 'Add worker' })
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), 'builder')
  expect(dialog.getByText('The team has a builder already.')).toBeTruthy()
  await user.type(dialog.getByRole('textbox', { name: 'Name' }), '-2')
  await user.type(dialog.getByRole('textbox', { name: 'Prompt' }), 'Take tasks.')
  await user.click(dialog.getByRole('radio', { name: 'Another machine' }))
  expect(dialog.getByText(/No worker is connected to the NATS server/)).toBeTruthy()
  expect(add().hasAttribute('disabled') || add().getAttribute('aria-disabled') === 'true').toBe(true)
  await user.click(dialog.getByRole('radio', { name: 'Own process' }))
  await user.click(add())
  expect(bridge.inputsOf('team.addMember')).toEqual([
    {
      conversationId: 'c1',
      teamId: 'team',
      name: 'builder-2',
      agent: 'general-purpose',
      prompt: 'Take tasks.',
      backing: 'pane',
    },
  ])
})

test('a conversation of another program can be read, not changed', async () => {
  await show({ readOnly: true })
  for (const name of [/Task…/, 'End the team…', 'Add a worker…'])
    expect(screen.queryByRole('button', { name })).toBeNull()
  expect(screen.getByText(/Another program runs this conversation/)).toBeTruthy()
  screen.getByRole('listbox', { name: 'Task board' }).focus()
  await user.keyboard('{ArrowDown}dn')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('an ended team is in the picker, and nothing can be added to it', async () => {
  await show({ record: { teams: [{ ...TEAM, id: 'old', name: 'survey', endedAt: 5 }, TEAM] } })
  await user.click(screen.getByRole('button', { name: 'Team: retries' }))
  await user.click(await screen.findByRole('menuitemradio', { name: /^survey/ }))
  expect(screen.getByRole('button', { name: 'Team: survey' }).textContent).toContain('ended')
  expect(screen.queryByRole('button', { name: 'Add a worker…' })).toBeNull()
})

test('another conversation begins with its own team and threads', async () => {
  const bridge = await show()
  await user.click(people().getByText('tester'))
  await user.click(screen.getByRole('button', { name: 'Write a message' }))
  expect(document.activeElement).toBe(field())
  const other = snapshotOf('c2', [MAIN, BUILDER])
  bridge.answer({
    'conversation.subscribe': () => ({
      ...other,
      record: { ...other.record, teams: [{ ...TEAM, id: 'two', name: 'second' }] },
    }),
  })
  await act(() => openConversation('c2'))
  expect(screen.getByRole('button', { name: 'Team: second' })).toBeTruthy()
  expect(screen.queryByText('No messages yet')).toBeNull()
  expect(within(threads()).getByRole('option', { selected: true })).toBeTruthy()
})

test('Escape leaves the message for the list of agents', async () => {
  await show()
  field().focus()
  await user.keyboard('{Escape}')
  expect(document.activeElement).toBe(screen.getByRole('listbox', { name: 'Team retries' }))
})

test('a change of one of 200 tasks changes only its card in the page', async () => {
  const tasks = Array.from({ length: 200 }, (_, index) => ({
    ...TASK,
    id: String(index + 1),
    subject: `Task number ${index + 1}`,
  }))
  const bridge = await show({ record: { tasks } })
  const cards = () => [...document.querySelectorAll('[data-task]')]
  const before = cards()
  expect(before).toHaveLength(200)
  const changed = new Set<Element>()
  const observer = new MutationObserver((records) => {
    for (const { target } of records) {
      const card = (target instanceof Element ? target : target.parentElement)?.closest('[data-task]')
      if (card != null) changed.add(card)
    }
  })
  observer.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  await act(async () =>
    bridge.push({
      type: 'conversation-event',
      conversationId: 'c1',
      event: {
        v: 1,
        conversationId: 'c1',
        seq: 1,
        order: 100,
        at: 5,
        type: 'task-changed',
        task: { ...TASK, id: '7', subject: 'Another subject', version: 2 },
      },
    }),
  )
  expect(await screen.findByText('Another subject')).toBeTruthy()
  observer.disconnect()
  expect(changed.size).toBe(1)
  expect(cards()).toEqual(before)
})
