import { expect, test } from 'vitest'
import { type AgentEvent, type EventOf, noLimits } from '../../shared/events/agent-event.ts'
import type { AgentState } from '../../shared/state/agent-state.ts'
import { SampleLog, stateAfter } from '../../shared/testing/sample-log.ts'
import { actionTitle, countLive, offeredActions, pressedAction } from './agent-actions.ts'

const script = new SampleLog()
const spawn = (id: string, more: Parameters<SampleLog['spawn']>[1] = {}) =>
  script.spawn(id, { parentId: 'main', ...more })
const pause = (id: string, paused = true) => script.next(id, { type: 'pause-changed', paused })
const ended = (id: string, more: Partial<EventOf<'agent-ended'>> = {}) =>
  script.next(id, {
    type: 'agent-ended',
    status: 'completed',
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
    ...more,
  })
const main = stateAfter([script.spawn('main'), script.status('main', 'running')])
const paused = stateAfter([
  script.spawn('main'),
  script.next('main', { type: 'status-changed', status: 'waiting', waitingFor: 'message' }),
])

function offered(agent: AgentState, more: Partial<Parameters<typeof offeredActions>[1]> = {}) {
  const agents = new Map([main, agent].map((state) => [state.id, state]))
  return offeredActions(agent, { readOnly: false, agents, conversationLimits: noLimits, ...more })
}
const after = (...events: readonly AgentEvent[]) => stateAfter(events)

test('a working agent can be messaged, paused, moved to the background and stopped', () => {
  expect(offered(after(spawn('a'), script.status('a', 'running')))).toEqual([
    'write',
    'pause',
    'background',
    'stop',
  ])
  expect(offered(after(spawn('q')))).toContain('pause')
})

test('a pausing or paused agent can be continued', () => {
  const pausing = after(spawn('a'), script.status('a', 'running'), pause('a'))
  expect(offered(pausing)).toEqual(['write', 'continue', 'background', 'stop'])
  const paused = after(spawn('b'), script.status('b', 'running'), pause('b'), script.status('b', 'paused'))
  expect(offered(paused)).toEqual(['write', 'continue', 'background', 'stop'])
  expect(offered(after(spawn('c'), script.status('c', 'running'), pause('c'), pause('c', false)))).toContain(
    'pause',
  )
})

test('only an agent with a waiting parent can be moved to the background', () => {
  const running = (id: string, more: Parameters<SampleLog['spawn']>[1] = {}) =>
    after(spawn(id, more), script.status(id, 'running'))
  expect(offered(running('a', { background: true }))).not.toContain('background')
  const moved = after(
    spawn('b'),
    script.status('b', 'running'),
    script.next('b', { type: 'moved-to-background', by: 'user', bubbles: true }),
  )
  expect(offered(moved)).not.toContain('background')
  expect(offered(main)).toEqual(['write', 'pause', 'stop'])
  const alone = running('c')
  expect(offered(alone, { agents: new Map([paused, alone].map((one) => [one.id, one])) })).not.toContain(
    'background',
  )
})

test('an agent that did not finish its task can resume; a finished one can only be messaged', () => {
  for (const status of ['failed', 'stopped', 'interrupted'] as const)
    expect(offered(after(spawn(status), ended(status, { status })))).toEqual(['write', 'resume'])
  expect(offered(after(spawn('done'), ended('done')))).toEqual(['write'])
  expect(offered(paused)).toEqual(['write'])
  const oneShot = spawn('once') as EventOf<'agent-spawned'>
  const once = after({ ...oneShot, definition: { ...oneShot.definition, oneShot: true } }, ended('once'))
  expect(offered(once)).toEqual(['write'])
})

test('an agent at a limit can resume once the limit would not end it again', () => {
  const turns = after(spawn('t'), ended('t', { reachedLimit: 'turns', limitOf: 'agent' }))
  expect(offered(turns)).toEqual(['write', 'resume'])
  const spent = after(
    spawn('m'),
    script.says('m', 'x'),
    ended('m', { reachedLimit: 'money', limitOf: 'conversation' }),
  )
  expect(offered(spent, { conversationLimits: { ...noLimits, usd: 0.005 } })).toEqual(['write'])
  expect(offered(spent, { conversationLimits: { ...noLimits, usd: 5 } })).toEqual(['write', 'resume'])
})

test('a conversation that another program runs offers no actions', () => {
  expect(offered(after(spawn('a'), script.status('a', 'running')), { readOnly: true })).toEqual([])
})

test('a key maps to the action that is possible now', () => {
  const pressed = (letter: string) => (keys: string) => keys === `Mod Shift ${letter}`
  expect(pressedAction(['write', 'pause', 'stop'], pressed('R'))).toBe('pause')
  expect(pressedAction(['write', 'continue', 'stop'], pressed('R'))).toBe('continue')
  expect(pressedAction(['write'], pressed('R'))).toBeUndefined()
  expect(pressedAction(['write', 'pause', 'stop'], pressed('B'))).toBeUndefined()
})

test('the title of an action names its agent', () => {
  const agent = after(spawn('Explore', { task: 'look at routes' }))
  expect(actionTitle('pause', agent)).toBe('Pause: look at routes')
  expect(actionTitle('background', agent)).toBe('Move to background: look at routes')
  expect(actionTitle('stop', after(script.spawn('main', { task: '' })))).toBe('Stop: Main agent')
})

test('queued agents count apart; a pausing agent counts as paused and as pausing; an ended agent does not count', () => {
  const states = [
    after(spawn('a'), script.status('a', 'running')),
    after(spawn('b'), script.status('b', 'running'), pause('b')),
    after(spawn('d'), script.status('d', 'running'), pause('d'), script.status('d', 'paused')),
    after(spawn('c'), ended('c')),
    after(spawn('q'), script.status('q', 'queued')),
    after(spawn('r'), script.status('r', 'queued'), pause('r')),
  ]
  expect(countLive(new Map(states.map((state) => [state.id, state])))).toEqual({
    working: 1,
    asking: 0,
    queued: 1,
    paused: 3,
    pausing: 2,
  })
})

test('changes in an agent’s own worktree can be reviewed, under the same name everywhere', () => {
  const worktree = {
    id: 'a-91e42c',
    path: '/data/worktrees/shop/a-91e42c',
    branch: 'troupe/a-91e42c',
    base: 'b45e',
    from: '/work/shop',
    target: 'main',
    own: true,
    aliases: [],
  }
  const saved = (id: string, unchanged: boolean) =>
    script.next(id, {
      type: 'work-saved',
      work: {
        head: 'f00',
        commits: 1,
        files: 1,
        insertions: 1,
        deletions: 0,
        check: { kind: 'clean' },
        unchanged,
        committedAs: 'user',
        problems: [],
      },
    })
  const running = after(spawn('a', { worktree }), script.status('a', 'running'))
  expect(offered(running)).toEqual(['write', 'pause', 'background', 'review', 'stop'])
  expect(offered(after(spawn('b', { worktree }), saved('b', false), ended('b')))).toEqual(['write', 'review'])
  // Nothing was changed, so there is nothing to review.
  expect(offered(after(spawn('c', { worktree }), saved('c', true), ended('c')))).toEqual(['write'])
  // The worktree belongs to another agent.
  expect(offered(after(spawn('d', { worktree: { ...worktree, own: false } }), ended('d')))).toEqual(['write'])
  expect(actionTitle('review', running)).toBe('Review changes: a')
})
