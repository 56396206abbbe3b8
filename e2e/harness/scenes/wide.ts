/** Four agents whose messages have wide tables and long lines of code; the main agent answers with both. */
import { callOf, SampleLog } from '../../../src/shared/testing/sample-log.ts'

const TABLE = `| Caller | Key before the change | Key after the change | Retries on | Covered by | Owner | Since |
| --- | --- | --- | --- | --- | --- | --- |
| \`src/payments/charge.ts:38\` | new for each attempt, made inside the retried function | from the order, made once | timeouts and \`ECONNRESET\` | charges once when the first attempt times out | payments | 2.4.0 |
| \`src/settlement/settle.ts:59\` | new per attempt | from the order | any rejection | settles each part once | settlement | 2.3.1 |
| \`src/refunds/refund.ts:44\` | from the refund | unchanged | never | refunds once after a restart | payments | 1.9.0 |`

const CODE = `\`\`\`ts
export const charge = async (order: Order, card: Card, options: { readonly retries?: number; readonly signal?: AbortSignal } = {}): Promise<Charge> => withRetry(() => gateway.charge({ key: order.chargeKey, order, card }), options)
if (attempt > 3) throw new GatewayTimeout(order.id)
\`\`\``

const text = (title: string) =>
  `${title}\n\n${TABLE}\n\nThe long line is the signature:\n\n${CODE}\n\nSee \`src/payments/with-a-very-long-name-of-a-folder/and-a-file-whose-name-does-not-end/charge.integration.test.ts:1284\`.`

/** The log of the conversation up to `now` (ms since the epoch). */
export function wideLog(conversationId: string, now: number): SampleLog {
  const log = new SampleLog({ conversationId, now: now - 240_000, step: 0 })
  const parts = ['Trace the callers', 'Measure the retries', 'Compare the keys', 'Read the history'].map(
    (task, index) => ({ id: `part-${index}`, task }),
  )
  log.begins('Who makes a new key for each attempt?')
  log.answers('main', { calls: parts.map(({ id, task }) => ({ agentId: id, type: 'Explore', task })) })
  for (const { id, task } of parts) {
    log.starts({ id, name: 'Explore', color: 'blue', task, parentId: 'main', call: callOf(id) })
    log.receives(id, task)
    log.answers(id, { text: text(`${task}.`) })
    log.ends(id, 'Two of three callers did.', 'completed', null)
  }
  log.answers('main', { text: text('Two of three callers did.') })
  log.status('main', 'waiting', 'message')
  return log
}
