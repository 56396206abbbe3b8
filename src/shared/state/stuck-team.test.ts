import { describe, expect, test } from 'vitest'
import type { EventOf } from '../events/agent-event.ts'
import type { Team, TeamTask } from '../teams/team-schema.ts'
import { SampleLog } from '../testing/sample-log.ts'
import type { AgentState } from './agent-state.ts'
import { stuckState } from './stuck-team.ts'

type End = EventOf<'agent-ended'>['status']

/** The leader waits for a message; each member works, or has ended. */
function agentsWith(members: Readonly<Record<string, End | 'works'>>, leader: 'waits' | 'works' = 'waits') {
  const log = new SampleLog()
  log.spawn('lead')
  log.add('lead', 'status-changed', {
    status: leader === 'works' ? 'running' : 'waiting',
    waitingFor: leader === 'works' ? null : 'message',
  })
  for (const [id, end] of Object.entries(members)) {
    log.spawn(id, { parentId: 'lead', name: id, teamId: 'team' })
    if (end === 'works') log.status(id, 'running')
    else log.add(id, 'agent-ended', { status: end, report: '', reachedLimit: null, failure: null })
  }
  return log
}

const TEAM: Team = {
  id: 'team',
  name: 'pay',
  leaderId: 'lead',
  members: [],
  createdAt: 0,
  endingAt: null,
  endedAt: null,
}

const task = (id: string, more: Partial<TeamTask> = {}): TeamTask => ({
  ...{ id, teamId: 'team', subject: `task ${id}`, description: '', dependsOn: [], createdBy: 'lead' },
  status: more.owner == null ? 'pending' : 'in_progress',
  ...{ owner: null, createdAt: 0, claimedAt: null, endedAt: null, version: 1 },
  ...more,
})

const stuck = (
  log: { readonly states: ReadonlyMap<string, AgentState> },
  tasks: readonly TeamTask[],
  team: Team | null = TEAM,
) => stuckState({ tasks, agents: log.states, team })

describe('a team', () => {
  test.each<[End]>([['failed'], ['stopped'], ['interrupted']])(
    'is stuck if the holder of a task %s, also while others work; tasks behind it are blocked by it',
    (end) => {
      const { causes, marks } = stuck(agentsWith({ ada: end, bob: 'works' }), [
        task('1', { owner: 'ada' }),
        task('2', { dependsOn: ['1'] }),
        task('3', { dependsOn: ['2'] }),
        task('4', { owner: 'bob' }),
        task('5', { dependsOn: ['4'] }),
      ])
      const cause = { kind: 'holder', taskId: '1', agentId: 'ada', end }
      expect(causes).toEqual([cause])
      expect([...marks]).toEqual([
        ['1', cause],
        ['2', cause],
        ['3', cause],
      ])
    },
  )

  test('is stuck if a holder ended its run without completing the task, once nobody works that may wake it', () => {
    const tasks = [task('1', { owner: 'ada' })]
    expect(stuck(agentsWith({ ada: 'completed', bob: 'works' }), tasks).causes).toEqual([])
    expect(stuck(agentsWith({ ada: 'completed' }, 'works'), tasks).causes).toEqual([])
    expect(stuck(agentsWith({ ada: 'completed' }), tasks).causes).toMatchObject([{ end: 'idle' }])
    const limited = agentsWith({})
    limited.spawn('ada', { parentId: 'lead', teamId: 'team' })
    limited.add('ada', 'agent-ended', {
      status: 'completed',
      report: '',
      reachedLimit: 'money',
      failure: null,
    })
    expect(stuck(limited, tasks).causes).toMatchObject([{ end: 'limit' }])
  })

  test('is stuck if the worker of a holder is gone, or the holder is unknown', () => {
    const log = agentsWith({ ada: 'works' })
    const worker = { workerId: 'w', host: 'build', pid: 1, cores: 1, tmux: null, epoch: 1 }
    log.add('ada', 'worker-changed', { worker, state: 'gone', note: '' })
    const tasks = [task('1', { owner: 'ada' }), task('2', { owner: 'nobody' })]
    expect(stuck(log, tasks).causes).toMatchObject([
      { agentId: 'ada', end: 'lost' },
      { agentId: 'nobody', end: 'unknown' },
    ])
  })

  test('is stuck with a free task that nobody is left to take', () => {
    const tasks = [task('1'), task('2', { dependsOn: ['1'] })]
    expect(stuck(agentsWith({ ada: 'works' }), tasks).causes).toEqual([])
    const { causes, marks } = stuck(agentsWith({ ada: 'completed' }), tasks)
    expect(causes).toEqual([{ kind: 'unclaimed', taskId: '1' }])
    expect([...marks.keys()]).toEqual(['1', '2'])
  })

  test('has blocked tasks behind a canceled or missing one, and is stuck with them once nobody works', () => {
    const tasks = [
      task('1', { status: 'canceled' }),
      task('2', { dependsOn: ['1'] }),
      task('3', { dependsOn: ['2'] }),
      task('4', { dependsOn: ['9'] }),
    ]
    const working = stuck(agentsWith({ ada: 'works' }), tasks)
    expect(working.causes).toEqual([])
    expect([...working.marks].map(([id, cause]) => [id, cause.taskId])).toEqual([
      ['2', '1'],
      ['3', '1'],
      ['4', '9'],
    ])
    expect(stuck(agentsWith({}), tasks).causes).toEqual([
      { kind: 'never', taskId: '1' },
      { kind: 'never', taskId: '9' },
    ])
  })

  test('is not stuck once it has ended, while all is done, or while a request waits for the user', () => {
    const tasks = [task('1', { owner: 'ada' })]
    expect(stuck(agentsWith({ ada: 'failed' }), tasks, { ...TEAM, endedAt: 5 }).causes).toEqual([])
    expect(
      stuck(agentsWith({ ada: 'completed' }), [task('1', { status: 'completed', owner: 'ada' })]).causes,
    ).toEqual([])
    const asks = agentsWith({ ada: 'works' })
    asks.add('ada', 'status-changed', { status: 'waiting', waitingFor: 'permission' })
    expect(stuck(asks, tasks).causes).toEqual([])
  })

  test('with tasks in a circle comes to an end', () => {
    const tasks = [task('1', { dependsOn: ['2'] }), task('2', { dependsOn: ['1'] })]
    expect(stuck(agentsWith({}), tasks).marks.size).toBe(0)
  })
})
