import { act, cleanup, render, screen } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ChangesList } from '../../../shared/changes/changes.ts'
import { type AgentEvent, type EventOf, noLimits } from '../../../shared/events/agent-event.ts'
import { defaultSettings } from '../../../shared/settings/settings.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import type { FolderInfo } from '../../../shared/window/contract.ts'
import { emptyReview, type ReviewWorktree } from '../../../shared/worktrees/review.ts'
import { useChanges } from '../../stores/changes-store.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { useDrafts } from '../../stores/draft-store.ts'
import { useLimits } from '../../stores/limits-store.ts'
import { useResume } from '../../stores/resume-question.ts'
import { useReview } from '../../stores/review-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { type FakeBridge, installFakeBridge } from '../../testing/fake-bridge.ts'
import { TooltipProvider } from '../../ui/popover.tsx'
import { AgentPanel } from './agent-panel.tsx'
import { AgentAnnouncer, AgentStanding } from './agent-standing.tsx'

let bridge: FakeBridge
let script: SampleLog
const user = userEvent.setup()

beforeEach(() => {
  script = new SampleLog()
  useDrafts.setState({ drafts: {} })
  useSession.setState({ settings: defaultSettings })
  bridge = installFakeBridge({ 'agent.definitionChange': () => ({ kind: 'same', what: [] }) })
  useResume.setState({ questions: new Map(), gone: new Set(), pending: new Set() })
  useLimits.setState({ shownFor: null })
})
afterEach(cleanup)

function know(...histories: (readonly AgentEvent[])[]) {
  const states = histories.map(stateAfter)
  useConversation.setState({
    conversationId: 'c1',
    readOnly: false,
    queued: [],
    agents: new Map(states.map((state) => [state.id, state])),
  })
}
const main = () => [script.spawn('main'), script.status('main', 'running')]
const working = () => [
  script.spawn('a', { parentId: 'main', maxTurns: 40 }),
  script.status('a', 'running'),
  script.next('a', { type: 'request-started', turn: 6, attempt: 1, model: 'sonnet' }),
]
const paused = (yes = true) => script.next('a', { type: 'pause-changed', paused: yes })
const ended = (more: Partial<EventOf<'agent-ended'>>) =>
  script.next('a', {
    type: 'agent-ended',
    status: 'completed',
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
    ...more,
  })

function open(...events: readonly AgentEvent[]) {
  know(main(), events)
  render(
    <TooltipProvider>
      <AgentAnnouncer />
      <AgentPanel agentId="a" onFind={vi.fn()} onCopy={async () => true}>
        <p>transcript</p>
      </AgentPanel>
    </TooltipProvider>,
  )
  return screen.getByRole('article')
}
const buttons = () =>
  screen
    .getAllByRole('button')
    .map((button) => button.getAttribute('aria-label') ?? button.textContent)
    .filter((name) => !/^Turn |More actions/.test(name ?? ''))
/** Lets pending work finish. */
const settle = () => act(() => new Promise<void>((resolve) => setTimeout(resolve)))

describe('a panel offers the possible actions', () => {
  test('of a running agent', () => {
    open(...working())
    expect(buttons()).toEqual(['Message', 'Pause', 'Stop'])
    expect(screen.getByText('queued for its next turn')).toBeTruthy()
  })

  test('of a pausing agent, and shows the pause', () => {
    open(...working(), paused())
    expect(screen.getByText('Pausing after this step.')).toBeTruthy()
    expect(buttons()).toEqual(['Message', 'Continue', 'Stop', 'ContinueCtrl Shift R'])
    expect(screen.getByText('delivered on resume')).toBeTruthy()
  })

  test('of a paused agent', () => {
    const root = open(...working(), paused(), script.status('a', 'paused'))
    expect(root.getAttribute('aria-label')).toBe('a, a, paused')
    expect(screen.getByText('Paused. Continue picks up here.')).toBeTruthy()
    expect(buttons()).toContain('ContinueCtrl Shift R')
  })

  test('of a stopped agent', () => {
    open(...working(), ended({ status: 'stopped' }))
    expect(screen.getByText('Stopped on turn 6.')).toBeTruthy()
    expect(buttons()).toEqual(['Message', 'Resume', 'ResumeCtrl Shift R'])
    expect(screen.getByText('resumes it')).toBeTruthy()
  })

  test.each([
    ['agent', 'Stopped by another agent on turn 6.'],
    ['hook', 'Stopped by a hook on turn 6.'],
  ] as const)('of an agent that was stopped by: %s', (stoppedBy, text) => {
    open(...working(), ended({ status: 'stopped', stoppedBy }))
    expect(screen.getByText(text)).toBeTruthy()
    expect(buttons()).toContain('ResumeCtrl Shift R')
  })

  test('of an agent that has reported: only the message field', () => {
    open(...working(), ended({}))
    expect(buttons()).toEqual(['Message'])
    expect(screen.getByRole('textbox')).toBeTruthy()
  })
})

describe('at a limit', () => {
  test('of turns, the agent can resume at once', () => {
    open(...working(), ended({ reachedLimit: 'turns', limitOf: 'agent' }))
    expect(screen.getByText('Stopped at its limit of 40 turns.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Raise it/ })).toBeNull()
    expect(buttons()).toContain('ResumeCtrl Shift R')
  })

  test('of turns, a main agent that waits says so, and continues', async () => {
    open(
      script.spawn('a', { parentId: 'main', maxTurns: 40 }),
      script.status('a', 'running'),
      script.next('a', {
        type: 'status-changed',
        status: 'waiting',
        waitingFor: 'message',
        reachedLimit: 'turns',
      }),
    )
    expect(screen.getByText('Stopped at its limit of 40 turns.')).toBeTruthy()
    expect(screen.getByRole('article').getAttribute('aria-label')).toContain('stopped at its turn limit')
    expect(buttons()).toContain('ContinueCtrl Shift R')
    await user.click(screen.getAllByRole('button', { name: 'Continue' }).at(-1) as HTMLElement)
    expect(bridge.inputsOf('agent.continue')).toEqual([{ agentId: 'a', conversationId: 'c1' }])
  })

  test('of the conversation, the user can raise the limit', async () => {
    open(...working(), ended({ reachedLimit: 'money', limitOf: 'conversation' }))
    expect(screen.getByText("Stopped at the conversation's limit of $20.")).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Raise limit…' }))
    expect(useLimits.getState().shownFor).toBe('c1')
  })
})

describe('a failed agent', () => {
  const refused = { type: 'auth', message: 'The key was refused.' }

  test('that never began has no turn', () => {
    const [begun] = working()
    const failure = { type: 'no-answer', message: 'It gave no answer.' }
    open(...(begun === undefined ? [] : [begun]), ended({ status: 'failed', failure }))
    expect(screen.getByText('Failed before its first turn.')).toBeTruthy()
  })

  test('is tried again with one button, and its message is not repeated', async () => {
    open(...working(), ended({ status: 'failed', failure: { type: 'overloaded', message: 'Overloaded.' } }))
    expect(screen.getByText('Failed on turn 6.')).toBeTruthy()
    expect(screen.queryByText(/Overloaded/)).toBeNull()
    expect(screen.queryByRole('button', { name: 'Open Settings' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Try now' }))
    await settle()
    expect(bridge.inputsOf('agent.continue')).toEqual([{ agentId: 'a', conversationId: 'c1' }])
  })

  test('whose access was refused leads to the settings', async () => {
    open(...working(), ended({ status: 'failed', failure: refused }))
    await user.click(screen.getByRole('button', { name: 'Open Settings' }))
    expect(useSession.getState().view).toBe('settings')
  })

  test('that waits for the next attempt offers to retry at once, by key too', async () => {
    const retry = { turn: 6, attempt: 1, failure: refused, retryAt: Date.now() + 60_000 }
    open(...working(), script.next('a', { type: 'request-failed', ...retry }))
    expect(screen.getByRole('button', { name: 'Try now' })).toBeTruthy()
    screen.getByRole('article').focus()
    await user.keyboard('{Control>}{Shift>}T{/Shift}{/Control}')
    expect(bridge.inputsOf('agent.retry')).toEqual([{ agentId: 'a', conversationId: 'c1' }])
  })
})

test('at the limit of an agent above it, the agent continues with twice that limit', async () => {
  const limits = { ...noLimits, tokens: 9000 }
  const above = [script.spawn('b', { parentId: 'main', limits }), script.status('b', 'running')]
  const events = [
    script.spawn('a', { parentId: 'b' }),
    script.status('a', 'running'),
    ended({ reachedLimit: 'tokens', limitOf: 'parent' }),
  ]
  open(...events)
  act(() => know(main(), above, events))
  await user.click(screen.getByRole('button', { name: 'Raise to 18,000 tokens' }))
  expect(bridge.inputsOf('agent.setLimits')).toEqual([
    { agentId: 'b', conversationId: 'c1', limits: { ...limits, tokens: 18_000 } },
  ])
  expect(bridge.inputsOf('agent.continue')).toEqual([{ agentId: 'a', conversationId: 'c1' }])
})

test('at its own limit the agent continues with twice the limit', async () => {
  const limits = { ...noLimits, usd: 2, tokens: 9000 }
  const events = [
    script.spawn('a', { parentId: 'main', limits }),
    script.status('a', 'running'),
    ended({ reachedLimit: 'money', limitOf: 'agent' }),
  ]
  open(...events)
  const raise = () => {
    const raised = script.next('a', { type: 'limits-changed', limits: { ...limits, usd: 4 } })
    act(() => know(main(), [...events, raised]))
  }
  bridge.answer({ 'agent.setLimits': raise })
  await user.click(screen.getByRole('button', { name: 'Raise to $4' }))
  expect(bridge.inputsOf('agent.setLimits')).toEqual([
    { agentId: 'a', conversationId: 'c1', limits: { ...limits, usd: 4 } },
  ])
  expect(bridge.inputsOf('agent.continue')).toHaveLength(1)
})

describe('an agent that has ended leads to its work', () => {
  const worktree = { id: 'order-key-a91e', state: 'ready', files: 4 } as ReviewWorktree
  const inWorktree = { ...{ id: worktree.id, path: '/w', branch: 'b', base: 'x', from: '/f' }, own: true }
  const done = (more: Partial<EventOf<'agent-ended'>> = {}) => [
    script.spawn('a', { parentId: 'main', worktree: { ...inWorktree, target: 'main', aliases: [] } }),
    script.next('a', { type: 'request-started', turn: 12, attempt: 1, model: 'sonnet' }),
    ended(more),
  ]
  beforeEach(() => {
    useSession.setState({ folder: { path: '/f' } as FolderInfo, view: 'stage' })
    useReview.setState({ snapshot: { ...emptyReview('/f', null), worktrees: [worktree] } })
    const file = { path: '/f/a.ts', undone: false }
    const calls = [
      { agentId: 'a', files: [file, { ...file, path: '/f/b.ts' }, { path: '/f/c.ts', undone: true }] },
      { agentId: 'a', files: [file] },
      { agentId: 'other', files: [{ ...file, path: '/f/d.ts' }] },
    ]
    useChanges.setState({ list: { calls } as unknown as ChangesList, wantedPath: null })
  })

  test('in its worktree, with the turn and the files', async () => {
    open(...done())
    expect(screen.getByText('Done on turn 12')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Review 4 files' }))
    expect([useSession.getState().view, useReview.getState().selectedId]).toEqual(['review', worktree.id])
  })

  test('after a merge, and without a worktree of its own, among the changes of the conversation', async () => {
    useReview.setState({
      snapshot: { ...emptyReview('/f', null), worktrees: [{ ...worktree, state: 'merged' }] },
    })
    open(...done({ status: 'failed', failure: { type: 'bug', message: 'No.' } }))
    await user.click(screen.getByRole('button', { name: 'Review 2 files' }))
    expect([useSession.getState().view, useChanges.getState().wantedPath]).toEqual(['stage', '/f/a.ts'])
  })

  test('not while it is paused, nor where it changed nothing', () => {
    open(...done(), script.status('a', 'paused'))
    expect(screen.getByText('Paused. Continue picks up here.')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /^Review/ })).toBeNull()
    act(() => {
      know(main(), done())
      useReview.setState({ snapshot: emptyReview('/f', null) })
      useChanges.setState({ list: null })
    })
    expect(screen.queryByRole('button', { name: /^Review/ })).toBeNull()
  })
})

describe('the keys', () => {
  test('Ctrl Shift R pauses and continues, Ctrl Shift B moves to the background', async () => {
    const root = open(...working())
    root.focus()
    await user.keyboard('{Control>}{Shift>}R{/Shift}{/Control}')
    expect(bridge.inputsOf('agent.pause')).toEqual([{ agentId: 'a', conversationId: 'c1' }])
    act(() => know(main(), [...working(), paused()]))
    await user.keyboard('{Control>}{Shift>}RB{/Shift}{/Control}')
    expect(bridge.inputsOf('agent.continue')).toHaveLength(1)
    expect(bridge.inputsOf('agent.toBackground')).toHaveLength(1)
  })

  test('the focus stays on a button that changes its action, and moves to the panel when the button disappears', async () => {
    const root = open(...working())
    screen.getByRole('button', { name: 'Pause' }).focus()
    const script2 = [...working(), paused()]
    act(() => know(main(), script2))
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Continue')
    act(() => know(main(), [...working(), ended({})]))
    expect(document.activeElement).toBe(root)
  })
})

test('the draft outlives the panel', async () => {
  open(...working())
  await user.type(screen.getByRole('textbox'), 'half a thou')
  cleanup()
  open(...working())
  expect((screen.getByRole('textbox') as HTMLInputElement).value).toBe('half a thou')
})

describe('a changed definition', () => {
  const change = () =>
    bridge.answer({
      'agent.definitionChange': () => ({ kind: 'changed', what: ['its prompt', 'its tools'] }),
    })

  test('is asked about at the first message; Enter keeps the old definition', async () => {
    change()
    open(...working(), ended({}))
    await user.type(screen.getByRole('textbox'), 'and the tests?{Enter}')
    const question = await screen.findByRole('group', { name: /definition of “a” has changed/ })
    expect(question.textContent).toContain('(its prompt, its tools)')
    await expect.poll(() => document.activeElement?.textContent).toBe('Keep old definition')
    expect(bridge.inputsOf('conversation.send')).toEqual([])
    await user.keyboard('{Enter}')
    await settle()
    expect(bridge.inputsOf('conversation.send')).toMatchObject([{ agentId: 'a', content: 'and the tests?' }])
    expect(bridge.inputsOf('agent.renew')).toEqual([])
    expect((screen.getByRole('textbox') as HTMLInputElement).value).toBe('')
  })

  test('Escape sends nothing and keeps the text', async () => {
    change()
    const root = open(...working(), ended({}))
    await user.type(screen.getByRole('textbox'), 'and the tests?{Enter}')
    await expect.poll(() => document.activeElement?.textContent).toBe('Keep old definition')
    await user.keyboard('{Escape}')
    await settle()
    expect(screen.queryByRole('group', { name: /has changed/ })).toBeNull()
    expect(bridge.inputsOf('conversation.send')).toEqual([])
    expect((screen.getByRole('textbox') as HTMLInputElement).value).toBe('and the tests?')
    expect(document.activeElement).toBe(root)
  })

  test('that no longer exists shows a line that the user can dismiss', async () => {
    bridge.answer({ 'agent.definitionChange': () => ({ kind: 'gone', what: [] }) })
    open(...working(), ended({ status: 'stopped' }))
    await user.click(screen.getAllByRole('button', { name: 'Resume' }).at(-1)!)
    expect(
      await screen.findByText(/continues with its old definition: the definition a no longer exists/),
    ).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Dismiss' }))
    expect(screen.queryByText(/continues with its old definition/)).toBeNull()
  })
})

test('a screen reader hears pauses, resumes and moves to the background; many agents are counted', () => {
  open(...working())
  const heard = () => screen.getAllByRole('status')[0]?.textContent
  const events = [...working(), paused()]
  act(() => know(main(), events))
  expect(heard()).toBe('')
  act(() => know(main(), [...events, script.status('a', 'paused')]))
  expect(heard()).toBe('“a” is paused.')
  act(() => know(main(), [...events, script.status('a', 'running')]))
  expect(heard()).toBe('“a” is working again.')
  const moved = script.next('a', { type: 'moved-to-background', by: 'user', bubbles: true })
  act(() => know(main(), [...events, moved]))
  expect(heard()).toBe('“a” is in the background.')
  const others = ['x', 'y', 'z'].map((id) => [
    script.spawn(id, { parentId: 'main' }),
    script.status(id, 'running'),
  ])
  act(() => know(main(), ...others))
  act(() =>
    know(main(), ...others.map((log, at) => [...log, script.status(['x', 'y', 'z'][at] ?? '', 'paused')])),
  )
  expect(heard()).toBe('3 agents are paused.')
})

describe('the main agent’s line after a stop of several agents', () => {
  const stop = (agentId: string, stopId: string, status: 'stopped' | 'interrupted' = 'stopped') =>
    script.next(agentId, {
      type: 'agent-ended',
      status,
      report: '',
      failure: null,
      reachedLimit: null,
      limitOf: null,
      stopId,
    })
  function openMain(...histories: (readonly AgentEvent[])[]) {
    know(...histories)
    render(
      <TooltipProvider>
        <AgentStanding agentId="main" onGone={() => {}} hasKeys={false} />
      </TooltipProvider>,
    )
  }

  test('says what else was stopped, and continues all', async () => {
    openMain([...main(), stop('main', 's1')], [...working(), stop('a', 's1')])
    expect(screen.getByText('Stopped before it started. 1 subagent was stopped too.')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Continue all' }))
    expect(bridge.inputsOf('conversation.continue')).toEqual([{ conversationId: 'c1' }])
  })

  test('says what was interrupted with the main agent, and continues all', async () => {
    openMain([...main(), stop('main', 's9', 'interrupted')], [...working(), stop('a', 's9', 'interrupted')])
    expect(
      screen.getByText('Interrupted before its first turn. 1 subagent was interrupted too.'),
    ).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Continue all' }))
    expect(bridge.inputsOf('conversation.continue')).toEqual([{ conversationId: 'c1' }])
  })

  test('appears while the main agent waits for a message, and disappears once the subagents work', () => {
    const waiting = [
      ...main(),
      script.next('main', { type: 'status-changed', status: 'waiting', waitingFor: 'message' }),
    ]
    const subagent = [...working(), stop('a', 's1')]
    openMain(waiting, subagent)
    expect(screen.getByText('1 subagent was stopped.')).toBeTruthy()
    act(() => know(waiting, [...subagent, script.status('a', 'queued')]))
    expect(screen.queryByRole('button', { name: 'Continue all' })).toBeNull()
  })

  test('offers nothing where another program runs the conversation, or the agents were stopped before', () => {
    openMain([...main(), stop('main', 's2')], [...working(), stop('a', 's1'), script.status('a', 'queued')])
    expect(screen.queryByRole('button', { name: 'Continue all' })).toBeNull()
    act(() => {
      know([...main(), stop('main', 's3')], [...working(), stop('a', 's3')])
      useConversation.setState({ readOnly: true })
    })
    expect(screen.queryByRole('button', { name: 'Continue all' })).toBeNull()
  })
})

describe('a usage limit', () => {
  const failure = { type: 'rate-limited', message: 'Rate limited: too many tokens.' }
  const rests = (id: string, at: number) => [
    script.next(id, { type: 'status-changed', status: 'waiting', waitingFor: 'limit' }),
    script.next(id, { type: 'request-failed', turn: 1, attempt: 1, failure, retryAt: at }),
  ]

  test('is named with its end and the place, and “Try now” releases the agent, by key too', async () => {
    const at = Date.now() + 2 * 3_600_000 + 10 * 60_000
    const first = [script.spawn('b', { parentId: 'main' }), ...rests('b', at)]
    know(main(), first, [script.spawn('a', { parentId: 'main' }), ...rests('a', at)])
    render(<AgentStanding agentId="a" onGone={() => {}} hasKeys={false} />, { wrapper: TooltipProvider })
    const line = screen.getByText(/Rate limited until/)
    expect(line.textContent).toMatch(/\d\d:\d\d \(in 2 h 10 min\)\. It continues by itself, 2 of 2\.$/)
    await user.click(screen.getByRole('button', { name: /Try now/ }))
    expect(bridge.inputsOf('agent.retry')).toEqual([{ agentId: 'a', conversationId: 'c1' }])
  })

  test('after a restart all are continued at its end, or now', async () => {
    const at = Date.now() + 3_600_000
    const interrupted = (id: string) =>
      script.next(id, {
        type: 'agent-ended',
        status: 'interrupted',
        report: '',
        failure: null,
        reachedLimit: null,
        limitOf: null,
        stopId: 's-1',
      })
    const child = [script.spawn('a', { parentId: 'main' }), ...rests('a', at), interrupted('a')]
    know([...main(), interrupted('main')], child)
    render(<AgentStanding agentId="main" onGone={() => {}} />, { wrapper: TooltipProvider })
    await user.click(
      screen.getByRole('button', { name: /^Continue all at \d\d:\d\d$|^Continue all at .*, / }),
    )
    await user.click(screen.getByRole('button', { name: 'Continue all now' }))
    expect(bridge.inputsOf('conversation.continue')).toEqual([
      { conversationId: 'c1', whenLimitEnds: true },
      { conversationId: 'c1' },
    ])
  })
})
