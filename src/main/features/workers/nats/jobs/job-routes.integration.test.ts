/** Which routes a worker asks for jobs, on a clock that the test advances. */
import { expect, onTestFinished, test } from 'vitest'
import { createHandClock } from '../../../../runtime/testing/hand-clock.ts'
import { startNatsServer, withNats } from '../testing/nats-server.ts'
import { jobNames, jobSubject } from './job-names.ts'
import { announceRoute, routeOf, takeFromRoutes } from './job-routes.ts'
import { openStore, quick } from './testing/job-fixture.ts'
import { sampleJob } from './testing/sample-job.ts'

const MINUTE = 60_000

withNats('a worker', () => {
  test('no longer asks a route that was idle for an hour, until it has a job again', async () => {
    const { url } = await startNatsServer()
    const opened = await openStore(url, { ...quick, requestTime: 1000 })
    const hand = createHandClock()
    const store = { ...opened, sleep: hand.clock.sleep }
    const end = new AbortController()
    onTestFinished(() => end.abort())
    const route = routeOf(sampleJob('a-1'))
    if (route === null) throw new Error('no route')
    await announceRoute(store, route)
    const routed = takeFromRoutes({ store, signal: end.signal, onProblem: () => {} })
    const taken: string[] = []
    void (async () => {
      while (!end.signal.aborted) {
        const message = await routed.next().catch(() => null)
        if (message === null) continue
        taken.push(message.string())
        message.ack()
      }
    })()
    const name = `route-${route.name}`
    const waiting = () =>
      store.jsm.consumers.info(jobNames.jobs, name).then(
        ({ num_waiting }) => num_waiting,
        () => 0,
      )
    const until = async (isTrue: () => Promise<boolean>) => {
      while (!(await isTrue())) await hand.until(hand.clock.now() + 1)
    }
    await until(async () => (await waiting()) === 1)
    await store.js.publish(jobSubject(route.name), 'first')
    await until(async () => taken.length === 1)
    const pass = async (minutes: number) => {
      for (let minute = 0; minute < minutes; minute++) {
        await hand.until(hand.clock.now() + MINUTE)
        // The worker's look needs an answer of the server.
        await store.jsm.streams.info(jobNames.jobs)
      }
    }
    await pass(90)
    await until(async () => (await waiting()) === 0)
    // Long enough for the next request, if there were one.
    const seen = []
    for (let look = 0; look < 5; look++) {
      await hand.until(hand.clock.now() + 1000)
      seen.push(await waiting())
    }
    expect(seen).toEqual([0, 0, 0, 0, 0])
    await store.js.publish(jobSubject(route.name), 'second')
    expect(taken).toEqual(['first'])
    await pass(15)
    await until(async () => taken.length === 2)
    expect(taken).toEqual(['first', 'second'])
  })
})
