import { expect, test } from 'vitest'
import type { Team } from '../../../shared/teams/team-schema.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { agentCompletions } from './completion-options.ts'
import { recipientOf } from './recipient.ts'

const script = new SampleLog()
const ended = {
  type: 'agent-ended',
  status: 'completed',
  report: '',
  failure: null,
  reachedLimit: null,
  limitOf: null,
} as const
const AGENTS = new Map(
  [
    stateAfter([script.spawn('main')]),
    stateAfter([
      script.spawn('a1', { parentId: 'main', name: 'builder', teamId: 't' }),
      script.next('a1', ended),
    ]),
    stateAfter([script.spawn('a2', { parentId: 'main', name: 'tester', teamId: 't' })]),
    stateAfter([script.spawn('Explore', { parentId: 'main', name: 'scout' })]),
  ].map((agent) => [agent.id, agent]),
)
const TEAM: Team = {
  id: 't',
  name: 'retries',
  leaderId: 'main',
  members: ['a1', 'a2'].map((agentId) => ({ name: agentId, agentId, agent: 'x', backing: 'in-process' })),
  createdAt: 0,
  endingAt: null,
  endedAt: null,
}
const of = (text: string, teams: readonly Team[] = [TEAM]) =>
  recipientOf(text, null, { agents: AGENTS, teams })

test('a member is addressed by its name, also after it has ended; another agent by its type', () => {
  expect(of('@builder once more')).toEqual({ kind: 'agent', agentId: 'a1', text: 'once more' })
  expect(of('@tester go')).toEqual({ kind: 'agent', agentId: 'a2', text: 'go' })
  expect(of('@Explore go')).toEqual({ kind: 'agent', agentId: 'Explore', text: 'go' })
  expect(of('@nobody go')).toEqual({ kind: 'main', text: '@nobody go' })
})

test('@all reaches the leader and the members of a team that works', () => {
  expect(of('@all stop for lunch')).toEqual({
    kind: 'team',
    agentIds: ['main', 'a1', 'a2'],
    text: 'stop for lunch',
  })
  expect(of('@ALL stop')).toMatchObject({ kind: 'team' })
  const over = [{ ...TEAM, endedAt: 5 }]
  expect(of('@all stop', over)).toEqual({ kind: 'main', text: '@all stop' })
})

test('the completions offer all while a team works, and members by their names', () => {
  const options = (teams: readonly Team[]) =>
    agentCompletions({ kind: 'agent', from: 0, query: '' } as never, {
      agents: AGENTS,
      teams,
      servers: [],
      definitions: [],
    }).map(({ label }) => label)
  expect(options([TEAM])).toEqual(['all', 'tester', 'Explore', 'builder'])
  expect(options([])).not.toContain('all')
})
