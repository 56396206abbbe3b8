/** Six agents that have ended: five reported, one failed; the main agent gave its answer. */
import type { ChangesList, ListedCall } from '../../../src/shared/changes/changes.ts'
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

const QUESTION =
  'Payments are sometimes charged twice when the gateway times out. Find out why, fix it, and cover it with tests.'

const ANSWER = `Fixed. An order is now charged at most once, even when the gateway times out. The fix and its tests wait in 3 worktrees that merge cleanly.

## Why it happened

\`withRetry()\` retries on any rejected promise, timeouts included. Three of the four callers made their key **inside** the retried function, so the gateway saw every attempt as a new charge:

| Caller | Key before | Key now | Covered by |
| --- | --- | --- | --- |
| \`charge.ts:38\` | new per attempt | from the order | charges once when the first attempt times out |
| \`settle.ts:59\` | new per attempt | from the order | settles each part once |
| \`refund.ts:44\` | new per attempt | from the refund | refunds once after a restart |
| \`capture.ts:21\` | from the order | unchanged | already covered |

## What changed

- Every order gets a \`charge_key\` before its first attempt. A migration adds the column with a unique index.
- The retry loop asks the gateway with the same key before it charges again.
- Refunds that lost a cent now give the remainder to the last part.

## Before you merge

Run the migration first: \`npm run db:migrate\` takes about 4 s on 2 million orders. One finding is not part of this fix: \`src/payments/token.ts:52\` compares tokens with \`===\`.`

interface Part {
  readonly id: string
  readonly type: string
  readonly color: string
  readonly task: string
  /** Seconds. */
  readonly time: number
  readonly cost: number
  readonly report: string
  readonly files?: readonly (readonly [path: string, added: number, removed: number])[]
  readonly worktree?: string
  readonly failure?: string
}

const PARTS: readonly Part[] = [
  {
    id: 'explore',
    type: 'Explore',
    color: 'blue',
    task: 'Trace the retry path',
    time: 132,
    cost: 0.06,
    report: '3 of 4 callers make a new key per attempt. The fourth takes it from the order.',
  },
  {
    id: 'tests',
    type: 'test-writer',
    color: 'green',
    task: 'Write the failing charge test',
    time: 91,
    cost: 0.21,
    report: '## Result\n\nFails before the fix, passes after it. The fake gateway can time out now.',
    files: [
      ['test/payments/double-charge.test.ts', 96, 0],
      ['test/helpers/fake-gateway.ts', 31, 4],
    ],
    worktree: 'charge-test-7f2c',
  },
  {
    id: 'refactor',
    type: 'refactorer',
    color: 'pink',
    task: 'One charge key per order',
    time: 246,
    cost: 0.38,
    report: 'The key is made once and stored with the order. Two call sites changed.',
    files: [
      ['src/payments/charge.ts', 22, 18],
      ['src/orders/order.ts', 9, 1],
      ['migrations/018_charge_key.sql', 24, 0],
      ['src/queue/with-retry.ts', 6, 29],
      ['src/payments/a-folder-with-a-long-name/capture.ts', 3, 3],
    ],
    worktree: 'order-key-a91e',
  },
  {
    id: 'cents',
    type: 'general-purpose',
    color: 'violet',
    task: 'Split refunds to the cent',
    time: 168,
    cost: 0.17,
    report: 'The last part carries the remainder.',
    files: [
      ['src/refunds/split.ts', 5, 3],
      ['test/refunds/split.test.ts', 28, 0],
    ],
    worktree: 'split-cents-33d0',
  },
  {
    id: 'security',
    type: 'security-reviewer',
    color: 'teal',
    task: 'Review token handling',
    time: 118,
    cost: 0.34,
    report: 'One finding next to this change: a token is compared with `===`, which leaks timing.',
  },
  {
    id: 'docs',
    type: 'general-purpose',
    color: 'blue',
    task: 'Update the payment docs',
    time: 44,
    cost: 0.05,
    report: '',
    failure: 'docs/payments.md is read-only here.',
  },
]

const folderOf = ({ worktree }: Part) =>
  worktree === undefined
    ? '/home/ada/src/checkout-service'
    : `/home/ada/.local/share/troupe/worktrees/${worktree}`

/** The log of the conversation up to `now` (ms since the epoch). */
export function doneLog(conversationId: string, now: number): SampleLog {
  const start = now - 380_000
  const log = new SampleLog({ conversationId, now: start, step: 0 })
  log.begins(QUESTION)
  log.answers('main', {
    text: 'Two things go wrong at once, so I split the work.',
    calls: PARTS.map(({ id, type, task }) => ({ agentId: id, type, task })),
    cost: 0.1,
    tokens: 9000,
  })
  for (const part of PARTS) {
    const { id, type, color, task } = part
    log.starts({ id, name: type, color, task, parentId: 'main', call: callOf(id), cwd: folderOf(part) })
    log.receives(id, `${task}. Report in one sentence.`)
  }
  for (const { id, cost, report, time, failure } of PARTS.toSorted((a, b) => a.time - b.time)) {
    log.now = start + time * 1000
    log.reachTurn(id, failure === undefined ? 12 : 3)
    log.answers(id, { text: report === '' ? 'I update the docs.' : report, tokens: 60_000, cost })
    log.ends(id, report, failure === undefined ? 'completed' : 'failed', failure ?? null)
  }
  log.now = start + 372_000
  log.answers('main', { text: ANSWER, tokens: 12_000, cost: 0.15 })
  log.status('main', 'waiting', 'message')
  return log
}

/** What these agents changed. */
export function doneChanges(conversationId: string): ChangesList {
  const calls = PARTS.flatMap(callsOf)
  return {
    ...{ conversationId, calls, messages: [], user: [], undos: [], redo: null, kept: { days: 30, bytes: 0 } },
    agents: PARTS.filter(({ files }) => files !== undefined).map((part) => ({
      ...{ agentId: part.id, name: part.type, color: part.color },
      worktree: { path: folderOf(part), state: 'present' as const },
    })),
  }
}

function callsOf(part: Part): readonly ListedCall[] {
  return (part.files ?? []).map(([shown, added, removed], index) => ({
    ...{
      agentId: part.id,
      toolUseId: `${part.id}-${index}`,
      order: index,
      at: 0,
      cause: 'tool',
      label: shown,
    },
    ...{ ignored: 0, note: '', messageSeq: null },
    files: [
      {
        ...{ path: `${folderOf(part)}/${shown}`, shown, before: null, after: null, added, removed },
        ...{
          renamedFrom: null,
          kept: 'yes',
          maybeBy: [],
          letter: 'M',
          undone: false,
          alsoBy: [],
          cannot: null,
        },
      },
    ],
  }))
}
