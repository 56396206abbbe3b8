import { beforeEach, describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { SampleLog, stateAfter } from '../../../shared/testing/sample-log.ts'
import { endText, hiddenText, layOutTree, sameLayout } from './tree-order.ts'

function agentsOf(...logs: AgentEvent[][]): ReadonlyMap<string, AgentState> {
  return new Map(logs.map((log) => stateAfter(log)).map((state) => [state.id, state]))
}

const script = new SampleLog()
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
  layOutTree(agents, { showEnded, collapsed: [], groups: true }).shown.map(
    (node) => `${'  '.repeat(node.depth)}${node.agentId}`,
  )

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
  expect(layOutTree(agents, { showEnded: null, collapsed: [], groups: true })).toMatchObject({
    folded: 8,
    foldable: true,
  })
  expect(shown(agents, true)).toHaveLength(11)
})

test('an agent whose parent is unknown is still shown', () => {
  expect(shown(agentsOf(live('main', null), live('orphan', 'gone')))).toEqual(['main', 'orphan'])
})

test('a collapsed agent hides all below it, and counts what it hides', () => {
  const agents = agentsOf(
    live('main', null),
    [...live('a', 'main'), script.status('a', 'running')],
    [...live('a1', 'a'), script.status('a1', 'running')],
    [...live('a2', 'a1'), script.status('a2', 'running'), script.asks('a2', 'r')],
    done('a3', 'a'),
    live('b', 'main'),
  )
  const { shown } = layOutTree(agents, { showEnded: null, collapsed: ['a', 'b', 'gone'], groups: true })
  expect(shown.map(({ agentId, branch }) => `${agentId} ${branch}`)).toEqual([
    'main open',
    'a collapsed',
    'b none',
  ])
  expect(shown[1]?.hidden).toEqual({ agents: 3, working: 1, needUser: 1, failed: 0 })
  expect(shown[1]?.hidden && hiddenText(shown[1].hidden)).toBe('1 needs you · 1 working · 3 agents hidden')
  const root = layOutTree(agents, { showEnded: null, collapsed: ['main', 'a'], groups: true })
  expect(root.shown).toMatchObject([{ agentId: 'main', hidden: { agents: 5, needUser: 1 } }])
})

test('a layout is equal until a row or a count changes', () => {
  const lay = (...collapsed: string[]) => layOutTree(agents, { showEnded: null, collapsed, groups: true })
  const agents = new Map(agentsOf(live('main', null), live('a', 'main'), live('a1', 'a')))
  expect(sameLayout(lay('a'), lay('a', 'x'))).toBe(true)
  expect(sameLayout(lay('a'), lay())).toBe(false)
  const before = lay('a')
  const log = [script.spawn('a1', { parentId: 'a' }), script.asks('a1', 'r')]
  agents.set('a1', stateAfter(log))
  expect(sameLayout(before, lay('a'))).toBe(false)
})

test('an agent whose subagents all ended and are folded is no branch', () => {
  const names = Array.from({ length: 10 }, (_, index) => `done-${index}`)
  const agents = agentsOf(live('main', null), live('a', 'main'), ...names.map((name) => done(name, 'a')))
  const { shown, folded } = layOutTree(agents, { showEnded: null, collapsed: ['a'], groups: true })
  expect(shown.map(({ agentId, branch }) => `${agentId} ${branch}`)).toEqual(['main open', 'a none'])
  expect(folded).toBe(10)
})

test('more than twelve subagents are grouped by need; a group opens, collapses and stays so', () => {
  const agents = agentsOf(
    live('main', null),
    ...['w1', 'w2'].map((id) => [...live(id, 'main'), script.status(id, 'running')]),
    [...live('ask', 'w1'), script.status('ask', 'waiting'), script.asks('ask', 'p')],
    ...Array.from({ length: 6 }, (_, index) => live(`q${index}`, 'main')),
    ...Array.from({ length: 4 }, (_, index) => done(`d${index}`, 'main')),
  )
  expect(shown(agents)).toEqual([
    'main',
    '  group:needs-you',
    '    ask',
    '  group:working',
    '    w1',
    '    w2',
    '  group:queued',
    '  group:done',
  ])
  const toggled = layOutTree(agents, {
    showEnded: null,
    collapsed: ['group:working', 'group:done'],
    groups: true,
  }).shown
  expect(toggled.map(({ agentId }) => agentId)).toEqual([
    'main',
    'group:needs-you',
    'ask',
    'group:working',
    'group:queued',
    'group:done',
    ...['d0', 'd1', 'd2', 'd3'],
  ])
  expect(toggled.find(({ agentId }) => agentId === 'group:queued')?.group).toMatchObject({ agents: 6 })
  const flat = layOutTree(agents, { showEnded: true, collapsed: [], groups: false })
  expect(flat.shown.some(({ group }) => group !== undefined)).toBe(false)
})

describe('when all agents of a conversation are done', () => {
  let log: SampleLog
  const ids = ['main', 'a', 'a1', 'b']
  beforeEach(() => {
    log = new SampleLog()
    log.spawn('main', { parentId: null })
    for (const [id, parentId] of [
      ['a', 'main'],
      ['a1', 'a'],
      ['b', 'main'],
    ] as const)
      log.spawn(id, { parentId })
    log.ends('a1', '')
    log.ends('a', '')
    log.ends('b', '', 'failed', 'No disk space.')
    log.answers('main', { text: 'Done.' })
    log.status('main', 'waiting', 'message')
  })
  const layout = (collapsed: readonly string[] = [], groups = true, agents = ids) =>
    layOutTree(new Map(agents.map((id) => [id, log.stateOf(id)])), { showEnded: null, collapsed, groups })

  test('the subagents fold to one line that counts how they ended', () => {
    const { kind, shown, foldable } = layout()
    expect({ kind, foldable, rows: shown.map(({ agentId }) => agentId) }).toEqual({
      kind: 'all-done',
      foldable: false,
      rows: ['main', 'group:all'],
    })
    const [, heading] = shown
    expect(heading).toMatchObject({ branch: 'collapsed', parentId: 'main' })
    expect(heading?.group && endText(heading.group)).toBe('2 done · 1 failed')
  })

  test('the line opens to their tree, in which agents collapse as before', () => {
    const rows = (collapsed: readonly string[]) =>
      layout(collapsed).shown.map(({ agentId, depth, parentId }) => `${depth} ${agentId} in ${parentId}`)
    expect(rows(['group:all'])).toEqual([
      '0 main in null',
      '1 group:all in main',
      '2 a in group:all',
      '3 a1 in a',
      '2 b in group:all',
    ])
    expect(rows(['group:all', 'a'])).toHaveLength(4)
  })

  test('many agents open to one line each, and the dots of a narrow side bar fold too', () => {
    const many = Array.from({ length: 14 }, (_, index) => `d${index}`)
    for (const id of many) {
      log.spawn(id, { parentId: 'main' })
      log.ends(id, '')
    }
    const all = [...ids, ...many]
    expect(layout(['group:all'], true, all)).toMatchObject({ kind: 'all-done', isDense: true })
    expect(layout(['group:all'], true, all).shown).toHaveLength(2 + 17)
    expect(layout([], false, all).shown).toHaveLength(2)
  })

  test('an agent that works, a main agent that works or was stopped, and a lone subagent fold nothing', () => {
    expect(layout().kind).toBe('all-done')
    expect(layout([], true, ['main', 'b']).kind).toBe('tree')
    log.status('b', 'running')
    expect(layout().kind).toBe('tree')
    log.ends('b', '')
    log.status('main', 'running')
    expect(layout().kind).toBe('tree')
    log.ends('main', '', 'stopped')
    expect(layout().kind).toBe('tree')
  })
})
