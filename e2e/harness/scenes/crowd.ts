/** The same conversation with more agents: 24 in total, seven of them done, or any larger number. */
import { callOf, type SampleLog } from '../../../src/shared/testing/sample-log.ts'
import { checkoutLog } from './checkout.ts'

const WORKING = [
  ['api-mapper', 'blue', 'Grep', '“fetch(” 214 files', '41 call sites so far, 12 without a time limit'],
  ['css-audit', 'pink', 'Read', 'src/ui/theme.css', 'Two palettes are in use; 31 colors are written out'],
  ['dep-check', 'green', 'Bash', 'npm outdated', ''],
  ['doc-writer', 'cyan', 'Edit', 'docs/payments.md', 'The page on refunds still names the old queue.'],
  ['flaky-hunter', 'yellow', 'Bash', 'npm test -- --repeat 20', 'run 14 of 20, one failure'],
  ['i18n', 'purple', 'Grep', '“toLocale”', ''],
  ['log-review', 'blue', 'Read', 'src/http/log.ts', 'The card token is masked in two of three places'],
  ['migration', 'orange', 'Write', 'migrations/018_order_charge_key.sql', 'waiting for refactorer'],
  ['perf-probe', 'green', 'Bash', 'node bench/cart.js', 'p95 41 ms, was 39 ms'],
  ['schema', 'cyan', 'Read', 'prisma/schema.prisma', 'Order has no unique key on the charge'],
  ['types', 'purple', 'Bash', 'tsc --noEmit', '3 errors, all in tests'],
  ['ui-review', 'pink', 'Read', 'src/ui/Checkout.tsx', 'The spinner hides the retry button'],
] as const

const COLORS = ['blue', 'pink', 'green', 'cyan', 'purple'] as const

const DONE = ['glossary', 'license-check', 'readme', 'seed-data', 'tokens', 'links'] as const

/** @param amount of all agents; 24 and more */
export function crowdLog(conversationId: string, now: number, amount = 24): SampleLog {
  const working = [
    ...WORKING,
    ...Array.from({ length: Math.max(0, amount - 24) }, (_, index) => {
      const color = COLORS[index % COLORS.length] ?? 'blue'
      return [
        `module-${index + 1}`,
        color,
        'Read',
        `src/module-${index + 1}.ts`,
        'Nothing found yet',
      ] as const
    }),
  ]
  const calls = [...working.map(([name]) => name), ...DONE].map((name) => ({
    agentId: name,
    type: name,
    task: `look at ${name}`,
  }))
  const log = checkoutLog(conversationId, now, calls)
  log.now = now - 100_000
  log.answers('main', {
    text: 'The same mistake may be elsewhere, so I look at everything around it at once.',
  })
  for (const name of DONE) {
    log.starts({
      id: name,
      name,
      color: 'cyan',
      task: `look at ${name}`,
      parentId: 'main',
      call: callOf(name),
      maxTurns: 20,
    })
    log.receives(name, `Look at ${name} and report what is wrong.`)
    log.answers(name, { text: `Nothing about ${name} stands in the way of this change.`, tokens: 12_000 })
    log.pass(4000).ends(name, `Nothing about ${name} stands in the way of this change.`)
  }
  for (const [name, color, tool, summary, line] of working) {
    log.now = now - 70_000
    log.starts({
      id: name,
      name,
      color,
      task: `look at ${name}`,
      parentId: 'main',
      call: callOf(name),
      maxTurns: 30,
    })
    log.receives(name, `Look at ${name} and report what is wrong.`)
    log.reachTurn(name, 5)
    log.now = now - 3000
    log.answers(name, { ...(line === '' ? {} : { text: line }), tools: [{ tool, summary }], tokens: 11_000 })
  }
  log.status('main', 'waiting', 'children')
  return log
}
