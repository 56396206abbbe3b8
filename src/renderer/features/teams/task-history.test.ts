import { expect, test } from 'vitest'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'
import { stepsOf } from './task-history.tsx'

const TASK: TeamTask = {
  ...{ id: '1', teamId: 'team', subject: 'one', description: '', status: 'pending', owner: null },
  ...{ dependsOn: [], createdBy: null, createdAt: 1, claimedAt: null, endedAt: null, version: 1 },
}

const said = (task: TeamTask) =>
  stepsOf(task).map(({ by, text, to }) => [by, text, to].filter(Boolean).join(' '))

test('the history says who claimed, gave, took, released, reopened, completed and canceled a task', () => {
  const history: TeamTask['history'] = [
    { at: 2, by: 'ada', status: 'in_progress', owner: 'ada' },
    { at: 3, by: 'ada', status: 'pending', owner: null },
    { at: 4, by: 'lead', status: 'in_progress', owner: 'bob' },
    { at: 5, by: null, status: 'pending', owner: null },
    { at: 6, by: 'lead', status: 'pending', owner: null, dependsOn: ['2', '3'] },
    { at: 7, by: 'lead', status: 'pending', owner: null, dependsOn: [] },
    { at: 8, by: null, status: 'completed', owner: null },
    { at: 9, by: null, status: 'pending', owner: null },
    { at: 10, by: 'lead', status: 'canceled', owner: null },
  ]
  expect(said({ ...TASK, history })).toEqual([
    'user created it',
    'ada claimed it',
    'ada released it',
    'lead gave it to bob',
    'user took it from bob',
    'lead let it wait for #2, #3',
    'lead let it begin without waiting for others',
    'user marked it as done',
    'user opened it again',
    'lead canceled it',
  ])
})

test('a task of an earlier version, without a history, has its times', () => {
  const done = { ...TASK, status: 'completed', owner: 'ada', claimedAt: 5, endedAt: 9, version: 3 } as const
  expect(said(done)).toEqual(['user created it', 'ada claimed it', 'ada completed it'])
})
