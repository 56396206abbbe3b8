/** One task for three models: two attempts pass every check, one fails it. */
import {
  type MadeUpWorktree,
  madeUpWorktree,
  textChange,
} from '../../../src/renderer/features/worktrees/testing/review-world.ts'
import type { Comparison } from '../../../src/shared/comparison/comparison.ts'
import { SampleLog } from '../../../src/shared/testing/sample-log.ts'

const TASK = 'Refunds in several parts lose a cent. Make the parts always add up to the total.'
const BASE = '4f1c2e9b0d3a5c7e9f1a2b3c4d5e6f708192a3b4'
const BEFORE =
  'export function split(total, n) {\n  return Array(n).fill(total / n)\n}\n\nexport function refund(order, parts) {\n  return split(order.total, parts)\n}\n'
const TEST =
  'test("adds up to the total", () => {\n  for (const n of [2, 3, 7, 11])\n    expect(sum(split(100, n))).toBe(100)\n})\n'

interface Attempt {
  readonly id: string
  readonly color: string
  readonly model: string
  readonly worktree: string
  /** Seconds. */
  readonly time: number
  readonly turns: number
  readonly cost: number
  readonly tokens: number
  readonly report: string
  readonly passed: number
  readonly changes: readonly (readonly [path: string, before: string | null, after: string])[]
}

const split = (body: string) => BEFORE.replace('  return Array(n).fill(total / n)\n', body)

const ATTEMPTS: readonly Attempt[] = [
  {
    ...{ id: 'a', color: 'blue', model: 'claude-sonnet-4-5', worktree: 'split-a-33d0' },
    ...{ time: 168, turns: 11, cost: 0.17, tokens: 61_000, passed: 216 },
    report:
      'Counts in whole cents and gives the remainder to the first parts, one cent each. Parts differ by a cent at most.',
    changes: [
      [
        'src/refunds/split.ts',
        BEFORE,
        split(
          '  const each = Math.floor(total / n)\n  const rest = total - each * n\n  return Array.from({ length: n },\n    (_, i) => each + (i < rest ? 1 : 0))\n',
        ),
      ],
      ['test/refunds/split.test.ts', null, TEST],
    ],
  },
  {
    ...{ id: 'b', color: 'green', model: 'claude-opus-4-1', worktree: 'split-b-91c7' },
    ...{ time: 271, turns: 17, cost: 0.92, tokens: 88_000, passed: 216 },
    report:
      'Adds `big.js` and gives the whole remainder to the last part. Also correct for currencies with 3 decimals.',
    changes: [
      [
        'src/refunds/split.ts',
        BEFORE,
        `import Big from "big.js"\n${split('  const whole = new Big(total)\n  const each = whole.div(n).round(2, 0)\n  const parts = Array(n).fill(each)\n  parts[n - 1] = whole.minus(each.times(n - 1))\n  return parts.map(Number)\n')}`,
      ],
      ['test/refunds/split.test.ts', null, TEST],
      ['package.json', '{ "dependencies": {} }\n', '{ "dependencies": { "big.js": "6.2.1" } }\n'],
      ['package-lock.json', '{}\n', '{\n  "big.js": "6.2.1"\n}\n'],
    ],
  },
  {
    ...{ id: 'c', color: 'pink', model: 'claude-haiku-4-5', worktree: 'split-c-e20a' },
    ...{ time: 66, turns: 6, cost: 0.02, tokens: 34_000, passed: 215 },
    report: 'Rounds each part. 3 parts of 100 add up to 99. It reported this and stopped.',
    changes: [
      ['src/refunds/split.ts', BEFORE, split('  return Array(n).fill(\n    Math.round(total / n))\n')],
    ],
  },
]

const OUTPUT =
  ' FAIL  test/refunds/split.test.ts > adds up to the total\n   expected 99 to be 100\n   at split.test.ts:3:32\n\n Tests  1 failed | 215 passed (216)\n'

/** The log of the conversation up to `now` (ms since the epoch). */
export function bestLog(conversationId: string, now: number): SampleLog {
  const start = now - 300_000
  const log = new SampleLog({ conversationId, now: start, step: 0 })
  const worktrees = new Map(bestWorktrees(now).map(({ worktree }) => [worktree.agentId, worktree]))
  log.starts({ id: 'main', name: 'main', color: 'neutral', task: '', maxTurns: 100 })
  for (const { id, color, model } of ATTEMPTS) {
    const { path = '', branch = '', id: worktreeId = '' } = worktrees.get(id) ?? {}
    const place = { path, branch, base: BASE, from: '/home/ada/src/checkout-service', target: 'main' }
    log.starts({
      ...{ id, name: 'refactorer', color, task: TASK, model, parentId: 'main', cwd: path },
      worktree: { id: worktreeId, ...place, own: true, aliases: [] },
    })
    log.receives(id, TASK, 'user')
  }
  for (const { id, time, turns, cost, tokens, report } of ATTEMPTS.toSorted((a, b) => a.time - b.time)) {
    const { files = 0, insertions = 0, deletions = 0 } = worktrees.get(id) ?? {}
    log.now = start + time * 1000
    log.reachTurn(id, turns)
    log.answers(id, { text: report, tokens, cost })
    const saved = { head: `${id}0ffee`, commits: 1, files, insertions, deletions, unchanged: false }
    log.next(id, {
      type: 'work-saved',
      work: { ...saved, check: { kind: 'clean' }, committedAs: 'user', problems: [] },
    })
    log.ends(id, report)
  }
  log.now = start + 272_000
  log.status('main', 'waiting', 'message')
  return log
}

/** The comparison of these attempts. */
export function bestComparison(now: number): Comparison {
  const check = { exitCode: 0, ms: 8400, isCut: false, because: null, changedFiles: false, at: now - 20_000 }
  return {
    ...{ id: 'b-1', task: TASK, command: 'npm test', base: BASE, startedAt: now - 300_000, merged: null },
    attempts: ATTEMPTS.map(({ id, model, passed }) => ({
      ...{ agentId: id, agent: 'refactorer', model },
      check:
        passed === 216
          ? { ...check, state: 'passed', output: ' Tests  216 passed (216)\n' }
          : { ...check, state: 'failed', exitCode: 1, output: OUTPUT },
    })),
  }
}

/** The worktrees of the attempts. */
export const bestWorktrees = (now: number): readonly MadeUpWorktree[] =>
  ATTEMPTS.map(({ id, color, worktree, changes }) =>
    madeUpWorktree(
      { id: worktree, agentId: id, agentName: 'refactorer', color, task: TASK, createdAt: now - 300_000 },
      { changes: changes.map(([path, before, after]) => textChange(path, before, after)) },
    ),
  )
