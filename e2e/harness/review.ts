/** The worktrees that the harness shows in Review. */
import {
  type MadeUpWorktree,
  madeUpWorktree,
  textChange,
} from '../../src/renderer/features/worktrees/testing/review-world.ts'

const CHARGE_BEFORE = `import { randomUUID } from 'node:crypto'
import type { Card, Order } from '../orders/order.ts'
import { withRetry } from '../queue/with-retry.ts'
import { gateway } from './gateway.ts'

/** How long a charge may take, in ms. */
export const LIMIT = 8000

/** Whether the card can still be charged. */
export function isChargeable(card: Card): boolean {
  return card.expires > Date.now() && !card.blocked
}

/**
 * Charges an order once.
 * Tries again while the gateway does not answer.
 */
export async function charge(order: Order, card: Card) {
  return withRetry(() => {
    const key = randomUUID()
    return gateway.charge({ key, order, card })
  })
}

export async function refund(order: Order) {
  const paid = await gateway.find(order.id)
  if (paid === null) return null
  return gateway.refund(paid.id, order.total)
}
`
const CHARGE_AFTER = CHARGE_BEFORE.replace("import { randomUUID } from 'node:crypto'\n", '')
  .replace(
    `  return withRetry(() => {
    const key = randomUUID()
    return gateway.charge({ key, order, card })
  })
`,
    `  const key = order.chargeKey
  return withRetry(() => gateway.charge({ key, order, card }))
`,
  )
  .replace('order.total)', 'order.total, { key: order.refundKey })')

const KEY_LINE = CHARGE_AFTER.split('\n').findIndex((line) => line.includes('order.chargeKey'))
const MIGRATION = `-- One key per order, made when the order is.
ALTER TABLE orders ADD COLUMN charge_key uuid;
UPDATE orders SET charge_key = gen_random_uuid() WHERE charge_key IS NULL;
ALTER TABLE orders ALTER COLUMN charge_key SET NOT NULL;
CREATE UNIQUE INDEX orders_charge_key ON orders (charge_key);
`
const RETRY_BEFORE = Array.from(
  { length: 34 },
  (_, index) => `  // step ${index + 1}\n  await attempt(${index + 1})`,
).join('\n')
const RETRY_AFTER = RETRY_BEFORE.replace('  // step 7\n', '')
  .replace('attempt(9)', 'attempt(9, { key })')
  .replace('  // step 20\n  await attempt(20)\n', '')

const TEST_TEXT = `import { expect, test } from 'vitest'
import { charge } from '../../src/payments/charge.ts'

test('charges once when the first attempt times out', async () => {
  const gateway = fakeGateway({ timeouts: 1 })
  await charge(order(), card())
  expect(gateway.charges).toHaveLength(1)
})
`
const CONFLICT = `export async function charge(order: Order, card: Card) {
<<<<<<< troupe/refactorer-a91e42
  const key = order.chargeKey
  return withRetry(() => gateway.charge({ key, order, card }))
||||||| b45e0000
  return withRetry(() => {
    const key = randomUUID()
    return gateway.charge({ key, order, card })
  })
=======
  const key = keyOf(order) ?? randomUUID()
  return withRetry(() => {
    return gateway.charge({ key, order, card })
  })
>>>>>>> troupe/test-writer-7f2c19
}
`
/** The text of one side of a conflict with a single conflict. */
const sideOf = (text: string, side: 'ours' | 'base' | 'theirs') => ({
  text: text.replace(
    /<{7}.*?\n(.*?)\|{7}.*?\n(.*?)={7}\n(.*?)>{7}.*?\n/s,
    (_all, ours: string, base: string, theirs: string) => ({ ours, base, theirs })[side],
  ),
})
const sidesOf = (text: string) => ({
  ...{ base: sideOf(text, 'base'), ours: sideOf(text, 'ours'), theirs: sideOf(text, 'theirs') },
})

const CART = `import type { Order } from './order.ts'

/** What the customer pays, in cents. */
export function total(order: Order): number {
  const items = order.items.filter(({ count }) => count > 0)
  const sum = items.reduce((all, { price, count }) => all + price * count, 0)
<<<<<<< main
  const shipping = sum > 5000 ? 0 : shippingOf(order)
  return sum + shipping - discountOf(order, sum)
||||||| b45e0000
  return sum + shippingOf(order)
=======
  const rows = await database.rowsOf(order.id)
  return sum + shippingOf(order, rows)
>>>>>>> troupe/migration-0c11aa
}

export const isFree = (order: Order): boolean => total(order) === 0
`

/** The mockup's worktrees: one ready, one that conflicts with it, one with a working agent. */
export function reviewWorktrees(now: number): readonly MadeUpWorktree[] {
  const minutes = (amount: number) => now - amount * 60_000
  return [
    madeUpWorktree(
      {
        id: 'refactorer-a91e42',
        agentName: 'refactorer',
        color: 'orange',
        task: 'Idempotency key per order',
        agentId: 'refactor',
        createdAt: minutes(31),
        commits: 3,
        conflictsWith: [{ id: 'test-writer-7f2c19', files: ['src/payments/charge.ts'] }],
      },
      {
        changes: [
          textChange('src/payments/charge.ts', CHARGE_BEFORE, CHARGE_AFTER),
          textChange(
            'src/orders/order.ts',
            'export interface Order {\n  readonly id: string\n  readonly total: number\n}\n',
            'export interface Order {\n  readonly id: string\n  /** Made with the order, so that a retry is no second charge. */\n  readonly chargeKey: string\n  readonly refundKey: string\n  readonly total: number\n}\n',
          ),
          textChange('migrations/018_order_charge_key.sql', null, MIGRATION),
          textChange('src/queue/with-retry.ts', `${RETRY_BEFORE}\n`, `${RETRY_AFTER}\n`),
        ],
        asked: [
          {
            at: minutes(14),
            commit: 'd'.repeat(40),
            message: '',
            changedBy: 'agent',
            comments: [
              {
                ...{
                  path: 'src/payments/charge.ts',
                  line: KEY_LINE + 1,
                  lastLine: null,
                  side: 'after' as const,
                },
                quote: CHARGE_AFTER.split('\n')[KEY_LINE] ?? '',
                text: 'What happens when an order has no key yet?',
              },
            ],
            reply: {
              state: 'answered',
              at: minutes(8),
              text: '### Comment 1\n\nIt can have none: the key is made with the order, and `018_order_charge_key.sql` fills it in for orders from before.\n\n- `charge()` throws where the key is missing.\n- A test covers an order from before the migration.',
            },
          },
        ],
        commits: [
          {
            sha: 'a1b2c3d4e5f60718',
            subject: 'Refunds have a key of their own',
            author: 'Ada',
            at: minutes(4),
          },
          {
            sha: 'b2c3d4e5f6071829',
            subject: 'The key is made with the order',
            author: 'Ada',
            at: minutes(9),
          },
          { sha: 'c3d4e5f60718293a', subject: 'A column for the charge key', author: 'Ada', at: minutes(16) },
        ],
        conflicts: new Map([
          [
            'test-writer-7f2c19',
            [
              {
                path: 'src/payments/charge.ts',
                text: CONFLICT,
                version: 'v1',
                ...sidesOf(CONFLICT),
                because: 'both changed it',
              },
            ],
          ],
        ]),
      },
    ),
    madeUpWorktree(
      {
        id: 'test-writer-7f2c19',
        agentName: 'test-writer',
        color: 'green',
        task: 'Failing test first',
        agentId: 'tests',
        createdAt: minutes(28),
        insertions: 184,
        deletions: 12,
        conflictsWith: [{ id: 'refactorer-a91e42', files: ['src/payments/charge.ts'] }],
      },
      {
        changes: [
          textChange('test/payments/double-charge.test.ts', null, TEST_TEXT),
          textChange(
            'src/payments/charge.ts',
            CHARGE_BEFORE,
            CHARGE_BEFORE.replace('= randomUUID()', '= keyOf(order) ?? randomUUID()'),
          ),
        ],
        conflicts: new Map([
          [
            'refactorer-a91e42',
            [
              {
                path: 'src/payments/charge.ts',
                text: CONFLICT,
                version: 'v1',
                ...sidesOf(CONFLICT),
                because: 'both changed it',
              },
            ],
          ],
        ]),
      },
    ),
    madeUpWorktree(
      {
        id: 'doc-writer-33d0b8',
        agentName: 'doc-writer',
        color: 'cyan',
        agentId: 'docs',
        createdAt: minutes(3),
        state: 'working',
        ended: null,
        commits: 0,
        uncommitted: 1,
        insertions: 0,
        deletions: 0,
        check: null,
      },
      {
        changes: [
          textChange('docs/refunds.md', null, '# Refunds\n\nA refund has a key.\n', { uncommitted: true }),
        ],
      },
    ),
  ]
}

/** The mockup's worktrees, and one in each other state. */
export function allReviewStates(now: number): readonly MadeUpWorktree[] {
  const change = [textChange('src/cart.ts', 'const a = 1\n', 'const a = 2\n')]
  return [
    ...reviewWorktrees(now),
    madeUpWorktree(
      {
        id: 'migration-0c11aa',
        agentName: 'migration',
        color: 'yellow',
        task: 'Move the order table to the new schema without a lock',
        commits: 2,
        createdAt: now - 900_000,
        check: { kind: 'conflicts', files: ['src/cart.ts'] },
      },
      {
        changes: [
          ...change,
          textChange(
            'src/hidden.ts',
            'const admin = false\n',
            'const admin = false\u202e // \u2066check\u200b\n\tif (isAdmin)\u00a0{ }\n',
          ),
          { path: 'assets/logo.png', text: { kind: 'binary', bytesBefore: 12_400, bytesAfter: 13_900 } },
          textChange('old/name.ts', 'const x = 1\n', 'const x = 1\n', {
            kind: 'renamed',
            oldPath: 'older/name.ts',
          }),
        ],
        conflicts: new Map([
          [
            '',
            [
              {
                path: 'src/cart.ts',
                because: 'both changed it',
                text: CART,
                version: 'v1',
                ...sidesOf(CART),
              },
              {
                path: 'src/legacy.ts',
                because: 'deleted in main, changed here',
                text: null,
                version: 'v1',
                base: { text: 'const legacy = 1\n' },
                ours: null,
                theirs: { text: 'const legacy = 2\n' },
              },
            ],
          ],
        ]),
      },
    ),
    madeUpWorktree(
      {
        id: 'bench-9b0e77',
        agentName: 'bench',
        color: 'purple',
        task: 'Cart under load',
        state: 'merged',
        commits: 0,
        check: { kind: 'nothing' },
        merged: { into: 'main', commit: 'f00d', method: 'squash', at: now - 60_000, undoable: true },
      },
      { changes: change },
    ),
    madeUpWorktree(
      {
        id: 'i18n-5512fe',
        agentName: 'i18n',
        color: 'pink',
        task: 'Words in two languages: קופה and الدفع',
        state: 'orphaned',
        ended: null,
        uncommitted: 2,
        folderGone: true,
        bytes: 48_300_000,
        notes: ['Its commits are under the name “Troupe”: git knows no name of yours.'],
      },
      { changes: change },
    ),
  ]
}

/** Five hundred files, one of them of five thousand lines. */
export function largeReview(now: number): readonly MadeUpWorktree[] {
  const line = (index: number) => `export const value${index} = compute(${index}, 'name ${index % 13}')`
  const before = Array.from({ length: 5000 }, (_, index) => line(index)).join('\n')
  const after = Array.from({ length: 5000 }, (_, index) =>
    index % 9 === 4 ? line(index).replace('compute', 'computeOnce') : line(index),
  ).join('\n')
  return [
    madeUpWorktree(
      {
        id: 'codemod-77aa01',
        agentName: 'codemod',
        color: 'blue',
        task: 'One call instead of two',
        createdAt: now,
      },
      {
        changes: [
          textChange('src/generated/values.ts', `${before}\n`, `${after}\n`),
          ...Array.from({ length: 499 }, (_, index) =>
            textChange(
              `src/part-${index % 20}/module-${index}.ts`,
              `${line(index)}\n`,
              `${line(index + 1)}\n`,
            ),
          ),
        ],
      },
    ),
  ]
}

/** The given number of worktrees, some with names that are long or in another script. */
export function manyReviews(now: number, amount: number): readonly MadeUpWorktree[] {
  const [first] = reviewWorktrees(now)
  return Array.from({ length: amount }, (_, index) =>
    madeUpWorktree(
      {
        id: `worker-${index}-abc123`,
        agentName:
          index % 7 === 3 ? `a-very-long-name-of-an-agent-that-does-not-fit-${index}` : `worker-${index}`,
        color: ['red', 'orange', 'green', 'blue'][index % 4] ?? 'blue',
        task: index % 5 === 2 ? 'בדיקה של התשלום לפני ההזמנה' : `Part ${index} of the move`,
        createdAt: now - index * 1000,
        state: index % 3 === 2 ? 'working' : 'ready',
      },
      { changes: first?.changes ?? [] },
    ),
  )
}
