/** Jobs from a sender to workers over a real NATS server: each is carried out once, whatever breaks. */
import { expect, test } from 'vitest'
import { startNatsServer, withNats } from '../testing/nats-server.ts'
import { startCable } from './testing/cable.ts'
import { follow, openStore, quick, startSender, startWorker, takeCommands } from './testing/job-fixture.ts'
import { endReport, noticeReport, sampleJob, textsOf } from './testing/sample-job.ts'

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
})
