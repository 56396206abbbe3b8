/** Jobs from a sender to workers over a real NATS server: each is carried out once, whatever breaks. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { headers } from '@nats-io/transport-node'
import { expect, onTestFinished, test } from 'vitest'
import type { NewTask } from '../../../../runtime/ports/task-board.ts'
import { createTaskFiles } from '../../../teams/tasks/task-files.ts'
import { startNatsServer, withNats } from '../testing/nats-server.ts'
import { seal } from './envelope.ts'
import { jobNames, jobSubject, recordKey, senderOf } from './job-names.ts'
import { announceRoute, routeOf } from './job-routes.ts'
import { startCable } from './testing/cable.ts'
import {
  follow,
  openStore,
  plainOffer,
  quick,
  startSender,
  startWorker,
  takeCommands,
  temporaryFolder,
} from './testing/job-fixture.ts'
import { endReport, noticeReport, sampleJob, textsOf } from './testing/sample-job.ts'

const one = { ...plainOffer, workerId: 'w-one', host: 'one' }

withNats('jobs over NATS', () => {
  test('a job reaches a worker, its reports return in order, and its end once', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    const job = sampleJob('a-1')
    expect(await sender.link.submit(job)).toEqual({ ok: true, value: undefined })
    const followed = follow(sender.link, job)
    const taken = await worker.next()
    expect(taken).toMatchObject({ job, epoch: 0, earlier: [] })
    for (const seq of [0, 1, 2]) await taken.report(noticeReport(taken, seq, `note ${seq}`))
    await taken.report(endReport(taken, 3, 'found'))
    await taken.done()
    expect(await followed.end).toMatchObject({ kind: 'ended', report: { event: { report: 'found' } } })
    expect(textsOf(followed.reports)).toEqual(['note 0', 'note 1', 'note 2'])
    expect(followed.notes).toEqual(['running one: '])
    expect(sender.outboxSize()).toBe(0)
    // A program that comes back reads what it does not have, and the end again.
    const again = follow(sender.link, job, 2)
    expect(await again.end).toMatchObject({ kind: 'ended' })
    expect(textsOf(again.reports)).toEqual(['note 2'])
    expect(worker.count()).toBe(1)
  })

  test('a worker that lacks what a job needs leaves it to another one, and says why if there is none', async () => {
    const { url } = await startNatsServer()
    const mac = { ...plainOffer, workerId: 'w-mac', host: 'mac', platform: 'darwin' }
    const box = { ...plainOffer, workerId: 'w-box', host: 'box' }
    const sender = await startSender(await openStore(url), { workers: [mac] })
    const trusted = [sender.key.publicKey]
    const needing = (agentId: string, platform: 'linux' | 'windows') => {
      const job = sampleJob(agentId)
      const events = job.events.map((event) =>
        event.type === 'agent-spawned' ? { ...event, platform } : event,
      )
      return { ...job, events }
    }
    const job = needing('a-1', 'linux')
    const sent = await startSender(await openStore(url), { folder: sender.folder })
    await sent.link.submit(job)
    const onMac = startWorker(await openStore(url), { trusted, name: 'mac', offer: mac })
    const onBox = startWorker(await openStore(url), { trusted, name: 'box', offer: box })
    const taken = await onBox.next()
    await taken.report(endReport(taken, 0, 'found'))
    await taken.done()
    expect(await follow(sent.link, job).end).toMatchObject({ kind: 'ended' })
    const nobody = needing('a-2', 'windows')
    await sent.link.submit(nobody)
    await sent.link.close()
    const both = await startSender(await openStore(url), { folder: sender.folder, workers: [mac, box] })
    const followed = follow(both.link, nobody)
    const end = await followed.end
    expect(followed.notes.at(-1)).toMatch(/mac runs macos.* The job waits a little for another worker/)
    expect(end).toMatchObject({
      kind: 'refused',
      message: expect.stringContaining('mac runs macos, and the job needs windows; box runs linux'),
    })
    expect(onMac.count()).toBe(0)
    expect(onBox.count()).toBe(1)
  })

  test('a job waits while no worker is connected, and its agent says so', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url), { workers: [] })
    const job = sampleJob('a-1')
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    await followed.noted(/^waiting -: No remote worker is connected, so the job waits for one\. Start one/)
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    const taken = await worker.next()
    await taken.report(endReport(taken, 0, 'found'))
    await taken.done()
    expect(await followed.end).toMatchObject({ kind: 'ended' })
  })

  test('a job that no worker can take is refused before it is queued', async () => {
    const sender = await startSender(null, {
      workers: [{ ...plainOffer, workerId: 'w-1', host: 'old', protocol: 2 }],
    })
    expect(await sender.link.submit(sampleJob('a-1'))).toMatchObject({
      ok: false,
      failure: {
        message:
          'No connected worker can take this job: old has version 0 with protocol 2, and the job has protocol 3. Install the same version of Troupe on both machines.',
      },
    })
    expect(sender.outboxSize()).toBe(0)
  })

  test('several workers share a queue, and each job is carried out once', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const trusted = [sender.key.publicKey]
    const workers = []
    for (const name of ['one', 'two', 'three'])
      workers.push(startWorker(await openStore(url), { trusted, name, policy: { maxJobs: 1 } }))
    for (const worker of workers)
      void (async () => {
        for (;;) {
          const taken = await worker.next()
          await taken.report(endReport(taken, 0, taken.job.agentId))
          await taken.done()
        }
      })()
    const jobs = Array.from({ length: 12 }, (_, index) => sampleJob(`a-${index}`))
    for (const job of jobs) await sender.link.submit(job)
    const ends = await Promise.all(jobs.map((job) => follow(sender.link, job).end))
    expect(ends.map((end) => end.kind === 'ended' && end.report.event.report)).toEqual(
      jobs.map(({ agentId }) => agentId),
    )
    expect(workers.reduce((sum, worker) => sum + worker.count(), 0)).toBe(12)
  })

  test('a job costs as many messages among many as among few, and leaves no consumer', async () => {
    const { url } = await startNatsServer()
    // No lease is renewed meanwhile, however slow the machine is.
    const patient = { ...quick, leaseTtl: 400_000, ackWait: 500_000 }
    const stores = [await openStore(url, patient), await openStore(url, patient)] as const
    const sender = await startSender(stores[0])
    const worker = startWorker(stores[1], { trusted: [sender.key.publicKey] })
    void (async () => {
      for (;;) {
        const taken = await worker.next()
        await taken.report(endReport(taken, 0, 'found'))
        await taken.done()
      }
    })()
    const messages = () =>
      stores
        .map(({ connection }) => connection.stats())
        .reduce((sum, { inMsgs, outMsgs }) => sum + inMsgs + outMsgs, 0)
    const consumers = async () => {
      const found = []
      for (const name of Object.values(jobNames))
        for (const stream of [name, `KV_${name}`])
          found.push(
            ...(await stores[0].jsm.consumers
              .list(stream)
              .next()
              .catch(() => [])),
          )
      return found
    }
    /** The messages of so many jobs that are outstanding together. */
    const costOf = async (round: string, count: number) => {
      const before = messages()
      const jobs = Array.from({ length: count }, (_, index) => sampleJob(`a-${round}-${index}`))
      await Promise.all(jobs.map((job) => sender.link.submit(job)))
      await Promise.all(jobs.map((job) => follow(sender.link, job).end))
      const cost = messages() - before
      // The past of a job is read with a consumer of its own.
      for (const job of jobs.slice(0, 3)) await follow(sender.link, job).end
      return cost
    }
    await costOf('first', 1)
    const [few, before] = [await costOf('few', 15), await consumers()]
    const [many, after] = [await costOf('many', 60), await consumers()]
    expect(many / few).toBeLessThan(4.4)
    expect(after.length).toBe(before.length)
    // Reports, records, leases; the route, and the worker's look at the routes.
    expect(after).toHaveLength(5)
    // Those of a program that is gone are removed by the server, also the ones that it could name.
    const kept = after.map(({ config }) => (config.inactive_threshold ?? 0) / 1e6)
    expect(kept.filter((ms) => ms === 0 || ms > 300_000)).toEqual([quick.idleRoute])
  })

  test('a job of an earlier version, whose worker reports elsewhere, ends with what to do', async () => {
    const { url } = await startNatsServer()
    const store = await openStore(url)
    const sender = await startSender(null)
    const job = sampleJob('a-1', { protocol: 2 })
    await sender.link.submit(job)
    sender.connect(store)
    expect(await follow(sender.link, job).end).toMatchObject({
      kind: 'gone',
      message: expect.stringMatching(/sent by an earlier version of Troupe.*Resume the agent/),
    })
    await sender.emptied()
    const { messages } = (await store.jsm.streams.info(jobNames.jobs)).state
    expect(messages).toBe(0)
    // A worker of that version that has the job learns that it is canceled.
    expect((await store.records.get('job.j-a-1'))?.json()).toMatchObject({ state: 'canceled' })
  })

  test('a cut-off worker stops by itself, its late reports are refused, and another one continues', async () => {
    const { url, port } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const trusted = [sender.key.publicKey]
    const cable = await startCable(port)
    const cutOff = startWorker(await openStore(cable.url), { trusted, name: 'cut' })
    const job = sampleJob('a-1')
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    const first = await cutOff.next()
    await first.report(noticeReport(first, 0, 'before the cut'))
    await followed.arrived(1)
    cable.cut()
    const late = first.report(noticeReport(first, 1, 'after the cut'))
    const lost = new Promise((resolve) => first.lost.addEventListener('abort', resolve, { once: true }))
    const other = startWorker(await openStore(url), { trusted, name: 'other' })
    await lost
    expect(await late).toMatchObject({ ok: false, failure: { type: 'lost' } })
    const second = await other.next()
    expect(second.epoch).toBeGreaterThan(first.epoch)
    expect(textsOf(second.earlier)).toEqual(['before the cut'])
    await cable.join()
    expect(await first.report(noticeReport(first, 1, 'after the return'))).toMatchObject({ ok: false })
    await first.done()
    await second.report(noticeReport(second, 1, 'continued'))
    await second.report(endReport(second, 2, 'found'))
    await second.done()
    expect(await followed.end).toMatchObject({ kind: 'ended', report: { epoch: second.epoch } })
    expect(textsOf(followed.reports)).toEqual(['before the cut', 'continued'])
    expect(followed.notes.at(-1)).toBe('running other: other continues what cut began.')
    expect(cutOff.count() + other.count()).toBe(2)
  })

  test('a job leaves when NATS is there, also after the program was started again', async () => {
    const first = await startSender(null)
    const job = sampleJob('a-1')
    expect(await first.link.submit(job)).toEqual({ ok: true, value: undefined })
    await first.link.send('a-1', { type: 'pause', paused: true })
    const followed = follow(first.link, job)
    expect(followed.notes).toEqual([
      'waiting -: There is no connection to NATS. The job is kept on this disk and sent as soon as there is one.',
    ])
    expect(first.outboxSize()).toBe(2)
    followed.abort()
    expect(await followed.end).toEqual({ kind: 'aborted' })
    await first.link.close()
    const { url } = await startNatsServer()
    const store = await openStore(url)
    const second = await startSender(store, { folder: first.folder })
    expect(await second.link.isAlive(job)).toBe(true)
    const again = follow(second.link, job)
    const worker = startWorker(await openStore(url), { trusted: [second.key.publicKey] })
    const taken = await worker.next()
    expect(await takeCommands(taken, 1)).toEqual([{ type: 'pause', paused: true }])
    await taken.report(endReport(taken, 0, 'found'))
    await taken.done()
    expect(await again.end).toMatchObject({ kind: 'ended' })
    expect(worker.count()).toBe(1)
  })

  test('a server that is killed loses nothing: what it forgot is sent again, once', async () => {
    const server = await startNatsServer()
    // The lease must outlast the restarts, which take longer on a busy machine.
    const patient = { ...quick, leaseTtl: 40_000, ackWait: 60_000 }
    const sender = await startSender(await openStore(server.url, patient))
    const worker = startWorker(await openStore(server.url, patient), { trusted: [sender.key.publicKey] })
    const job = sampleJob('a-1')
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    const taken = await worker.next()
    const texts: string[] = []
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 20; index++) {
        texts.push(`note ${texts.length}`)
        await taken.report(noticeReport(taken, texts.length - 1, texts.at(-1) ?? ''))
      }
      await server.kill()
      await server.start()
    }
    await followed.arrived(60)
    await taken.report(endReport(taken, 60, 'found'))
    await taken.done()
    expect(await followed.end).toMatchObject({ kind: 'ended' })
    expect(textsOf(followed.reports)).toEqual(texts)
    expect(taken.lost.aborted).toBe(false)
  })

  test('a server whose disk is full in the middle of a job is named at both sides, and the job goes on afterwards', async () => {
    const server = await startNatsServer({
      config: (folder) => `jetstream { store_dir: "${folder}/js", max_file_store: 8MB }`,
      jetStream: false,
    })
    const patient = { ...quick, leaseTtl: 40_000, ackWait: 60_000 }
    const store = await openStore(server.url, patient)
    const sender = await startSender(store)
    const worker = startWorker(await openStore(server.url, patient), { trusted: [sender.key.publicKey] })
    const [job, later] = [sampleJob('a-1'), sampleJob('a-2')]
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    const taken = await worker.next()
    await taken.report(noticeReport(taken, 0, 'before'))
    await followed.arrived(1)
    const fill = { name: 'fill', subjects: ['fill'] }
    await store.jsm.streams.add(fill)
    const isStored = () =>
      store.js.publish('fill', new Uint8Array(10_000)).then(
        () => true,
        () => false,
      )
    while (await isStored());
    const late = taken.report(noticeReport(taken, 1, 'x'.repeat(100_000)))
    const full = /reports of a-1 can’t be stored: the NATS server is full.*Free space there/
    await worker.told(full)
    await followed.noted(/^running one: one: The reports of a-1 can’t be stored: the NATS server is full/)
    const waiting = follow(sender.link, later)
    void sender.link.submit({ ...later, outputFolder: 'x'.repeat(100_000) })
    await waiting.noted(
      /^waiting -: The job or message can’t be sent: the NATS server is full.* kept on this disk/,
    )
    await store.jsm.streams.delete('fill')
    expect(await late).toEqual({ ok: true, value: undefined })
    await taken.report(endReport(taken, 2, 'found'))
    await taken.done()
    expect(await followed.end).toMatchObject({ kind: 'ended' })
    expect(followed.notes).toContain('running one: one continues.')
    expect(taken.lost.aborted).toBe(false)
    expect((await worker.next()).job.agentId).toBe('a-2')
  })

  test('a queued job that is canceled never starts, also without a connection', async () => {
    const { url } = await startNatsServer()
    const store = await openStore(url)
    const sender = await startSender(store)
    const offline = await startSender(null)
    for (const [{ link }, agentId] of [
      [sender, 'a-1'],
      [offline, 'a-2'],
    ] as const) {
      const job = sampleJob(agentId)
      await link.submit(job)
      const followed = follow(link, job)
      await link.send(agentId, { type: 'stop', jobId: job.jobId })
      expect(await followed.end).toEqual({ kind: 'aborted' })
    }
    offline.connect(store)
    const last = sampleJob('a-3')
    await sender.link.submit(last)
    const followed = follow(sender.link, last)
    const trusted = [sender.key.publicKey, offline.key.publicKey]
    const worker = startWorker(await openStore(url), { trusted, policy: { maxJobs: 1 } })
    const taken = await worker.next()
    expect(taken.job.agentId).toBe('a-3')
    await taken.report(endReport(taken, 0, 'found'))
    await taken.done()
    expect(await followed.end).toMatchObject({ kind: 'ended' })
    expect(worker.count()).toBe(1)
    expect([sender.outboxSize(), offline.outboxSize()]).toEqual([0, 0])
  })

  test('a running job that is canceled receives the stop before what waits in its queue', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    const job = sampleJob('a-1')
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    const taken = await worker.next()
    await followed.worker('running')
    await sender.link.send('a-1', { type: 'stop', jobId: job.jobId })
    await sender.link.send('a-1', { type: 'pause', paused: true })
    expect(await takeCommands(taken, 2)).toContainEqual({ type: 'stop', jobId: job.jobId })
    await taken.report(endReport(taken, 0, 'stopped'))
    await taken.done()
    expect(await followed.end).toMatchObject({ kind: 'ended' })
  })

  test('workers that are ended on purpose give the job back, which is no failed attempt', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const trusted = [sender.key.publicKey]
    const jobs = [sampleJob('a-1'), sampleJob('a-2')] as const
    const [first, second] = jobs
    await sender.link.submit(first)
    const followed = follow(sender.link, first)
    // One more than workers may fail.
    for (const name of ['1', '2', '3', '4', '5', '6']) {
      const worker = startWorker(await openStore(url), { trusted, name })
      await worker.next()
      await worker.stop()
    }
    expect(followed.notes.at(-1)).toBe('waiting -: 6: The worker was ended. Another attempt follows.')
    const last = startWorker(await openStore(url), { trusted, name: 'last', policy: { maxJobs: 1 } })
    const taken = await last.next()
    await sender.link.submit(second)
    await taken.report(endReport(taken, 0, 'found'))
    await taken.done()
    expect(await followed.end).toMatchObject({ kind: 'ended' })

    // A job that was given back and is canceled then has no worker that could report its end.
    const canceled = follow(sender.link, second)
    await last.next()
    await canceled.worker('running')
    await last.stop()
    await canceled.worker('waiting')
    await sender.link.send('a-2', { type: 'stop', jobId: second.jobId })
    expect(await canceled.end).toEqual({ kind: 'aborted' })
  })

  test('a message that is withdrawn before it left does not leave; later ones do', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(null)
    await sender.link.submit(sampleJob('a-1'))
    const message = (messageId: string) => ({
      type: 'message' as const,
      messageId,
      from: 'user' as const,
      sender: null,
      content: [{ type: 'text' as const, text: messageId }],
    })
    await sender.link.send('a-1', message('m-1'))
    await sender.link.send('a-1', message('m-2'))
    await sender.link.send('a-1', { type: 'withdraw', messageId: 'm-1' })
    sender.connect(await openStore(url))
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    const taken = await worker.next()
    const withdraw = { type: 'withdraw', messageId: 'm-1' }
    expect(await takeCommands(taken, 3)).toEqual([withdraw, message('m-2'), withdraw])
  })

  test('a command that was not carried out goes to the next worker, in order and once', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    await sender.link.submit(sampleJob('a-1'))
    const taken = await worker.next()
    const pauses = [true, false, true].map((paused) => ({ type: 'pause' as const, paused }))
    for (const pause of pauses) await sender.link.send('a-1', pause)
    // The second one was handed out but not followed by a demand for the next one.
    expect(await takeCommands(taken, 2)).toEqual(pauses.slice(0, 2))
    await taken.giveBack({ message: 'Going home', forGood: false })
    const second = await worker.next()
    expect(await takeCommands(second, 2)).toEqual(pauses.slice(1))
  })

  test('a change of mode, limits and model that the sender makes later is lowered to the policy', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const policy = { usdPerJob: 2, models: ['claude-test'] }
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey], policy })
    await sender.link.submit(sampleJob('a-1'))
    const taken = await worker.next()
    await sender.link.send('a-1', {
      type: 'changed',
      permissionMode: 'bypassPermissions',
      neverAsks: false,
      limits: { tokens: null, usd: 50, ms: null, spawns: null },
      model: 'claude-dear',
      effort: null,
      thinking: null,
    })
    expect(await takeCommands(taken, 1)).toMatchObject([
      { permissionMode: 'acceptEdits', limits: { usd: 2 }, model: 'claude-test' },
    ])
  })

  test('commands arrive after the server has forgotten what was carried out, and after the sender lost its files', async () => {
    const { url } = await startNatsServer()
    const store = await openStore(url)
    const sender = await startSender(store)
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    const job = sampleJob('a-1')
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    const taken = await worker.next()
    await followed.worker('running')
    const pause = (paused: boolean) => ({ type: 'pause' as const, paused })
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const commands = taken.commands(stop.signal)[Symbol.asyncIterator]()
    const next = async () => (await commands.next()).value
    await sender.link.send('a-1', pause(true))
    await sender.link.send('a-1', pause(false))
    expect([await next(), await next()]).toEqual([pause(true), pause(false)])
    const third = next()
    await sender.emptied()
    await store.jsm.streams.purge('KV_troupe-job-records', { filter: '$KV.troupe-job-records.*.commands.>' })
    await sender.link.send('a-1', pause(true))
    expect(await third).toEqual(pause(true))
    const fourth = next()
    await sender.emptied()
    await sender.link.close()
    await rm(join(sender.folder, 'outbox', 'commands'), { recursive: true })
    const again = await startSender(store, { folder: sender.folder })
    await again.link.send('a-1', { type: 'answer', requestId: 'p-9', answer: { decision: 'allow-once' } })
    expect(await fourth).toMatchObject({ requestId: 'p-9' })
  })

  test('jobs that nobody may carry out are refused, and the sender is told why', async () => {
    const { url } = await startNatsServer()
    const store = await openStore(url)
    const sender = await startSender(store, { workers: [one] })
    const stranger = await startSender(store, { workers: [one] })
    const late = await startSender(store, {
      workers: [one],
      folder: sender.folder,
      now: () => Date.now() - 3_600_000,
    })
    const worker = startWorker(await openStore(url), {
      trusted: [sender.key.publicKey],
      policy: { models: ['claude-haiku*'], repositories: ['github.com/us/*'] },
    })
    const repository = {
      id: 'f00',
      url: 'https://github.com/them/code',
      branch: 'b',
      head: 'c',
      commit: 'c',
      bundles: [],
    }
    const spawned = (model: string) => {
      const { events } = sampleJob('a-5')
      return events.map((event) => (event.type === 'agent-spawned' ? { ...event, model } : event))
    }
    const refusals = [
      [stranger, sampleJob('a-1'), 'does not trust the sender’s key'],
      [sender, sampleJob('a-3'), 'does not allow the model claude-test'],
      [
        sender,
        sampleJob('a-4', { repository }),
        'does not allow the repository https://github.com/them/code',
      ],
      [
        late,
        sampleJob('a-5', { events: spawned('claude-haiku-9') }),
        '60 minutes before it reached the NATS server',
      ],
    ] as const
    for (const [{ link }, job, why] of refusals) {
      await link.submit(job)
      const end = await follow(link, job).end
      expect(end).toMatchObject({ kind: 'refused', message: expect.stringContaining(why) })
      await link.send(job.agentId, { type: 'stop', jobId: job.jobId })
    }
    expect(worker.count()).toBe(0)
  })

  test('a job that is not signed, or was changed on its way, is refused', async () => {
    const { url } = await startNatsServer()
    const store = await openStore(url)
    const sender = await startSender(store, { workers: [one] })
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    const job = sampleJob('a-1')
    const about = headers()
    about.set('Troupe-Job', job.jobId)
    about.set('Troupe-Agent', job.agentId)
    about.set('Troupe-Sender', senderOf(sender.key.publicKey))
    const route = routeOf(job)
    if (route === null) throw new Error('no route')
    await announceRoute(store, route)
    const subject = jobSubject(route.name)
    const sealed = await seal({ subject, content: job, sentAt: Date.now() }, { key: sender.key, store })
    const changed = new TextDecoder().decode(sealed).replace('Find the clock', 'Erase the disk')
    for (const [message, why] of [
      [JSON.stringify({ text: JSON.stringify(job) }), 'The job is not signed'],
      [changed, 'The signature of the job is wrong'],
    ] as const) {
      await store.records.purge(recordKey({ sender: senderOf(sender.key.publicKey), jobId: job.jobId }))
      await store.js.publish(subject, message, { headers: about })
      const followed = follow(sender.link, job)
      expect(await followed.end).toMatchObject({ kind: 'refused', message: expect.stringContaining(why) })
    }
    expect(worker.count()).toBe(0)
  })

  test('a worker that is ended gives its job to another one, which knows what was reported', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const trusted = [sender.key.publicKey]
    const first = startWorker(await openStore(url), { trusted, name: 'first' })
    const job = sampleJob('a-1')
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    const begun = await first.next()
    await begun.report(noticeReport(begun, 0, 'half'))
    await first.stop()
    const second = startWorker(await openStore(url), { trusted, name: 'second' })
    const continued = await second.next()
    expect(textsOf(continued.earlier)).toEqual(['half'])
    await continued.report(endReport(continued, 1, 'whole'))
    await continued.done()
    expect(await followed.end).toMatchObject({ kind: 'ended' })
    expect(followed.notes).toContain('waiting -: first: The worker was ended. Another attempt follows.')
  })

  test('a job at which workers fail again and again is refused with the last problem', async () => {
    const { url } = await startNatsServer()
    const sender = await startSender(await openStore(url))
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    const job = sampleJob('a-1')
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    for (let attempt = 1; attempt <= 5; attempt++) {
      const taken = await worker.next()
      await taken.report(noticeReport(taken, attempt - 1, `attempt ${attempt}`))
      await taken.giveBack({ message: `broken pipe ${attempt}`, forGood: false })
    }
    expect(await followed.end).toEqual({
      kind: 'refused',
      message: '5 workers failed at the job; the last one: one: broken pipe 5',
    })
    expect(textsOf(followed.reports)).toHaveLength(5)
    expect(worker.count()).toBe(5)
  })

  test('a remote agent writes to others and works with the task list of its conversation', async () => {
    const { url } = await startNatsServer()
    const folder = await temporaryFolder()
    const board = createTaskFiles({ folder, onProblem: () => {} })
    const sender = await startSender(await openStore(url), { board })
    const worker = startWorker(await openStore(url), { trusted: [sender.key.publicKey] })
    const job = sampleJob('a-1')
    await sender.link.submit(job)
    const followed = follow(sender.link, job)
    const taken = await worker.next()
    await followed.worker('running')
    const made = await taken.board.create('ignored', newTask)
    if (!made.ok) throw new Error(made.failure.message)
    const claim = { ...made.value, owner: 'a-1', status: 'in_progress' as const, version: 2 }
    expect(await taken.board.update('ignored', claim)).toEqual({ ok: true, value: claim })
    expect(await taken.board.update('ignored', claim)).toMatchObject({ failure: { type: 'changed' } })
    expect(await board.list(job.conversationId)).toEqual(await taken.board.list('ignored'))
    const message = { messageId: 'm-9', to: 'a-2', sender: 'a-1', content: [], at: 1 }
    expect((await taken.mail(message)).ok).toBe(true)
    await taken.report(endReport(taken, 0, 'found'))
    await taken.done()
    await followed.end
    expect(sender.mail).toEqual([message])
    await sender.link.close()
    expect(await taken.board.list('ignored')).toMatchObject({
      failure: { type: 'io', message: expect.stringContaining('can’t be reached') },
    })
  })
})

const newTask: NewTask = {
  teamId: null,
  subject: 'Find the clock',
  description: '',
  status: 'pending',
  owner: null,
  dependsOn: [],
  createdBy: null,
  createdAt: 1,
  claimedAt: null,
  endedAt: null,
}
