import { expect, test } from 'vitest'
import type { Team, TeamTask } from '../../../shared/teams/team-schema.ts'
import { boardOf, neighborTask } from './board.ts'

const task = (id: string, more: Partial<TeamTask> = {}): TeamTask => ({
  id,
  teamId: 'team',
  subject: id,
  description: '',
  status: 'pending',
  owner: null,
  dependsOn: [],
  createdBy: null,
  createdAt: 0,
  claimedAt: null,
  endedAt: null,
  version: 1,
  ...more,
})
const TEAM = { id: 'team' } as Team
const TASKS = [
  task('1', { status: 'completed', endedAt: 5 }),
  task('2', { status: 'completed', endedAt: 9 }),
  task('3', { status: 'in_progress', owner: 'a' }),
  task('4', { dependsOn: ['1'] }),
  task('5', { dependsOn: ['1', '3', 'gone'] }),
  task('6'),
  task('7', { status: 'canceled' }),
  task('8', { teamId: 'other' }),
  task('9', { teamId: null }),
]

const idsOf = (tasks: readonly TeamTask[]) => tasks.map(({ id }) => id)

test('tasks are free, wait for others, are claimed or done; the last done is first; those of other teams are not shown', () => {
  const board = boardOf(TASKS, TEAM)
  expect(Object.fromEntries(Object.entries(board).map(([name, tasks]) => [name, idsOf(tasks)]))).toEqual({
    free: ['4', '6', '9'],
    waiting: ['5'],
    claimed: ['3'],
    done: ['2', '1'],
    canceled: ['7'],
  })
  expect(idsOf(boardOf(TASKS, null).free)).toContain('8')
})

test('the arrow keys move within a column and to the next column with tasks', () => {
  const board = boardOf(
    TASKS.filter(({ id }) => id !== '5'),
    TEAM,
  )
  expect(neighborTask(board, null, 'ArrowDown')).toBe('4')
  expect(neighborTask(board, '4', 'ArrowDown')).toBe('6')
  expect(neighborTask(board, '9', 'ArrowDown')).toBeNull()
  // The column "Waiting for others" is empty.
  expect(neighborTask(board, '9', 'ArrowRight')).toBe('3')
  expect(neighborTask(board, '3', 'ArrowRight')).toBe('2')
  expect(neighborTask(board, '1', 'ArrowLeft')).toBe('3')
  expect(neighborTask(board, '4', 'End')).toBe('9')
  expect(neighborTask(board, '4', 'ArrowLeft')).toBeNull()
})
