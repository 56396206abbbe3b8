/**
 * One of many processes that write to each other: `node torture-program.ts <JSON of TortureMember>`. It sends its
 * messages in order, and keeps what it receives in a log, as an agent's transcript does. It may be killed at any moment,
 * and goes on when it is started again. Prints the number of different messages in its log after each change.
 */

import { randomUUID } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { createSystemClock } from '../../../../platform/system/machine-time.ts'
import type { Mailbox } from '../../../../runtime/ports/ports.ts'
import { createMaildirMailbox } from '../../../teams/mailbox/maildir-mailbox.ts'
import { createNatsMailbox } from '../nats-mailbox.ts'
import { openNats } from '../nats-session.ts'
import type { TortureMember } from './torture.ts'

// A process that is killed keeps nothing of what it compiled.
flushCompileCache()

const member = JSON.parse(process.argv[2] ?? '') as TortureMember
mkdirSync(member.home, { recursive: true })
const receivedFile = join(member.home, 'received')
const sentFile = join(member.home, 'sent')
const linesOf = (file: string) =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []

const { mailbox, wait } = open()
await Promise.all([send(), receive()])

function open(): { readonly mailbox: Mailbox; readonly wait: () => Promise<void> } {
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const onProblem = (problem: string) => process.stderr.write(`${member.name}: ${problem}\n`)
  if (member.store.kind === 'maildir')
    return {
      mailbox: createMaildirMailbox({ folder: member.store.folder, onProblem }),
      wait: () => pause(20),
    }
  const { url, lease } = member.store
  const session = openNats({
    url,
    credentials: '',
    ca: '',
    name: member.name,
    clock: createSystemClock(),
    reconnectWait: 50,
    streams: { readerLease: lease },
  })
  const nats = createNatsMailbox({
    ...{ processId: randomUUID(), now: Date.now },
    session,
    outboxFolder: join(member.home, 'outbox'),
    outboxId: member.name,
    lease,
    onProblem,
  })
  let wake = () => {}
  nats.watch(member.name, () => wake())
  return {
    mailbox: nats,
    // A message may come while the last ones are being confirmed; a mailbox may be free only later.
    wait: () =>
      Promise.race([
        pause(200),
        new Promise<void>((resolve) => {
          wake = resolve
        }),
      ]),
  }
}

async function send(): Promise<void> {
  for (let number = linesOf(sentFile).length; number < member.messages; number++) {
    const to = member.peers[number % member.peers.length] ?? ''
    const message = {
      messageId: `${member.name}-${String(number).padStart(5, '0')}`,
      to,
      sender: member.name,
      content: [{ type: 'text' as const, text: `Message ${number}.` }],
      at: 1_700_000_000_000 + number,
    }
    const put = await mailbox.put(message)
    if (!put.ok) throw new Error(put.failure.message)
    appendFileSync(sentFile, `${number}\n`)
  }
}

async function receive(): Promise<void> {
  const seen = new Set(linesOf(receivedFile).map((line) => line.replace(/ again$/, '')))
  process.stdout.write(`${seen.size}\n`)
  for (;;) {
    const taken = await mailbox.take(member.name)
    const messages = taken.ok ? taken.value : []
    for (const { messageId } of messages) {
      appendFileSync(receivedFile, seen.has(messageId) ? `${messageId} again\n` : `${messageId}\n`)
      seen.add(messageId)
    }
    if (messages.length > 0) {
      await mailbox.done(
        member.name,
        messages.map(({ messageId }) => messageId),
      )
      process.stdout.write(`${seen.size}\n`)
    } else await wait()
  }
}
