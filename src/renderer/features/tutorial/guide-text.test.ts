import { expect, test } from 'vitest'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { sampleAgent } from '../../../shared/testing/sample-log.ts'
import { TUTORIAL_STEPS, type TutorialStep } from '../../../shared/tutorial/tutorial.ts'
import { guideOf, readyWorktree, type Situation } from './guide-text.ts'

const agent = (id: string, task: string, more: Partial<AgentState> = {}): AgentState => ({
  ...sampleAgent({ agentId: id, parentId: id === 'main' ? null : 'main', task }),
  ...{ id, status: 'running', permissionMode: 'default' },
  ...more,
})
const IDLE = { status: 'waiting', waitingFor: 'message' } as const
const DONE = { status: 'completed' } as const
const main = agent('main', '')
const circles = agent('circles', 'Look for the cause')
const fix = agent('fix', 'Write the fix')
const check = agent('check', 'Check the README')
const asks = { requests: [{ requestId: 'r-1' }] as never }

const NOTES = { path: '/sample/NOTES.md', shown: 'NOTES.md' }
const guide = (
  step: TutorialStep,
  agents: readonly AgentState[],
  more: Partial<Situation> = {},
  hasGit = true,
) =>
  guideOf(step, { done: [], hasGit }, { agents, changed: null, readyWorktree: null, hasDraft: true, ...more })

test('while the step is possible, the guide names its control and its keys', () => {
  expect(guide('send', [main])).toMatchObject({ keys: 'Enter', place: { kind: 'composer' } })
  expect(guide('answer', [{ ...main, ...asks }])).toMatchObject({
    ...{ keys: 'requests', place: { kind: 'request', agentId: 'main', requestId: 'r-1' } },
  })
  expect(guide('stop', [main, circles, fix])).toMatchObject({ place: { kind: 'panel', agentId: 'circles' } })
  expect(guide('message', [main, fix])).toMatchObject({ place: { kind: 'line', agentId: 'fix' } })
  expect(guide('undo', [main], { changed: NOTES })).toMatchObject({
    ...{ keys: 'changes', place: { kind: 'changes', path: '/sample/NOTES.md' } },
  })
  expect(guide('merge', [main], { readyWorktree: 'w-1' })).toMatchObject({
    ...{ keys: 'review', place: { kind: 'review', worktreeId: 'w-1' } },
  })
  expect(guide('restart', [{ ...main, ...IDLE }, check])).toMatchObject({ place: { kind: 'end' } })
})

test.each<[TutorialStep, readonly AgentState[], string]>([
  ['answer', [], 'Propose another note.'],
  ['stop', [{ ...circles, ...DONE }], 'Start an agent that goes in circles.'],
  ['message', [], 'Write the fix again.'],
  ['undo', [], 'Propose another note.'],
  ['merge', [{ ...fix, ...DONE }], 'Write the fix again.'],
  ['restart', [{ ...check, ...DONE }], 'Check the README again.'],
])(
  'where the step %s is not possible any more, a message starts what is missing',
  (step, others, message) => {
    expect(guide(step, [{ ...main, ...IDLE }, ...others])).toMatchObject({
      message,
      place: { kind: 'composer' },
    })
  },
)

test('while the main agent works, the guide waits and offers nothing', () => {
  for (const step of ['answer', 'stop', 'message', 'merge'] as const)
    expect(guide(step, [main])).toMatchObject({ place: null })
})

test('another agent was stopped: the guide says that the one in circles still works', () => {
  const stopped = { ...fix, status: 'stopped', stoppedBy: 'user' } as const
  expect(guide('message', [main, circles, stopped]).text).toContain(
    '“Look for the cause” still goes in circles.',
  )
})

test('a worktree is ready once its agent has ended with work, before the list has it, until all is merged', () => {
  const saved = {
    worktree: { id: 'w-1', own: true },
    work: { unchanged: false },
  } as never as Partial<AgentState>
  const ended = { ...fix, ...DONE, ...saved }
  expect(readyWorktree([main, { ...fix, ...saved }], [])).toBe(null)
  expect(readyWorktree([main, ended], [])).toBe('w-1')
  expect(readyWorktree([main, ended], [{ id: 'w-1', state: 'working' }])).toBe('w-1')
  expect(readyWorktree([main, ended], [{ id: 'w-1', state: 'merged' }])).toBe(null)
  expect(readyWorktree([main, { ...ended, work: { unchanged: true } as never }], [])).toBe(null)
})

test('a mode that asks nothing is named', () => {
  const idle = { ...main, ...IDLE, permissionMode: 'acceptEdits' } as const
  expect(guide('answer', [idle]).text).toContain('Choose “Ask before edits”')
})

test('without git the guide says why there is nothing to merge', () => {
  expect(guide('merge', [main], {}, false).text).toContain('Worktrees need git')
})

test('after the end of the program each step is first about continuing', () => {
  const held = [
    { ...main, ...IDLE },
    { ...check, status: 'interrupted', stopId: 'died', endedAt: 5 },
  ] as const
  for (const step of TUTORIAL_STEPS)
    expect(guide(step, held)).toMatchObject({ title: 'Survive a kill', place: { kind: 'continue' } })
})
