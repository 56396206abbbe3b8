/** Five agents that fix a payment bug: one done, three working, one with a pending permission request. */
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

const FIVE = [
  { agentId: 'plan', type: 'Plan', task: 'order of the change' },
  { agentId: 'explore', type: 'Explore', task: 'trace the retry path' },
  { agentId: 'tests', type: 'test-writer', task: 'failing test first' },
  { agentId: 'refactor', type: 'refactorer', task: 'idempotency key per order' },
  { agentId: 'security', type: 'security-reviewer', task: 'token handling' },
]

const PATCH = `@@ -16,9 +16,8 @@ import { withRetry } from '../queue/with-retry.ts'
 
 /** Charges the card of an order once. */
 export async function charge(order: Order, card: Card) {
-  return withRetry(() => {
-    const key = randomUUID()
-    return gateway.charge({ key, order, card })
-  })
+  const key = order.chargeKey
+  return withRetry(() => gateway.charge({ key, order, card }))
 }
 
 export function refund(order: Order) {
`

const NEW_TEST = `@@ -0,0 +1,12 @@
+import { expect, test } from 'vitest'
+import { charge } from '../../src/payments/charge.ts'
+import { fakeGateway } from '../helpers/fake-gateway.ts'
+
+test('charges once when the first attempt times out', async () => {
+  const gateway = fakeGateway({ timeouts: 1 })
+  await charge(order, card)
+  expect(gateway.charges).toHaveLength(1)
+})
+
+test('keeps the key across a restart', async () => {
+})
`

/** The log of the conversation up to `now` (ms since the epoch). `more`: further agents that the main agent starts. */
export function checkoutLog(conversationId: string, now: number, more: typeof FIVE = []): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 161_000, step: 0 })
  log.begins(
    'Payments are sometimes charged twice when the gateway times out. Find out why, fix it, cover it with tests, and have the fix reviewed for security.',
  )
  log.pass(42_000).answers('main', {
    text: 'Two things happen at once here, so I split the work: one agent traces the retry path, one writes the failing test first, one makes the change in its own worktree, and one reviews how tokens are handled.',
    calls: [...FIVE, ...more],
    tokens: 8200,
    window: 200_000,
  })
  startAgents(log, now)
  log.now = now - 66_000
  log.ends(
    'plan',
    'The key must be made before the first attempt and stored with the order; two call sites build their own.',
  )
  log.answers('main', {
    text: 'Plan reported: the key must be made before the first attempt and stored with the order; two call sites build their own. Waiting for the others before I merge.',
    tokens: 9100,
  })
  log.status('main', 'waiting', 'children')
  explore(log, now)
  tests(log, now)
  security(log, now)
  refactor(log, now)
  return log
}

function startAgents(log: SampleLog, now: number): void {
  const common = { parentId: 'main' }
  log.now = now - 118_000
  log.starts({
    ...common,
    id: 'plan',
    name: 'Plan',
    color: 'cyan',
    task: 'order of the change',
    call: callOf('plan'),
    maxTurns: 20,
    readOnly: true,
  })
  log.receives('plan', 'Find out in which order the parts of the change must be made.')
  log.reachTurn('plan', 14)
  log.answers('plan', { text: 'The key has to be made before the first attempt.', tokens: 21_000 })
  log.starts({
    ...common,
    id: 'explore',
    name: 'Explore',
    color: 'blue',
    task: 'trace the retry path',
    call: callOf('explore'),
    maxTurns: 15,
    readOnly: true,
  })
  log.pass(1000).starts({
    ...common,
    id: 'tests',
    name: 'test-writer',
    color: 'green',
    task: 'failing test first',
    call: callOf('tests'),
  })
  log.starts({
    ...common,
    id: 'refactor',
    name: 'refactorer',
    color: 'orange',
    task: 'idempotency key per order',
    call: callOf('refactor'),
  })
  log.now = now - 72_000
  log.starts({
    ...common,
    id: 'security',
    name: 'security-reviewer',
    color: 'pink',
    task: 'token handling',
    call: callOf('security'),
    maxTurns: 20,
    readOnly: true,
    model: 'claude-opus-4-1',
  })
}

function explore(log: SampleLog, now: number): void {
  log.now = now - 90_000
  log.receives(
    'explore',
    'Trace every path on which a payment is retried. Return the call sites with file and line.',
  )
  log.reachTurn('explore', 6)
  log.answers('explore', {
    tools: [
      {
        tool: 'Grep',
        summary: '“retry(” src/**/*.ts',
        note: '23 matches',
        output:
          'src/queue/with-retry.ts:12: export async function withRetry(\nsrc/payments/charge.ts:19:   return withRetry(() => {',
      },
    ],
    tokens: 9000,
  })
  log.answers('explore', {
    tools: [
      {
        tool: 'Read',
        summary: 'src/payments/gateway.ts',
        note: '412 lines',
        output: 'export class Gateway {\n  async charge(request: ChargeRequest) {',
      },
      { tool: 'Read', summary: 'src/queue/with-retry.ts', note: '88 lines' },
    ],
    tokens: 14_000,
  })
  log.now = now - 400
  log.answers('explore', {
    text: 'The wrapper retries on any rejected promise, time-outs included. `charge()` builds a new key inside the retried function, so each attempt is a new charge.',
    tools: [{ tool: 'Grep', summary: '“idempotency” src/' }],
    tokens: 15_000,
  })
}

function tests(log: SampleLog, now: number): void {
  log.now = now - 80_000
  log.receives(
    'tests',
    'Write a test that fails because a payment is charged twice. Do not change the code under test.',
  )
  log.reachTurn('tests', 10)
  log.answers('tests', {
    tools: [
      {
        tool: 'Write',
        summary: 'test/payments/double-charge.test.ts',
        note: '+96',
        display: {
          kind: 'diff',
          path: 'test/payments/double-charge.test.ts',
          patch: NEW_TEST,
          added: 96,
          removed: 0,
          created: true,
        },
      },
    ],
    tokens: 14_000,
    cost: 0.08,
  })
  log.answers('tests', {
    tools: [
      {
        tool: 'Edit',
        summary: 'test/helpers/fake-gateway.ts',
        note: '+31 −4',
        display: {
          kind: 'diff',
          path: 'test/helpers/fake-gateway.ts',
          patch: PATCH,
          added: 31,
          removed: 4,
          created: false,
        },
      },
    ],
    tokens: 15_000,
    cost: 0.07,
  })
  log.now = now - 6000
  log.answers('tests', {
    tools: [
      { tool: 'Bash', summary: 'npm test -- double-charge', input: { command: 'npm test -- double-charge' } },
    ],
    tokens: 15_000,
    cost: 0.06,
  })
}

function refactor(log: SampleLog, now: number): void {
  log.now = now - 60_000
  log.receives('refactor', 'Make the key once per order and store it with the order.')
  log.reachTurn('refactor', 6)
  log.answers('refactor', {
    thinking: 'The key has to live with the order row, so a migration is needed before the code change.',
    tools: [
      {
        tool: 'Edit',
        summary: 'src/payments/charge.ts',
        note: '+22 −18',
        display: {
          kind: 'diff',
          path: 'src/payments/charge.ts',
          patch: PATCH,
          added: 22,
          removed: 18,
          created: false,
        },
      },
      {
        tool: 'Edit',
        summary: 'src/orders/order.ts',
        note: '+9 −1',
        display: {
          kind: 'diff',
          path: 'src/orders/order.ts',
          patch: PATCH,
          added: 9,
          removed: 1,
          created: false,
        },
      },
    ],
    tokens: 26_000,
    cost: 0.146,
  })
  log.reachTurn('refactor', 8)
  log.now = now - 12_000
  log.waits(
    'refactor',
    'Bash',
    {
      kind: 'command',
      action: 'run a command',
      text: 'npm run db:migrate -- --name order-charge-key',
      folder: '/home/ada/.local/share/troupe/worktrees/refactorer-a91e',
    },
    'No rule allows it.',
    'Bash(npm run db:migrate -- --name order-charge-key)',
  )
}

function security(log: SampleLog, now: number): void {
  log.now = now - 50_000
  log.receives('security', 'Review how card tokens are handled on the paths of this change.')
  log.reachTurn('security', 2)
  log.answers('security', {
    tools: [
      { tool: 'Glob', summary: 'src/payments/**', note: '31 files' },
      { tool: 'Read', summary: 'src/payments/token.ts', note: '140 lines' },
    ],
    tokens: 8000,
    cost: 0.17,
  })
  log.now = now - 900
  log.answers('security', {
    text: 'Tokens are compared with `===`, which leaks timing. That is not this change, but it is next to it; I will put it in the report as a separate finding.',
    tools: [{ tool: 'Read', summary: 'src/http/log.ts' }],
    tokens: 9000,
    cost: 0.17,
  })
}
