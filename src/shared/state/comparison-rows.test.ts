import { describe, expect, test } from 'vitest'
import type { AttemptCheck, Comparison } from '../comparison/comparison.ts'
import { type AgentEvent, type AgentEventDraft, agentEvent, EVENT_VERSION } from '../events/agent-event.ts'
import { noUsage } from '../models/no-usage.ts'
import { type AgentState, foldAgent } from './agent-state.ts'
import { attemptRows, bestRows, comparisonStatus } from './comparison-rows.ts'

const spawned = (agentId: string, more: object = {}) => ({
  type: 'agent-spawned',
  conversationId: 'c-1',
  parentId: 'main',
  parentToolUseId: null,
  definition: {
    name: 'coder',
    source: 'built-in',
    file: null,
    color: 'blue',
    readOnly: false,
    oneShot: false,
    reminder: null,
  },
  task: 'Fix it',
  model: 'claude-test',
  system: '',
  tools: [],
  permissionMode: 'default',
  cwd: `/w/${agentId}`,
  maxTurns: 15,
  depth: 1,
  ...more,
})

const turn = (tokens: number, costUsd: number | null) => ({
  type: 'assistant-message',
  turn: 1,
  messageId: 'm',
  model: 'claude-test',
  content: [{ type: 'text', text: 'Done.' }],
  stopReason: 'end_turn',
  usage: { ...noUsage, input: tokens },
  costUsd,
  durationMs: 20,
  pace: [],
})

const saved = (insertions: number, files = 1) => ({
  type: 'work-saved',
  work: {
    head: 'abc',
    commits: 1,
    files,
    insertions,
    deletions: 0,
    check: { kind: 'clean' },
    unchanged: files === 0,
    committedAs: 'user',
    problems: [],
  },
})

const ended = (status: string, more: object = {}) => ({
  type: 'agent-ended',
  status,
  report: 'Fixed.',
  failure: null,
  reachedLimit: null,
  ...more,
})

function agentWith(agentId: string, ...events: readonly object[]): AgentState {
  return events.reduce<AgentState | null>((state, draft, seq) => {
    const event = {
      v: EVENT_VERSION,
      agentId,
      seq,
      order: seq,
      at: 1000 * seq,
      ...(draft as AgentEventDraft),
    }
    return foldAgent(state, agentEvent.parse(event) as AgentEvent)
  }, null)!
}

const check = (state: AttemptCheck['state'], output = ''): AttemptCheck => ({
  state,
  exitCode: state === 'passed' ? 0 : 1,
  ms: 5,
  output,
  isCut: false,
  because: null,
  changedFiles: false,
  at: 9,
})

const compared = (
  attempts: readonly Partial<Comparison['attempts'][number]>[],
  more: Partial<Comparison> = {},
): Comparison => ({
  id: 'b-1',
  task: 'Fix it',
  command: 'npm test',
  base: 'c0ffee',
  attempts: attempts.map((one, index) => ({
    agentId: `a-${index + 1}`,
    agent: 'coder',
    model: null,
    check: null,
    ...one,
  })),
  startedAt: 0,
  merged: null,
  ...more,
})

describe('the rows of a comparison', () => {
  test('number the same agent, not another model of it', () => {
    const rows = attemptRows(compared([{}, { model: 'opus' }, {}, { agent: 'claude' }]), [], 0)
    expect(rows.map(({ label }) => label)).toEqual(['coder 1', 'coder', 'coder 2', 'claude'])
    expect(rows.map(({ status }) => status)).toEqual([null, null, null, null])
  })

  test('tell status, work, check and the attempt that was merged', () => {
    const states = [
      agentWith('a-1', spawned('a-1'), saved(4), ended('completed')),
      agentWith('a-2', spawned('a-2'), saved(2), ended('completed', { reachedLimit: 'turns' })),
      agentWith('a-3', spawned('a-3'), ended('failed', { failure: { type: 'auth', message: 'No key.' } })),
      agentWith('a-4', spawned('a-4'), { type: 'status-changed', status: 'running', waitingFor: null }),
    ]
    const merged = { agentId: 'a-1', into: 'main', commit: 'abc' }
    const rows = attemptRows(
      compared([{ check: check('passed', 'Tests  3 passed (3)') }, {}, {}, {}], { merged }),
      states,
      9000,
    )
    expect(rows.map(({ status }) => status)).toEqual(['completed', 'limit', 'failed', 'running'])
    expect(rows[0]).toMatchObject({
      counts: { passed: 3, failed: 0 },
      isMerged: true,
      report: 'Fixed.',
      work: { insertions: 4 },
    })
    expect(rows[2]).toMatchObject({ failure: 'No key.', work: null, isMerged: false })
    expect(rows[3]).toMatchObject({ isLive: true, ms: 8000, work: null })
    expect(comparisonStatus(rows)).toBe('running')
    expect(comparisonStatus(rows.slice(0, 3))).toBe('done')
  })

  test('count what an attempt’s own subagents used', () => {
    const states = [
      agentWith('a-1', spawned('a-1'), turn(100, 0.5)),
      agentWith('a-9', spawned('a-9', { parentId: 'a-1' }), turn(30, 0.25)),
      agentWith('a-8', spawned('a-8'), turn(7000, 9)),
    ]
    expect(attemptRows(compared([{}]), states, 0)[0]).toMatchObject({ tokens: 130, costUsd: 0.75 })
  })

  test('say nothing about a cost that is not known', () => {
    const program = agentWith('a-1', spawned('a-1', { backing: 'acp' }))
    const unpriced = agentWith('a-2', spawned('a-2'), turn(50, null))
    const rows = attemptRows(compared([{}, {}]), [program, unpriced], 0)
    expect(rows.map(({ tokens, costUsd }) => [tokens, costUsd])).toEqual([
      [null, null],
      [50, null],
    ])
  })
})

test('the best attempts passed, the smallest change first; without a check each change counts', () => {
  const states = [9, 3, 5].map((insertions, index) =>
    agentWith(`a-${index + 1}`, spawned(`a-${index + 1}`), saved(insertions), ended('completed')),
  )
  const unchanged = agentWith('a-4', spawned('a-4'), saved(0, 0), ended('completed'))
  const idsOf = (attempts: Parameters<typeof compared>[0]) =>
    bestRows(attemptRows(compared(attempts), [...states, unchanged], 0)).map(({ agentId }) => agentId)
  expect(
    idsOf([{ check: check('passed') }, { check: check('failed') }, { check: check('passed') }, {}]),
  ).toEqual(['a-3', 'a-1'])
  expect(idsOf([{}, {}, {}, {}])).toEqual(['a-2', 'a-3', 'a-1'])
  expect(idsOf([{ check: check('failed') }, {}, {}, {}])).toEqual([])
})
