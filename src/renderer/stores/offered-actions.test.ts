import { expect, test } from 'vitest'
import { type AgentEvent, type EventOf, noLimits } from '../../shared/agent-event.ts'
import type { AgentState } from '../../shared/agent-state.ts'
import { EventScript, stateAfter } from '../testing/event-script.ts'
import { actionOfKey, actionTitle, countLive, offeredActions } from './offered-actions.ts'

const script = new EventScript()
const spawn = (id: string, more: Parameters<EventScript['spawn']>[1] = {}) =>
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
const resting = stateAfter([
  script.spawn('main'),
  script.next('main', { type: 'status-changed', status: 'waiting', waitingFor: 'message' }),
])

function offered(agent: AgentState, more: Partial<Parameters<typeof offeredActions>[1]> = {}) {
  const agents = new Map([main, agent].map((state) => [state.id, state]))
  return offeredActions(agent, { readOnly: false, agents, conversationLimits: noLimits, ...more })
}
const after = (...events: readonly AgentEvent[]) => stateAfter(events)

test('one that works can be written to, paused, moved to the background and stopped', () => {
  expect(offered(after(spawn('a'), script.status('a', 'running')))).toEqual([
    'write',
    'pause',
    'background',
    'stop',
  ])
  expect(offered(after(spawn('q')))).toContain('pause')
})

test('one that will rest, or rests, can be continued', () => {
  const pausing = after(spawn('a'), script.status('a', 'running'), pause('a'))
  expect(offered(pausing)).toEqual(['write', 'continue', 'background', 'stop'])
  const paused = after(spawn('b'), script.status('b', 'running'), pause('b'), script.status('b', 'paused'))
  expect(offered(paused)).toEqual(['write', 'continue', 'background', 'stop'])
  expect(offered(after(spawn('c'), script.status('c', 'running'), pause('c'), pause('c', false)))).toContain(
    'pause',
  )
})

test('only one that somebody waits for can be moved to the background', () => {
  const running = (id: string, more: Parameters<EventScript['spawn']>[1] = {}) =>
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
  expect(offered(alone, { agents: new Map([resting, alone].map((one) => [one.id, one])) })).not.toContain(
    'background',
  )
})

test('one that came to no end of its task can go on; one that did can only be written to', () => {
  for (const status of ['failed', 'stopped', 'interrupted'] as const)
    expect(offered(after(spawn(status), ended(status, { status })))).toEqual(['write', 'go-on'])
  expect(offered(after(spawn('done'), ended('done')))).toEqual(['write'])
  expect(offered(resting)).toEqual(['write'])
  const oneShot = spawn('once') as EventOf<'agent-spawned'>
  const once = after({ ...oneShot, definition: { ...oneShot.definition, oneShot: true } }, ended('once'))
  expect(offered(once)).toEqual(['write'])
})

test('one at a limit can go on once it would not end there at once again', () => {
  const turns = after(spawn('t'), ended('t', { reachedLimit: 'turns', limitOf: 'agent' }))
  expect(offered(turns)).toEqual(['write', 'go-on'])
  const spent = after(
    spawn('m'),
    script.says('m', 'x'),
    ended('m', { reachedLimit: 'money', limitOf: 'conversation' }),
  )
  expect(offered(spent, { conversationLimits: { ...noLimits, usd: 0.005 } })).toEqual(['write'])
  expect(offered(spent, { conversationLimits: { ...noLimits, usd: 5 } })).toEqual(['write', 'go-on'])
})

test('nothing is offered where another program runs the conversation', () => {
  expect(offered(after(spawn('a'), script.status('a', 'running')), { readOnly: true })).toEqual([])
})

test('a key stands for what is offered now', () => {
  expect(actionOfKey(['write', 'pause', 'stop'], 'r')).toBe('pause')
  expect(actionOfKey(['write', 'continue', 'stop'], 'R')).toBe('continue')
  expect(actionOfKey(['write'], 'r')).toBeUndefined()
  expect(actionOfKey(['write', 'pause', 'stop'], 'b')).toBeUndefined()
})

test('its title says whom it is about', () => {
  const agent = after(spawn('Explore', { task: 'look at routes' }))
  expect(actionTitle('pause', agent)).toBe('Pause Explore: look at routes')
  expect(actionTitle('background', agent)).toBe('Move Explore to the background: look at routes')
  expect(actionTitle('stop', after(script.spawn('main', { task: '' })))).toBe('Stop Main agent')
})

test('one that is to rest counts as resting, until it does as pausing too, one that has ended not at all', () => {
  const states = [
    after(spawn('a'), script.status('a', 'running')),
    after(spawn('b'), script.status('b', 'running'), pause('b')),
    after(spawn('d'), script.status('d', 'running'), pause('d'), script.status('d', 'paused')),
    after(spawn('c'), ended('c')),
  ]
  expect(countLive(new Map(states.map((state) => [state.id, state])))).toEqual({
    working: 1,
    resting: 2,
    pausing: 1,
  })
})

test('what was done in a worktree of its own can be reviewed, by the same name everywhere', () => {
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
  // Nothing was changed, so there is nothing left of it.
  expect(offered(after(spawn('c', { worktree }), saved('c', true), ended('c')))).toEqual(['write'])
  // It works in that of another one.
  expect(offered(after(spawn('d', { worktree: { ...worktree, own: false } }), ended('d')))).toEqual(['write'])
  expect(actionTitle('review', running)).toBe('Review changes of a: the task of a')
})
