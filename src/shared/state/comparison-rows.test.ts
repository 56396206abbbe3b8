import { describe, expect, test } from 'vitest'
import type { AttemptCheck, Comparison } from '../comparison/comparison.ts'
import type { AgentEvent, AgentState, EventOf } from '../events/agent-event.ts'
import { noUsage } from '../models/no-usage.ts'
import { sampleEvent, sampleFields } from '../testing/sample-events.ts'
import { stateAfter } from '../testing/sample-log.ts'
import { attemptRows, bestRows, comparisonStatus, testCounts } from './comparison-rows.ts'

const spawned = (more: Partial<EventOf<'agent-spawned'>> = {}) =>
  sampleEvent('agent-spawned', { parentId: 'main', ...more })
const turn = (tokens: number, costUsd: number | null) =>
  sampleEvent('assistant-message', { usage: { ...noUsage, input: tokens }, costUsd })
const saved = (insertions: number, files = 1) =>
  sampleEvent('work-saved', {
    work: { ...sampleFields['work-saved'].work, files, insertions, unchanged: files === 0 },
  })
const ended = (status: EventOf<'agent-ended'>['status'], more: Partial<EventOf<'agent-ended'>> = {}) =>
  sampleEvent('agent-ended', { status, report: 'Fixed.', ...more })

/** The state of an agent after its start and these events, one each second. */
function agentWith(agentId: string, ...events: readonly AgentEvent[]): AgentState {
  const [first] = events
  const all = first?.type === 'agent-spawned' ? events : [spawned(), ...events]
  return stateAfter(all.map((event, seq) => ({ ...event, agentId, seq, order: seq, at: 1000 * seq })))
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
      agentWith('a-1', saved(4), ended('completed')),
      agentWith('a-2', saved(2), ended('completed', { reachedLimit: 'turns' })),
      agentWith('a-3', ended('failed', { failure: { type: 'auth', message: 'No key.' } })),
      agentWith('a-4', sampleEvent('status-changed', { status: 'running', waitingFor: null })),
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
      agentWith('a-1', turn(100, 0.5)),
      agentWith('a-9', spawned({ parentId: 'a-1' }), turn(30, 0.25)),
      agentWith('a-8', turn(7000, 9)),
    ]
    expect(attemptRows(compared([{}]), states, 0)[0]).toMatchObject({ tokens: 130, costUsd: 0.75 })
  })

  test('say nothing about a cost that is not known', () => {
    const program = agentWith('a-1', spawned({ backing: 'acp' }))
    const unpriced = agentWith('a-2', turn(50, null))
    const rows = attemptRows(compared([{}, {}]), [program, unpriced], 0)
    expect(rows.map(({ tokens, costUsd }) => [tokens, costUsd])).toEqual([
      [null, null],
      [50, null],
    ])
  })
})

test('the best attempts passed, the smallest change first; without a check each change counts', () => {
  const states = [9, 3, 5].map((insertions, index) =>
    agentWith(`a-${index + 1}`, saved(insertions), ended('completed')),
  )
  const unchanged = agentWith('a-4', saved(0, 0), ended('completed'))
  const idsOf = (attempts: Parameters<typeof compared>[0]) =>
    bestRows(attemptRows(compared(attempts), [...states, unchanged], 0)).map(({ agentId }) => agentId)
  expect(
    idsOf([{ check: check('passed') }, { check: check('failed') }, { check: check('passed') }, {}]),
  ).toEqual(['a-3', 'a-1'])
  expect(idsOf([{}, {}, {}, {}])).toEqual(['a-2', 'a-3', 'a-1'])
  expect(idsOf([{ check: check('failed') }, {}, {}, {}])).toEqual([])
})

test.each([
  ['vitest', ' Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 35 passed (36)\n', 35, 1],
  ['vitest, all passed', ' Test Files  3 passed (3)\n      Tests  12 passed (12)\n', 12, 0],
  [
    'jest',
    'Test Suites: 1 failed, 2 passed, 3 total\nTests:       2 failed, 1 skipped, 9 passed, 12 total\n',
    9,
    2,
  ],
  ['pytest', '===== 1 failed, 4 passed, 1 error in 0.12s =====', 4, 2],
  [
    'cargo, two crates',
    'test result: ok. 5 passed; 0 failed; 0 ignored\ntest result: FAILED. 1 passed; 2 failed; 0 ignored',
    6,
    2,
  ],
  ['node:test', '# tests 4\n# pass 3\n# fail 1\n', 3, 1],
  ['node:test on a terminal', 'ℹ pass 3\nℹ fail 0\n', 3, 0],
  ['bun', ' 7 pass\n 1 fail\nRan 8 tests', 7, 1],
  ['mocha', '\n  5 passing (10ms)\n  2 failing\n', 5, 2],
])('reads %s', (_, output, passed, failed) => {
  expect(testCounts(output)).toEqual({ passed, failed })
})

test.each([
  ['no tests', 'ok  \texample.com/x\t0.1s'],
  ['prose', 'All 3 passed checks are listed. 2 failed attempts before.'],
  ['nothing', ''],
])('finds no counts in %s', (_, output) => {
  expect(testCounts(output)).toBe(null)
})
