/**
 * The same torture for both kinds of mailboxes: 2,000 messages between 20 processes that are killed meanwhile.
 * `TROUPE_MAILBOX_MESSAGES=500` makes them 10,000.
 */
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../platform/transcripts/testing/temp-folder.ts'
import { startNatsServer, withNats } from './testing/nats-server.ts'
import { type TortureOptions, type TortureResult, torture } from './testing/torture.ts'

/** For a busy machine, in ms. */
const LONG = 600_000

const PROCESSES = 20
/** Of each process. */
const MESSAGES = Number(process.env['TROUPE_MAILBOX_MESSAGES'] ?? 100)

const kill = (at: number, ...indexes: readonly number[]): TortureOptions['disturb'][number] => ({
  at,
  async run({ restart }) {
    await Promise.all(indexes.map(restart))
  },
})

function expectAllInOrder({ received }: TortureResult): void {
  expect(received.map((ids) => ids.length)).toEqual(Array(PROCESSES).fill(MESSAGES))
  for (const ids of received) {
    expect(new Set(ids).size).toBe(ids.length)
    for (let sender = 0; sender < PROCESSES; sender++) {
      const sent = ids.filter((id) => id.startsWith(`p-${sender}-`))
      expect(sent).toEqual([...sent].sort())
    }
  }
}

test('in a folder: every message once and in the order of its sender', { timeout: LONG }, async () => {
  const folder = await tempFolder()
  const result = await torture({
    folder,
    store: { kind: 'maildir', folder: join(folder, 'mailboxes') },
    processes: PROCESSES,
    messages: MESSAGES,
    disturb: [kill(0.1, 0, 1), kill(0.3, 2, 3, 4), kill(0.5, 0, 5), kill(0.7, 6, 7)],
  })
  expectAllInOrder(result)
  // A process that was not killed is never given a message again that its sender put once.
  for (const index of [10, 11, 12, 13, 14, 15, 16, 17, 18, 19])
    expect(result.again[index]?.filter((line) => /^p-(8|9|1\d)-/.test(line))).toEqual([])
})

withNats('at a NATS server', () => {
  test('every message once and in the order of its sender, though the server is killed', {
    timeout: LONG,
  }, async () => {
    const server = await startNatsServer()
    const folder = await tempFolder()
    const killServer = (at: number): TortureOptions['disturb'][number] => ({
      at,
      async run() {
        await server.kill()
        await server.start()
      },
    })
    const result = await torture({
      folder,
      store: { kind: 'nats', url: server.url, lease: 2000 },
      processes: PROCESSES,
      messages: MESSAGES,
      disturb: [kill(0.1, 0, 1), killServer(0.25), kill(0.4, 2, 3, 4), killServer(0.6), kill(0.7, 0, 5)],
    })
    expectAllInOrder(result)
  })
})
