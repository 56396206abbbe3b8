/** The lease of an agent while its server is away, on a clock that the test advances. */
import { expect, test } from 'vitest'
import { createHandClock, type HandClock } from '../../../../runtime/testing/hand-clock.ts'
import { startNatsServer, withNats } from '../testing/nats-server.ts'
import { defaultJobSettings, type JobStore } from './job-store.ts'
import { takeLease } from './lease.ts'
import { openStore } from './testing/job-fixture.ts'

const ttl = defaultJobSettings.leaseTtl
const wanted = { sender: 's', agentId: 'a-1', jobId: 'j-1', epoch: 0 }

async function take(store: JobStore, { clock }: HandClock) {
  let renewals = 0
  let changed = () => {}
  const lease = await takeLease(
    wanted,
    {
      ...{ leases: store.leases, workerId: 'w-1', ttl, elapsed: clock.now, sleep: clock.sleep },
      onReconnect: store.onReconnect,
      onTrouble(problem) {
        if (problem !== null) return
        renewals++
        changed()
      },
    },
    new AbortController().signal,
  )
  if (lease === null) throw new Error('The lease is not free.')
  return {
    lease,
    renewals: () => renewals,
    /** Resolves when the lease is renewed the next time. */
    renewed: () =>
      new Promise<void>((resolve) => {
        changed = resolve
      }),
  }
}

withNats('a lease', () => {
  test('outlasts a server that is away for eight seconds, and is renewed at once when it is back', async () => {
    const server = await startNatsServer()
    const store = await openStore(server.url)
    const hand = createHandClock()
    const { lease, renewed, renewals } = await take(store, hand)
    const first = renewed()
    await hand.until(ttl / 5)
    await first
    // The server goes just before the next renewal.
    await hand.until(ttl / 5 + 3900)
    await server.kill()
    const back = ttl / 5 + 3900 + 8000
    await hand.until(back)
    expect(lease.lost.aborted).toBe(false)
    const connected = new Promise<void>((resolve) => void store.onReconnect(resolve))
    await server.start()
    await connected
    // The server may still read its files when the first attempt arrives.
    for (let at = back; renewals() === 1 && !lease.lost.aborted; at += 100) {
      await hand.until(at)
      await store.leases.get('s.a-1').catch(() => null)
    }
    expect(lease.lost.aborted).toBe(false)
    const next = renewed()
    await hand.until(back + ttl / 2)
    await next
    await hand.until(back + ttl - 5000)
    expect(lease.lost.aborted).toBe(false)
    await lease.release()
  })

  test('is lost at its end without an answer of the server', async () => {
    const server = await startNatsServer()
    const hand = createHandClock()
    const { lease } = await take(await openStore(server.url), hand)
    await server.kill()
    await hand.until(ttl - 1)
    expect(lease.lost.aborted).toBe(false)
    await hand.until(ttl)
    expect(lease.lost.aborted).toBe(true)
  })

  test('of a worker that is gone is free for another one only after it was not renewed for its whole time', async () => {
    const server = await startNatsServer()
    const store = await openStore(server.url)
    const gone = createHandClock()
    await take(store, gone)
    const hand = createHandClock()
    let isTaken = false
    const taking = take(store, hand).then(({ lease }) => {
      isTaken = true
      return lease
    })
    while (hand.sleepers === 0) await store.leases.get('s.a-1')
    for (let at = 0; at < ttl; at += ttl / 5) {
      expect(isTaken).toBe(false)
      await hand.until(at)
      // The look at the lease is an answer of the server.
      while (hand.sleepers === 0) await store.leases.get('s.a-1')
    }
    expect(isTaken).toBe(false)
    await hand.until(ttl)
    expect((await taking).epoch).toBe(1)
  })
})
