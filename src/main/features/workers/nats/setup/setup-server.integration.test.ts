/** A server with the written configuration: what each role may do there, and what not. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import type { NatsConnection } from '@nats-io/transport-node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSystemClock } from '../../../../platform/system/machine-time.ts'
import { tempFolder } from '../../../../platform/transcripts/testing/temp-folder.ts'
import { sampleMailboxMessage } from '../../../teams/mailbox/testing/sample-messages.ts'
import { connectNats } from '../connect-nats.ts'
import { jobNames } from '../jobs/job-names.ts'
import { openJobStore } from '../jobs/job-store.ts'
import { natsFailure } from '../nats-failure.ts'
import { createNatsMailbox } from '../nats-mailbox.ts'
import { natsNames } from '../subjects.ts'
import { startNatsServer, withNats } from '../testing/nats-server.ts'
import { openTestSession, ready } from '../testing/session.ts'
import { publishPresence, watchPresence } from '../worker-presence.ts'
import { type SetupOptions, setUpServer } from './setup-server.ts'

async function setUp(folder: string, more: Partial<SetupOptions> = {}) {
  const made = await setUpServer({
    folder,
    hosts: ['127.0.0.1'],
    port: 4222,
    add: [],
    remove: [],
    renew: false,
    natsServer: '/usr/sbin/nats-server',
    ...more,
  })
  if (!made.ok) throw new Error(made.failure.message)
  return made.value
}

/** A server with the configuration as it is written, on a free port. */
async function startSetUp(folder: string) {
  const config = await readFile(join(folder, 'nats-server.conf'), 'utf8')
  const server = await startNatsServer({ jetStream: false, config: () => config })
  return { ...server, url: `tls://127.0.0.1:${server.port}` }
}

async function started(more: Partial<SetupOptions> = {}) {
  const folder = join(await tempFolder(), 'nats')
  const made = await setUp(folder, more)
  const { url } = await startSetUp(folder)
  const open = async (name: string) => {
    const access = { credentials: join(folder, `${name}.nk`), ca: made.ca }
    const session = openTestSession(url, access)
    await ready(session)
    const link = session.link()
    if (!link) throw new Error('no connection')
    return { session, connection: link.connection }
  }
  return { folder, url, made, open }
}

/** Null: it is allowed. */
async function refusal(attempt: Promise<unknown>): Promise<string | null> {
  try {
    await attempt
    return null
  } catch (thrown) {
    return natsFailure(thrown, 'It').message
  }
}

/** A publication that the server only complains about. */
async function violation(connection: NatsConnection, subject: string): Promise<string | null> {
  const error = (async () => {
    for await (const status of connection.status())
      if (status.type === 'error') return natsFailure(status.error, 'It').message
    return null
  })()
  connection.publish(subject, 'x')
  await connection.flush()
  return Promise.race([error, new Promise<null>((resolve) => setImmediate(() => resolve(null)))])
}

const NOT_ALLOWED = /the NATS server does not allow these credentials to (publish to|subscribe to) /

withNats('the permissions of a server that was set up', () => {
  test('let senders and workers exchange messages, and workers announce themselves', async () => {
    const { open } = await started()
    const sender = await open('sender')
    const worker = await open('worker')
    const problems: string[] = []
    const mailboxOf = async (user: typeof sender, outboxId: string) => {
      const mailbox = createNatsMailbox({
        ...{ processId: 'this', now: Date.now },
        session: user.session,
        outboxFolder: await tempFolder(),
        outboxId,
        onProblem: (problem) => problems.push(problem),
      })
      onTestFinished(() => mailbox.close())
      return mailbox
    }
    const [from, to] = [await mailboxOf(sender, 'one'), await mailboxOf(worker, 'two')]
    for (const [writer, reader, messageId] of [
      [from, to, 'm-1'],
      [to, from, 'm-2'],
    ] as const) {
      await writer.put(sampleMailboxMessage(messageId))
      expect(await reader.take('scout')).toMatchObject({ ok: true, value: [{ messageId }] })
      await reader.done('scout', [messageId])
      expect(await reader.take('scout')).toEqual({ ok: true, value: [] })
    }
    const clock = createSystemClock()
    const facts = { workerId: 'w-1', kind: 'remote', host: 'h', pid: 1, cores: 1, platform: 'linux' } as const
    const more = { version: '1', protocol: 1, tmux: null, models: [], tools: [], agentIds: [], load: 0 }
    const published = publishPresence({
      session: worker.session,
      clock,
      heartbeat: () => ({ ...facts, ...more, problem: null }),
      onProblem: (problem) => problems.push(problem),
    })
    const watch = watchPresence({ session: sender.session, clock })
    await new Promise<void>((resolve) => {
      watch.subscribe(({ workers }) => {
        if (workers.length === 1) resolve()
      })
    })
    watch.close()
    await published.close()
    expect(problems).toEqual([])
  })

  test('let a sender publish jobs and a worker take them, and never the other way round', async () => {
    const { open } = await started()
    const sender = (await open('sender')).connection
    const worker = (await open('worker')).connection
    for (const connection of [sender, worker]) {
      const store = await openJobStore(connection, createSystemClock().sleep)
      expect(store.ok || store.failure.message).toBe(true)
    }
    expect(await refusal(jetstream(sender).publish('troupe.work.r', 'x'))).toBeNull()
    expect(await refusal(jetstream(worker).publish('troupe.work.r', 'x'))).toMatch(NOT_ALLOWED)
    const route = { durable_name: 'route-r', filter_subject: 'troupe.work.r', ack_policy: AckPolicy.Explicit }
    const takeFrom = async (connection: NatsConnection) => {
      await (await jetstreamManager(connection)).consumers.add(jobNames.jobs, route)
      const consumer = await jetstream(connection).consumers.get(jobNames.jobs, 'route-r')
      const message = await consumer.next({ expires: 1000 })
      if (message === null) throw new Error('nothing taken')
      await message.ackAck()
    }
    expect(await refusal(takeFrom(sender))).toMatch(NOT_ALLOWED)
    const next = `$JS.API.CONSUMER.MSG.NEXT.${jobNames.jobs}.route-r`
    expect(await refusal(sender.request(next, '{"batch":1}', { timeout: 2000 }))).toMatch(NOT_ALLOWED)
    expect(await refusal(takeFrom(worker))).toBeNull()
    const manager = await jetstreamManager(worker)
    expect(await refusal(manager.consumers.delete(jobNames.jobs, 'route-r'))).toMatch(NOT_ALLOWED)
    // A consumer of its own would take jobs away from the others, or keep them.
    expect(await refusal(manager.consumers.add(jobNames.jobs, { ...route, durable_name: 'mine' }))).toMatch(
      /filtered consumer not unique/,
    )
    expect(await refusal(manager.consumers.add(jobNames.jobs, { durable_name: 'mine' }))).toMatch(NOT_ALLOWED)
    expect(await refusal(manager.consumers.add(jobNames.jobs, {}))).toMatch(NOT_ALLOWED)
    expect(await refusal(jetstream(worker).publish('troupe.report.s.a-1', 'x'))).toBeNull()
    expect(await refusal(jetstream(sender).publish('troupe.report.s.a-1', 'x'))).toMatch(NOT_ALLOWED)
    worker.subscribe('troupe.command.s.a-1')
    expect(await refusal(jetstream(sender).publish('troupe.command.s.a-1', 'x'))).toBeNull()
    const filter = 'troupe.command.s.a-1'
    const command = { seq: 1, next_by_subj: filter }
    expect(await refusal(manager.direct.getMessage(jobNames.commands, command))).toBeNull()
    expect(await refusal(manager.streams.purge(jobNames.commands, { filter, seq: 2 }))).toBeNull()
    expect(await refusal(jetstream(worker).publish('troupe.command.s.a-1', 'x'))).toMatch(NOT_ALLOWED)
    expect(await violation(worker, 'troupe.cancel.s.a-1')).toMatch(NOT_ALLOWED)
    expect(await violation(sender, 'troupe.live.s.a-1')).toMatch(NOT_ALLOWED)
    sender.subscribe('troupe.board.s.a-1', { callback: (_, message) => void message.respond('answer') })
    await sender.flush()
    expect((await worker.request('troupe.board.s.a-1', 'question')).string()).toBe('answer')
    expect(await violation(sender, 'troupe.board.s.a-1')).toMatch(NOT_ALLOWED)
    const announce = async (connection: NatsConnection, name: string) => {
      const bucket = await new Kvm(connection).open(name)
      await bucket.put('w-9', '{}')
    }
    expect(await refusal(announce(worker, natsNames.workers))).toBeNull()
    expect(await refusal(announce(sender, natsNames.workers))).toMatch(NOT_ALLOWED)
    expect(await refusal(announce(sender, jobNames.routes))).toBeNull()
    expect(await refusal(announce(worker, jobNames.routes))).toMatch(NOT_ALLOWED)
    expect(await refusal(announce(worker, jobNames.leases))).toBeNull()
    expect(await refusal(announce(sender, jobNames.leases))).toMatch(NOT_ALLOWED)
    // Both tell others of a rate limit.
    for (const connection of [sender, worker]) {
      const bucket = await new Kvm(connection).create(natsNames.limits)
      expect(await refusal(bucket.put('digest', '{}'))).toBeNull()
      expect((await bucket.get('digest'))?.string()).toBe('{}')
    }
  })

  test('let nobody read or write anything else', async () => {
    const { open } = await started()
    const keys = await Promise.all(['sender', 'worker'].map(async (name) => (await open(name)).connection))
    for (const connection of keys) {
      const manager = await jetstreamManager(connection)
      expect(await violation(connection, 'other.subject')).toMatch(NOT_ALLOWED)
      expect(await refusal(manager.streams.delete(natsNames.messages))).toMatch(NOT_ALLOWED)
      expect(await refusal(manager.streams.update(natsNames.messages, { max_age: 1e12 }))).toMatch(
        NOT_ALLOWED,
      )
      expect(await refusal(manager.streams.add({ name: 'mine', subjects: ['troupe.>'] }))).toMatch(
        NOT_ALLOWED,
      )
      for (const subject of ['>', '_INBOX.>', 'troupe.work.>', '$JS.>', '$SYS.>'])
        expect(String(await connection.subscribe(subject).closed), subject).toMatch(/Permissions Violation/)
    }
  })
})

withNats('credentials', () => {
  test('of a user that was added work, and those of a removed one are refused', async () => {
    const folder = join(await tempFolder(), 'nats')
    const first = await setUp(folder, { add: [{ role: 'worker', name: 'build-1' }] })
    expect(first.users.map(({ name, role }) => `${name}:${role}`)).toEqual([
      'build-1:worker',
      'sender:sender',
    ])
    const { ca } = await setUp(folder, { add: [{ role: 'sender', name: 'ana' }] })
    const before = await startSetUp(folder)
    const message = async (url: string, name: string) => {
      const credentials = join(folder, `${name}.nk`)
      const made = await connectNats({ url, credentials, ca, name: 'test' })
      if (made.ok) await made.value.close()
      return made.ok ? 'connected' : made.failure.message
    }
    for (const name of ['ana', 'sender', 'build-1']) expect(await message(before.url, name)).toBe('connected')
    await before.kill()
    const kept = await readFile(join(folder, 'ana.nk'))
    await setUp(folder, { remove: ['ana'] })
    await writeFile(join(folder, 'ana.nk'), kept, { mode: 0o600 })
    const after = await startSetUp(folder)
    expect(await message(after.url, 'build-1')).toBe('connected')
    expect(await message(after.url, 'ana')).toMatch(/refuses the credentials/)
  })
})

describe('the files of a server', () => {
  test('can be read only by their owner', async () => {
    const folder = join(await tempFolder(), 'nats')
    await setUp(folder)
    expect((await stat(folder)).mode & 0o777).toBe(0o700)
    for (const name of ['ca.key', 'server.key', 'sender.nk', 'worker.nk', 'nats-server.conf', 'setup.json'])
      expect(((await stat(join(folder, name))).mode & 0o777).toString(8), name).toBe('600')
    expect(await readFile(join(folder, 'nats-server.conf'), 'utf8')).not.toMatch(/SU[A-Z2-7]{56}/)
  })

  test('keep the authority and the users, and a new host or --renew makes a new certificate', async () => {
    const folder = join(await tempFolder(), 'nats')
    const read = async (name: string) => await readFile(join(folder, name), 'utf8')
    await setUp(folder)
    const [ca, pem, seed] = await Promise.all([read('ca.pem'), read('server.pem'), read('sender.nk')])
    expect(await setUp(folder)).toMatchObject({ renewed: false })
    expect(await read('server.pem')).toBe(pem)
    expect(await setUp(folder, { hosts: ['nats.example.org'] })).toMatchObject({
      renewed: true,
      hosts: ['127.0.0.1', 'nats.example.org'],
    })
    expect(await read('server.pem')).not.toBe(pem)
    expect(await setUp(folder, { renew: true })).toMatchObject({ renewed: true })
    expect(await read('ca.pem')).toBe(ca)
    expect(await read('sender.nk')).toBe(seed)
  })

  test.each([
    [{ add: [{ role: 'worker', name: '../up' }] }, /can’t be the name of a user/],
    [{ add: [{ role: 'worker', name: 'sender' }] }, /There is already a user sender/],
    [{ remove: ['nobody'] }, /There is no user nobody to remove\. Users: sender, worker\./],
  ] as const)('refuse %j', async (more, message) => {
    const folder = join(await tempFolder(), 'nats')
    await setUp(folder)
    await expect(setUp(folder, more)).rejects.toThrow(message)
  })

  test('that are damaged are not overwritten', async () => {
    const folder = join(await tempFolder(), 'nats')
    await setUp(folder)
    await writeFile(join(folder, 'setup.json'), '{')
    await expect(setUp(folder)).rejects.toThrow(/setup\.json is damaged.*Restore it/)
  })
})
