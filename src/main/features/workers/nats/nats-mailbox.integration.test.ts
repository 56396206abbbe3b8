/** Mailboxes at a real server: the contract of every mailbox, and what happens when the server goes and comes back. */

import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstream } from '@nats-io/jetstream'
import { expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { tempFolder } from '../../../platform/transcripts/testing/temp-folder.ts'
import { testMailbox } from '../../teams/mailbox/testing/mailbox-contract.ts'
import { sampleMailboxMessage } from '../../teams/mailbox/testing/sample-messages.ts'
import { createMailboxReader } from './mailbox-reader.ts'
import { encodeMessage } from './message-wire.ts'
import { createNatsMailbox, type NatsMailbox } from './nats-mailbox.ts'
import { messageSubject } from './subjects.ts'
import { startNatsServer, withNats } from './testing/nats-server.ts'
import { openTestSession, ready } from './testing/session.ts'

/** Of this process. */
const processId = randomUUID()

withNats('a mailbox on NATS', () => {
  testMailbox(async () => {
    const server = await startNatsServer()
    const folder = await tempFolder()
    const problems: string[] = []
    const session = openTestSession(server.url)
    await ready(session)
    onTestFinished(() => expect(problems).toEqual([]))
    return () => {
      const mailbox = createNatsMailbox({
        ...{ processId, now: Date.now },
        session,
        outboxFolder: folder,
        outboxId: 'box-1',
        onProblem: (problem) => problems.push(problem),
      })
      onTestFinished(() => mailbox.close())
      return mailbox
    }
  })
})

withNats('messages on NATS', () => {
  const start = async () => {
    const server = await startNatsServer()
    const problems: string[] = []
    const openMailbox = async (outboxId: string) => {
      const session = openTestSession(server.url)
      const outboxFolder = await tempFolder()
      const mailbox = createNatsMailbox({
        ...{ processId, now: Date.now },
        session,
        outboxFolder,
        outboxId,
        onProblem: (p) => problems.push(p),
      })
      onTestFinished(() => mailbox.close())
      return { session, mailbox, outboxFolder }
    }
    return { server, problems, openMailbox }
  }
  const idsIn = async (mailbox: NatsMailbox) => {
    const taken = await mailbox.take('scout')
    if (!taken.ok) throw new Error(taken.failure.message)
    return taken.value.map(({ messageId }) => messageId)
  }
  /** Resolves when the condition holds after one of the mailbox's calls. */
  const watched = (mailbox: NatsMailbox, holds: () => Promise<boolean>) =>
    new Promise<void>((resolve, reject) => {
      const stop = mailbox.watch('scout', () => {
        holds().then((held) => {
          if (!held) return
          stop()
          resolve()
        }, reject)
      })
    })

  test('wait on the disk of the sender while there is no server, and arrive in order', async () => {
    const { server, openMailbox } = await start()
    await server.kill()
    const sender = await openMailbox('sender')
    for (const id of ['m-1', 'm-2', 'm-3'])
      expect(await sender.mailbox.put(sampleMailboxMessage(id))).toEqual({ ok: true, value: undefined })
    expect(sender.mailbox.waiting()).toBe(3)
    expect(await readdir(join(sender.outboxFolder, 'scout/new'))).toHaveLength(3)
    const reader = await openMailbox('reader')
    expect(await reader.mailbox.take('scout')).toMatchObject({
      ok: false,
      failure: { type: 'io', message: expect.stringMatching(/no connection to NATS|No NATS server listens/) },
    })
    await server.start()
    await watched(reader.mailbox, async () => (await idsIn(reader.mailbox)).length === 3)
    expect(await idsIn(reader.mailbox)).toEqual(['m-1', 'm-2', 'm-3'])
  })

  test('stay in the outbox until the reader confirms them, also when the reader’s store forgets them', async () => {
    const { server, openMailbox, problems } = await start()
    const sender = await openMailbox('sender')
    await ready(sender.session)
    await sender.mailbox.put(sampleMailboxMessage('m-1'))
    await sender.mailbox.put(sampleMailboxMessage('m-2'))
    expect(sender.mailbox.waiting()).toBe(2)
    // As a server that is killed before its disk has what it acknowledged.
    await server.kill()
    await rm(join(server.folder, 'js'), { recursive: true })
    await server.start()
    const reader = await openMailbox('reader')
    await watched(reader.mailbox, async () => (await idsIn(reader.mailbox)).length === 2)
    await reader.mailbox.done('scout', ['m-1', 'm-2'])
    await expect.poll(() => sender.mailbox.waiting()).toBe(0)
    await expect.poll(() => readdir(join(sender.outboxFolder, 'scout/cur'))).toEqual([])
    expect(await readdir(join(sender.outboxFolder, 'scout/new'))).toEqual([])
    expect(await idsIn(reader.mailbox)).toEqual([])
    expect(problems).toEqual([])
  })

  test('belong to the process that took them, until it lets go', async () => {
    const { openMailbox } = await start()
    const sender = await openMailbox('sender')
    await ready(sender.session)
    await sender.mailbox.put(sampleMailboxMessage('m-1'))
    const other = createMailboxReader({
      now: Date.now,
      session: sender.session,
      processId: 'another',
      lease: 15_000,
      onProblem: () => {},
    })
    expect(await other.take('scout')).toMatchObject({ value: [{ messageId: 'm-1' }] })
    expect(await idsIn(sender.mailbox)).toEqual([])
    await sender.mailbox.put(sampleMailboxMessage('m-2'))
    expect(await idsIn(sender.mailbox)).toEqual([])
    await other.close()
    expect(await idsIn(sender.mailbox)).toEqual(['m-1', 'm-2'])
  })

  test('of a process that died come back after its lease', async () => {
    const { server, openMailbox } = await start()
    const session = openTestSession(server.url, { streams: { readerLease: 300 } })
    await ready(session)
    const sender = await openMailbox('sender')
    await ready(sender.session)
    await sender.mailbox.put(sampleMailboxMessage('m-1'))
    // It renews its lease much later than the server forgets it, as one that is frozen does.
    const frozen = createMailboxReader({
      now: Date.now,
      session,
      processId: 'frozen',
      lease: 1e9,
      onProblem: () => {},
    })
    expect(await frozen.take('scout')).toMatchObject({ value: [{ messageId: 'm-1' }] })
    await expect.poll(() => idsIn(sender.mailbox)).toEqual(['m-1'])
  })

  test('that are not messages are removed and reported, and hide no other', async () => {
    const { openMailbox, problems } = await start()
    const { session, mailbox } = await openMailbox('sender')
    await ready(session)
    const link = session.link()
    if (!link) throw new Error('no connection')
    await jetstream(link.connection).publish(messageSubject('scout', 'x-1'), '{"v":1}\n')
    await jetstream(link.connection).publish(messageSubject('scout', 'x-2'), Uint8Array.of(0, 1, 2))
    const other = encodeMessage(sampleMailboxMessage('x-3', { to: 'other' }))
    await jetstream(link.connection).publish(messageSubject('scout', 'x-3'), other)
    await mailbox.put(sampleMailboxMessage('m-1'))
    expect(await idsIn(mailbox)).toEqual(['m-1'])
    expect(problems).toEqual([
      expect.stringContaining('is cut off or was altered'),
      expect.stringContaining('can’t be unpacked'),
      expect.stringContaining('is addressed to "other"'),
    ])
  })

  test('beyond the space of the server wait in the outbox, with what to do', async () => {
    const server = await startNatsServer({
      jetStream: false,
      config: (folder) => `jetstream { store_dir: "${folder}/js", max_file_store: 1MB }`,
    })
    const session = openTestSession(server.url)
    await new Promise<void>((resolve) => session.subscribe(({ kind }) => kind === 'failed' && resolve()))
    expect(session.state()).toMatchObject({
      message: expect.stringMatching(/troupe-messages can’t be made .* is full \(.*\)\. Free space there/),
    })
  })

  test('with a clock that is off by an hour are not exchanged: the difference is said', async () => {
    const server = await startNatsServer()
    const clock = createSystemClock()
    const late = openTestSession(server.url, { clock: { ...clock, now: () => Date.now() - 3_600_000 } })
    await new Promise<void>((resolve) => late.subscribe(({ kind }) => kind === 'failed' && resolve()))
    expect(late.state()).toMatchObject({
      message: expect.stringMatching(
        /clock is 60 minutes behind the NATS server’s.*timedatectl set-ntp true/,
      ),
    })
    expect(late.link()).toBeNull()
  })
})
