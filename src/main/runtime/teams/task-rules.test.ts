import { describe, expect, test } from 'vitest'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import { changedTask, dependencyProblem, freeTasks, type TaskActor, type TaskEdit } from './task-rules.ts'

const task = (id: string, more: Partial<TeamTask> = {}): TeamTask => ({
  id,
  teamId: null,
  subject: `task ${id}`,
  description: '',
  status: 'pending',
  owner: null,
  dependsOn: [],
  createdBy: 'lead',
  createdAt: 1,
  claimedAt: null,
  endedAt: null,
  version: 1,
  ...more,
})
const claimedBy = (id: string, owner: string, more: Partial<TeamTask> = {}) =>
  task(id, { status: 'in_progress', owner, claimedAt: 2, ...more })
const ended = (id: string, status: 'completed' | 'canceled') => task(id, { status, owner: 'bob', endedAt: 3 })

const ada: TaskActor = { agentId: 'ada', leads: false }
const leader: TaskActor = { agentId: 'lead', leads: true }
const user: TaskActor = { agentId: null, leads: true }
const nameOf = (id: string) => (id === 'ada' ? 'you' : id)
const change = (tasks: readonly TeamTask[], edit: TaskEdit, actor = ada) =>
  changedTask(tasks[0]!, edit, { actor, facts: { tasks, now: 9, nameOf } })
const claim = { status: 'in_progress' } as const

describe('a claim', () => {
  test('makes the caller the owner', () => {
    expect(change([task('1')], claim)).toMatchObject({
      ok: true,
      value: { status: 'in_progress', owner: 'ada', claimedAt: 9, version: 2 },
    })
  })
  test('of the caller’s own task changes nothing', () => {
    expect(change([claimedBy('1', 'ada')], claim)).toEqual({ ok: true, value: null })
  })
  test.each<[string, readonly TeamTask[], TaskEdit, string]>([
    [
      'of another’s task names the owner and what is free',
      [claimedBy('1', 'bob'), task('2'), task('3', { dependsOn: ['1'] })],
      claim,
      'bob works on task 1 already. Free now: 2 (task 2).',
    ],
    [
      'with nothing free says what to do',
      [claimedBy('1', 'bob')],
      claim,
      'bob works on task 1 already. No task is free now. End your turn: a message resumes you when one is free for you.',
    ],
    [
      'with open dependencies names them',
      [task('1', { dependsOn: ['2', '3', '4'] }), claimedBy('2', 'ada'), ended('3', 'completed'), task('4')],
      claim,
      "Task 1 can't be claimed yet: it waits for task 2 (in progress, you), task 4 (pending). Free now: 4 (task 4).",
    ],
    [
      'of a completed task',
      [ended('1', 'completed'), task('2')],
      claim,
      'Task 1 is completed. Free now: 2 (task 2).',
    ],
    ['for another agent', [task('1')], { owner: 'bob' }, 'You can claim a task only for yourself.'],
  ])('%s', (_name, tasks, edit, message) => {
    const changed = change(tasks, edit)
    expect(changed.ok ? '' : changed.failure).toContain(message)
  })
  test('by the leader or the user is for the agent that they name, also if another has the task', () => {
    for (const actor of [leader, user]) {
      expect(change([task('1')], { owner: 'bob' }, actor)).toMatchObject({ value: { owner: 'bob' } })
      expect(change([claimedBy('1', 'eve')], { ...claim, owner: 'bob' }, actor)).toMatchObject({
        value: { owner: 'bob' },
      })
      expect(change([claimedBy('1', 'eve')], claim, actor)).toMatchObject({ ok: false })
    }
  })
})

describe('other changes', () => {
  test.each<[string, TeamTask, TaskEdit, Partial<TeamTask>]>([
    [
      'a release',
      claimedBy('1', 'ada'),
      { status: 'pending' },
      { status: 'pending', owner: null, claimedAt: null },
    ],
    [
      'a completion',
      claimedBy('1', 'ada'),
      { status: 'completed' },
      { status: 'completed', owner: 'ada', endedAt: 9 },
    ],
    ['a completion without a claim', task('1'), { status: 'completed' }, { owner: 'ada', claimedAt: 9 }],
    [
      'a cancellation of an own task',
      task('1', { createdBy: 'ada' }),
      { status: 'canceled' },
      { status: 'canceled' },
    ],
    [
      'other dependencies of an own task',
      task('1', { createdBy: 'ada' }),
      { dependsOn: ['2', '2'] },
      { dependsOn: ['2'] },
    ],
  ])('%s is allowed', (_name, first, edit, expected) => {
    expect(change([first, task('2')], edit)).toMatchObject({ ok: true, value: { ...expected, version: 2 } })
  })
  test.each<[string, TeamTask, TaskEdit, string]>([
    [
      'releases another’s task',
      claimedBy('1', 'bob'),
      { status: 'pending' },
      'Only its owner or the leader releases it.',
    ],
    ['completes another’s task', claimedBy('1', 'bob'), { status: 'completed' }, "so you can't complete it"],
    ['completes a canceled task', ended('1', 'canceled'), { status: 'completed' }, 'was canceled'],
    [
      'completes a task that waits',
      task('1', { dependsOn: ['2'] }),
      { status: 'completed' },
      'it waits for task 2 (pending)',
    ],
    ['cancels another’s task', claimedBy('1', 'bob'), { status: 'canceled' }, 'Only the leader'],
    ['cancels a completed task', ended('1', 'completed'), { status: 'canceled' }, "can't be canceled"],
    ['opens a task again', ended('1', 'completed'), { status: 'pending' }, 'Only the leader opens it again.'],
    ['changes what another’s task waits for', task('1'), { dependsOn: ['2'] }, 'changes what it waits for'],
  ])('a member never %s', (_name, first, edit, message) => {
    const changed = change([first, task('2')], edit)
    expect(changed.ok ? '' : changed.failure).toContain(message)
  })
  test('the leader releases, completes, cancels and opens any task', () => {
    const edits = [
      [claimedBy('1', 'bob'), 'pending'],
      [claimedBy('1', 'bob'), 'completed'],
      [claimedBy('1', 'bob'), 'canceled'],
      [ended('1', 'completed'), 'pending'],
    ] as const
    for (const [first, status] of edits)
      expect(change([first], { status }, leader)).toMatchObject({ ok: true, value: { status } })
  })
})

describe('dependencies', () => {
  const tasks = [
    task('1', { dependsOn: ['2'] }),
    task('2', { dependsOn: ['3'] }),
    task('3'),
    ended('4', 'canceled'),
  ]
  test.each<[readonly string[], string | null, string | null]>([
    [['1', '2'], null, null],
    [['9'], null, 'There is no task 9. Ids: 1, 2, 3, 4.'],
    [['4'], null, 'Task 4 was canceled, so it will never be completed.'],
    [['3'], '3', "Task 3 can't wait for task 3: no task waits for itself."],
    [['1'], '3', "Task 3 can't wait for task 1: task 1 waits for task 3."],
    [['3'], '1', null],
  ])('%j of task %j', (dependsOn, of, problem) => {
    expect(dependencyProblem(dependsOn, { tasks, of })).toBe(problem)
  })
  test('a task is free when all are completed', () => {
    const all = [
      task('1', { dependsOn: ['2', '3'] }),
      ended('2', 'completed'),
      task('3'),
      task('4', { dependsOn: ['2'] }),
    ]
    expect(freeTasks(all).map(({ id }) => id)).toEqual(['3', '4'])
  })
})

describe('the history of a task', () => {
  /** The task after these changes, one after another. */
  const taskAfter = (changes: readonly (readonly [TaskEdit, TaskActor])[]): TeamTask =>
    changes.reduce((before, [edit, actor]) => {
      const changed = change([before, ended('2', 'completed')], edit, actor)
      if (!changed.ok || changed.value === null) throw new Error(JSON.stringify(changed))
      return changed.value
    }, task('1'))

  test('has each change with its time, its author and what the task was then', () => {
    const { history } = taskAfter([
      [{ dependsOn: ['2'] }, leader],
      [claim, ada],
      [{ owner: 'bob' }, user],
      [{ status: 'canceled' }, leader],
    ])
    expect(history).toEqual([
      { at: 9, by: 'lead', status: 'pending', owner: null, dependsOn: ['2'] },
      { at: 9, by: 'ada', status: 'in_progress', owner: 'ada' },
      { at: 9, by: null, status: 'in_progress', owner: 'bob' },
      { at: 9, by: 'lead', status: 'canceled', owner: 'bob' },
    ])
  })

  test('keeps the last hundred changes', () => {
    const pairs = Array.from({ length: 60 }, () => [
      [claim, ada] as const,
      [{ status: 'pending' }, ada] as const,
    ])
    const { history, version } = taskAfter(pairs.flat())
    expect(history).toHaveLength(100)
    expect(version).toBe(121)
  })

  test('a completed task has the result of its agent, until it is opened again', () => {
    const done = taskAfter([
      [claim, ada],
      [{ status: 'completed', result: 'In src/a.ts.' }, ada],
    ])
    expect(done.result).toBe('In src/a.ts.')
    expect(change([done], { status: 'pending' }, leader)).not.toMatchObject({
      value: { result: 'In src/a.ts.' },
    })
    expect(change([done], { status: 'pending' }, leader)).toMatchObject({ value: { status: 'pending' } })
  })
})
