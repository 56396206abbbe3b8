import { expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/agent-event.ts'
import type { AgentState } from '../../../shared/agent-state.ts'
import { EventScript, stateAfter } from '../../testing/event-script.ts'
import { layOutTree } from './tree-order.ts'

function agentsOf(...logs: AgentEvent[][]): ReadonlyMap<string, AgentState> {
  return new Map(logs.map((log) => stateAfter(log)).map((state) => [state.id, state]))
}

const script = new EventScript()
const ended = (agentId: string) =>
  script.next(agentId, {
    type: 'agent-ended',
    status: 'completed',
    report: '',
    failure: null,
    reachedLimit: null,
    limitOf: null,
  })
const live = (agentId: string, parentId: string | null) => [script.spawn(agentId, { parentId })]
const done = (agentId: string, parentId: string) => [script.spawn(agentId, { parentId }), ended(agentId)]

const shown = (agents: ReadonlyMap<string, AgentState>, showEnded: boolean | null = null) =>
  layOutTree(agents, showEnded).shown.map((node) => `${'  '.repeat(node.depth)}${node.agentId}`)

test('children follow their parent in the order of their starts, also after their ends', () => {
  const agents = agentsOf(
    live('main', null),
    done('plan', 'main'),
    live('explore', 'main'),
    live('deep', 'explore'),
    live('tests', 'main'),
  )
  expect(shown(agents)).toEqual(['main', '  plan', '  explore', '    deep', '  tests'])
})

test('an ended agent with a live child counts as live', () => {
  const agents = agentsOf(live('main', null), done('a', 'main'), done('b', 'main'), live('b1', 'b'))
  expect(shown(agents)).toEqual(['main', '  a', '  b', '    b1'])
})

test('among many agents the ended ones fold, and the user can show them', () => {
  const names = Array.from({ length: 8 }, (_, index) => `done-${index}`)
  const agents = agentsOf(
    live('main', null),
    live('x', 'main'),
    live('y', 'main'),
    ...names.map((name) => done(name, 'main')),
  )
  expect(shown(agents)).toEqual(['main', '  x', '  y'])
  expect(layOutTree(agents, null)).toMatchObject({ folded: 8, foldable: true })
  expect(shown(agents, true)).toHaveLength(11)
})

test('agents with the same name are marked', () => {
  const twins = agentsOf(live('main', null), live('a', 'main'), live('b', 'main'))
  const same = new Map(
    [...twins].map(([id, agent]) => [
      id,
      id === 'main' ? agent : { ...agent, definition: { ...agent.definition, name: 'Explore' } },
    ]),
  )
  expect(layOutTree(same, null).shown.map((node) => node.namesake)).toEqual([false, true, true])
})

test('an agent whose parent is unknown is still shown', () => {
  expect(shown(agentsOf(live('main', null), live('orphan', 'gone')))).toEqual(['main', 'orphan'])
})
