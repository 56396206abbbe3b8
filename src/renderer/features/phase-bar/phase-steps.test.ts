import { expect, test } from 'vitest'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Phase } from '../../../shared/teams/team.ts'
import { phaseSteps } from './phase-bar.tsx'

const agent = (spawnedAt: number, status: AgentState['status'], parentId: string | null = 'main') =>
  ({ parentId, spawnedAt, status, waitingFor: null }) as AgentState

const steps = (begun: readonly (readonly [Phase, number])[], agents: readonly AgentState[] = []) =>
  phaseSteps({ mainAgentId: 'main', phases: begun.map(([phase, at]) => ({ phase, note: '', at })) }, agents)

test('before the first phase nothing has begun', () => {
  expect(steps([]).map(({ state, since, pastMs }) => [state, since, pastMs])).toEqual(
    Array(4).fill(['next', null, 0]),
  )
})

test('earlier phases are done, and each has the time until the next began', () => {
  const found = steps([
    ['research', 100],
    ['synthesis', 400],
    ['implementation', 450],
  ])
  expect(found.map(({ state, since, pastMs }) => [state, since, pastMs])).toEqual([
    ['done', null, 300],
    ['done', null, 50],
    ['current', 450, 0],
    ['next', null, 0],
  ])
})

test('after going back, later phases follow again, and the times of all stretches add up', () => {
  const found = steps([
    ['research', 100],
    ['synthesis', 200],
    ['implementation', 250],
    ['research', 300],
  ])
  expect(found.map(({ state, since, pastMs }) => [state, since, pastMs])).toEqual([
    ['current', 300, 100],
    ['again', null, 50],
    ['again', null, 50],
    ['next', null, 0],
  ])
})

test('the coordinator’s own agents count in the phase in which they were started', () => {
  const found = steps(
    [
      ['research', 100],
      ['synthesis', 200],
      ['research', 300],
    ],
    [
      agent(50, 'completed'),
      agent(100, 'completed'),
      agent(150, 'failed'),
      agent(310, 'running'),
      agent(200, 'completed'),
      agent(160, 'completed', 'a-1'),
      agent(100, 'running', null),
    ],
  )
  expect(found.slice(0, 2)).toMatchObject([
    { phase: 'research', reports: 2, working: 1 },
    { phase: 'synthesis', reports: 1, working: 0 },
  ])
})
