/** The timelines of scenes: the mockup's conversation with four phases, and one of any size. */
import type { ConversationRecord } from '../../../src/shared/events/conversation.ts'
import { noUsage } from '../../../src/shared/models/no-usage.ts'
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

/** What an agent does, in seconds since the start: model, tool, wait for agents, queued, retry, wait for the user. */
type Did = readonly [kind: 'm' | 't' | 'w' | 'q' | 'r' | 'y', from: number, to: number, what?: string]

interface Acts {
  readonly id: string
  readonly name: string
  readonly task: string
  readonly color: string
  readonly parentId?: string
  readonly did: readonly Did[]
  /** In seconds; missing: it works. */
  readonly end?: number
}

const MAIN: readonly Did[] = [
  ...([
    ['m', 0, 7],
    ['w', 7, 50],
    ['m', 50, 56],
    ['w', 56, 80],
    ['m', 80, 88],
  ] as const),
  ...([
    ['w', 88, 141],
    ['m', 141, 145],
    ['w', 145, 205],
    ['m', 205, 210],
    ['w', 210, 248],
  ] as const),
]

const AGENTS: readonly Acts[] = [
  {
    ...{ id: 'retry', name: 'Explore', task: 'Trace the retry path', color: 'blue', end: 41 },
    did: [
      ['m', 7, 11],
      ['t', 11, 13],
      ['m', 13, 16],
      ['t', 16, 19],
      ['m', 19, 24],
      ['t', 24, 25.5],
      ['m', 25.5, 31],
      ['t', 31, 34],
      ['m', 34, 41],
    ],
  },
  {
    ...{ id: 'key', name: 'Explore', task: 'Who builds the key', color: 'blue', end: 31 },
    did: [
      ['m', 7, 12],
      ['t', 12, 15],
      ['m', 15, 22],
      ['t', 22, 24],
      ['m', 24, 31],
    ],
  },
  {
    ...{ id: 'log', name: 'log-review', task: 'Gateway time-outs in the logs', color: 'lime', end: 50 },
    did: [
      ['m', 7, 10],
      ['r', 10, 17, 'rate-limited'],
      ['m', 17, 22],
      ['t', 22, 32, 'zgrep timeout'],
      ['m', 32, 37],
      ['t', 37, 44],
      ['m', 44, 50],
    ],
  },
  {
    ...{ id: 'plan', name: 'Plan', task: 'Order of the change', color: 'teal', end: 79 },
    did: [
      ['m', 56, 63],
      ['t', 63, 65],
      ['m', 65, 69],
      ['t', 69, 70.5],
      ['m', 70.5, 79],
    ],
  },
  {
    ...{ id: 'tests', name: 'test-writer', task: 'Failing test first', color: 'green' },
    did: [
      ['m', 88, 93],
      ['t', 93, 94.2],
      ['m', 94.2, 104],
      ['t', 104, 105.5],
      ['m', 105.5, 108],
      ['t', 108, 129, 'npm test'],
      ['m', 129, 134],
      ['t', 134, 135],
      ['m', 135, 139],
      ['t', 139, 158.2, 'npm test -- double-charge'],
      ['m', 158.2, 170],
      ['m', 219, 224],
      ['t', 224, 241, 'npm test'],
    ],
  },
  {
    ...{ id: 'refactor', name: 'refactorer', task: 'One key per order', color: 'red', end: 204 },
    did: [
      ['m', 88, 97],
      ['t', 97, 98.5],
      ['m', 98.5, 103],
      ['w', 103, 121],
      ['m', 121, 131],
      ['t', 131, 132.2],
      ['m', 132.2, 138],
      ['t', 138, 139.2],
      ['m', 139.2, 146],
      ['t', 146, 147.5],
      ['m', 147.5, 152.4],
      ['y', 152.4, 186, 'npm run codemod -- charge-key'],
      ['t', 186, 193],
      ['m', 193, 204],
    ],
  },
  {
    ...{
      id: 'callers',
      name: 'Explore',
      task: 'Callers of charge()',
      color: 'blue',
      parentId: 'refactor',
      end: 121,
    },
    did: [
      ['m', 103, 107],
      ['t', 107, 109],
      ['m', 109, 113],
      ['t', 113, 116],
      ['m', 116, 121],
    ],
  },
  {
    ...{ id: 'migration', name: 'migration', task: 'Add orders.charge_key', color: 'purple', end: 173 },
    did: [
      ['m', 88, 96],
      ['t', 96, 97.2],
      ['m', 97.2, 106],
      ['t', 106, 107.2],
      ['m', 107.2, 112],
      ['y', 112, 141, 'npm run db:migrate'],
      ['t', 141, 150, 'npm run db:migrate'],
      ['m', 150, 160],
      ['t', 160, 161.2],
      ['m', 161.2, 173],
    ],
  },
  {
    ...{ id: 'docs', name: 'doc-writer', task: 'Retry guarantees', color: 'teal', end: 132 },
    did: [
      ['m', 90, 101],
      ['t', 101, 103],
      ['m', 103, 118],
      ['t', 118, 120],
      ['m', 120, 132],
    ],
  },
  {
    ...{ id: 'security', name: 'security-reviewer', task: 'Token handling', color: 'pink', end: 196 },
    did: [
      ['q', 88, 112],
      ['m', 112, 120],
      ['t', 120, 122],
      ['m', 122, 131],
      ['t', 131, 134],
      ['m', 134, 147],
      ['r', 147, 153, 'overloaded'],
      ['m', 153, 166],
      ['t', 166, 169],
      ['m', 169, 196],
    ],
  },
  {
    ...{ id: 'verify', name: 'Verification', task: 'Prove it wrong', color: 'indigo' },
    did: [
      ['q', 205, 210],
      ['m', 210, 216],
      ['t', 216, 240, 'npm test'],
    ],
  },
]

/** Who wrote to whom: sent, from, read, to. */
const MESSAGES = [
  [139.3, 'refactor', 150, 'migration'],
  [154, 'migration', 186, 'refactor'],
  [159.6, 'tests', 186, 'refactor'],
  [124, 'docs', 141, 'main'],
  [213, 'verify', 219, 'tests'],
] as const

const END = 248

type Step = readonly [at: number, add: (log: SampleLog) => void]

/** The mockup's conversation, which ends `now`. */
export function timelineLog(conversationId: string, now: number): SampleLog {
  const log = new SampleLog({ conversationId, now: now - END * 1000, step: 0 })
  const start = log.now
  log.begins('Payments are sometimes charged twice when the gateway times out. Make retries idempotent.')
  const steps: Step[] = MAIN.flatMap((did) => stepsOf('main', did))
  for (const agent of AGENTS) {
    const { id, parentId = 'main', did, end, ...more } = agent
    const at = did[0]?.[1] ?? 0
    steps.push([at - 0.01, (to) => to.starts({ id, parentId, call: callOf(id), ...more })])
    for (const one of did) steps.push(...stepsOf(id, one))
    if (end !== undefined)
      steps.push([end + 0.01, (to) => to.add(id, 'agent-ended', { report: `Done: ${more.task}.` })])
  }
  for (const [sent, sender, read, to] of MESSAGES)
    steps.push([read, (into) => into.receives(to, `A note of ${sent}.`, 'agent', { sender })])
  for (const [at, add] of steps.sort(([one], [other]) => one - other)) {
    log.now = start + at * 1000
    add(log)
  }
  log.now = now
  return log
}

export function timelineRecord(now: number): Partial<ConversationRecord> {
  const at = (seconds: number) => now - (END - seconds) * 1000
  return {
    coordinator: true,
    phases: [
      { phase: 'research', note: '', at: at(0) },
      { phase: 'synthesis', note: '', at: at(54) },
      { phase: 'implementation', note: '', at: at(84) },
      { phase: 'verification', note: '', at: at(205) },
    ],
  }
}

let calls = 0

function stepsOf(id: string, [kind, from, to, what]: Did): readonly Step[] {
  const toolUseId = `toolu_timeline_${++calls}`
  const turn = calls
  const isDone = to < END
  switch (kind) {
    case 'm':
      return [
        [from, (log) => log.add(id, 'request-started', { turn, model: 'claude-sonnet-4-5' })],
        ...(isDone
          ? [
              [
                to,
                (log: SampleLog) => log.add(id, 'assistant-message', answer(turn, (to - from) * 1000)),
              ] as const,
            ]
          : []),
      ]
    case 't': {
      const name = what === undefined ? 'Read' : 'Bash'
      const summary = what ?? 'src/payments/charge.ts'
      const isError = what?.includes('double-charge') ?? false
      const ended = {
        toolUseId,
        name,
        durationMs: (to - from) * 1000,
        isError,
        note: isError ? 'exit 1' : '34 lines',
      }
      return [
        [from, (log) => log.add(id, 'tool-started', { toolUseId, name, summary })],
        [to, (log) => log.add(id, 'tool-ended', { ...ended, content: OUTPUT })],
      ]
    }
    case 'w':
      return [
        [from, (log) => log.status(id, 'waiting', 'children')],
        ...(isDone ? [[to, (log: SampleLog) => log.status(id, 'running')] as const] : []),
      ]
    case 'q':
      return [
        [from, (log) => log.status(id, 'queued')],
        [to, (log) => log.status(id, 'running')],
      ]
    case 'r':
      return [
        [
          from,
          (log) =>
            log.add(id, 'request-failed', {
              ...{ turn, attempt: 1, retryAt: log.now + (to - from) * 1000 },
              failure: { type: what ?? 'server', message: 'The API asks for fewer requests.' },
            }),
        ],
      ]
    case 'y':
      return [
        [
          from,
          (log) =>
            log.asks(id, toolUseId, {
              toolUseId,
              subject: { kind: 'command', action: 'run a command', text: what ?? '', folder: '/work/shop' },
            }),
        ],
        [to, (log) => log.answered(id, toolUseId, { toolUseId })],
      ]
  }
}

const answer = (turn: number, durationMs: number) => ({
  ...{ turn, durationMs, model: 'claude-sonnet-4-5', costUsd: 0.02, pace: [[1100, 12] as [number, number]] },
  usage: { ...noUsage, input: 300, output: 311, cacheRead: 3800, cacheWrite: 200 },
  content: [{ type: 'text' as const, text: 'The key belongs to the order, not to the attempt.' }],
})

const OUTPUT = ` RUN  test/payments/double-charge.test.ts
 ✗ charges once when the first attempt times out   1.2 s
     expected 1 charge, got 2
     at test/payments/double-charge.test.ts:41:7
 ✓ keeps the key across a restart                  0.3 s
 ✓ refuses a second key for one order              0.1 s

 Tests  1 failed, 2 passed   Time 18.6 s`

/** Many agents that take turns of a model and a tool, two spans each. */
export function crowdedTimeline(
  conversationId: string,
  now: number,
  agents: number,
  spans: number,
): SampleLog {
  const turns = Math.ceil(spans / 2)
  const length = turns * 2600
  const log = new SampleLog({ conversationId, now: now - length - 10_000, step: 0 })
  const start = log.now
  log.begins('Work on everything at once.')
  const ids = Array.from({ length: agents - 1 }, (_, index) => `agent-${index + 1}`)
  const colors = ['blue', 'green', 'purple', 'teal', 'pink', 'lime', 'red', 'indigo']
  for (const [index, id] of ids.entries()) {
    log.now = start + index * 40
    log.starts({
      id,
      name: 'worker',
      color: colors[index % colors.length] ?? 'blue',
      task: `Part ${index + 1}`,
      parentId: 'main',
    })
  }
  for (let turn = 1; turn <= turns; turn++)
    for (const [index, id] of ['main', ...ids].entries()) {
      const toolUseId = `toolu_${id}_${turn}`
      log.now = start + 8000 + (turn - 1) * 2600 + ((index * 37) % 600)
      log.add(id, 'request-started', { turn, model: 'claude-sonnet-4-5' })
      log.pass(1200 + ((index * turn * 131) % 700)).add(id, 'assistant-message', answer(turn, 1500))
      log.add(id, 'tool-started', { toolUseId, name: 'Read', summary: 'src/payments/charge.ts' })
      log.pass(90 + ((turn * 53) % 500)).toolEnds(id, toolUseId)
    }
  return log
}
