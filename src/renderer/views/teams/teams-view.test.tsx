import { act, cleanup, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import type { AgentState } from '../../../shared/agent-state.ts'
import type { ConversationRecord } from '../../../shared/conversation.ts'
import type { Team, TeamTask } from '../../../shared/team.ts'
import { useSession } from '../../stores/session-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { useStage } from '../../stores/stage-store.ts'
import { useTeams } from '../../stores/teams-store.ts'
import { EventScript, stateAfter } from '../../testing/event-script.ts'
import type { FakeBridge } from '../../testing/fake-bridge.ts'
import { snapshotOf, startWindow, summaryOf } from '../../testing/start-window.tsx'
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { TeamsView } from './teams-view.tsx'

afterEach(() => {
  cleanup()
  useTeams.setState(useTeams.getInitialState(), true)
})
const user = userEvent.setup()

const script = new EventScript()
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
  endedAt: null,
} as Team

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
  expect(screen.getByText('2 messages')).toBeTruthy()
  expect(screen.getByText('tls://nats.lab:4222 · TLS · 0 machines')).toBeTruthy()
})

test('a message to all shows its state at each receiver', async () => {
  await show()
  await user.click(within(threads()).getByText(/to all/))
  const log = within(screen.getByRole('log', { name: 'Messages' }))
  expect(log.getByRole('list', { name: 'Read by 1 of 3 receivers' }).textContent).toBe(
    'Main agent deliveredbuilder readfuzzer queued',
  )
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
    { conversationId: 'c1', agentId: 'tester', text: 'Once more, please\nthanks', images: [] },
  ])
  expect((field() as HTMLTextAreaElement).value).toBe('')
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

test('the board: columns, what holds a task up, and arrow keys', async () => {
  await show()
  const board = screen.getByRole('listbox', { name: 'Task board' })
  expect(within(board).getByRole('group', { name: 'Free: 1' }).textContent).toContain('Find the callers')
  expect(within(board).getByRole('group', { name: 'Waiting for others: 1' }).textContent).toContain(
    'after #1',
  )
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
})
