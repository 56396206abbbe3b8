/**
 * Another process on the same mailboxes: `node child-program.ts <folder of the mailboxes>`. Reads commands from
 * standard input and reports results on standard output, one JSON line each.
 */
import { createInterface } from 'node:readline'
import { createMaildirMailbox } from '../maildir-mailbox.ts'
import type { ChildMessage, ChildOrder } from './child-process.ts'
import { longMailboxMessage } from './sample-messages.ts'

const [folder = ''] = process.argv.slice(2)
const say = (message: ChildMessage) => process.stdout.write(`${JSON.stringify(message)}\n`)
const mailbox = createMaildirMailbox({ folder, onProblem: (problem) => say({ did: 'fail', problem }) })

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as ChildOrder
  if (order.do === 'put') void putAll(order)
  else if (order.do === 'take') await take()
  else if (order.do === 'done') await done(order.ids)
  else void takeForEver()
}

/** In order, as one agent does; several such loops act as several agents. */
async function putAll({ writer, count }: { readonly writer: string; readonly count: number }): Promise<void> {
  for (let number = 0; number < count; number++) {
    const id = `${writer}-${number}`
    const put = await mailbox.put(longMailboxMessage(id))
    say(put.ok ? { did: 'put', ids: [id] } : { did: 'fail', problem: put.failure.message })
  }
}

async function take(): Promise<readonly string[]> {
  const taken = await mailbox.take('scout')
  if (!taken.ok) {
    say({ did: 'fail', problem: taken.failure.message })
    return []
  }
  const ids = taken.value.map(({ messageId }) => messageId)
  say({ did: 'take', ids })
  return ids
}

async function done(ids: readonly string[]): Promise<void> {
  await mailbox.done('scout', ids)
  say({ did: 'done', ids })
}

/** Until it is killed: takes messages, and confirms some of them. */
async function takeForEver(): Promise<void> {
  for (;;) {
    const ids = await take()
    for (const id of ids.slice(0, 2)) await done([id])
  }
}
