/** Programs with the same key share its rate limits over a real NATS server; and how long the server keeps what. */

import { randomUUID } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { expect, onTestFinished, test } from 'vitest'
import type { ModelAccess } from '../../../../shared/models/model-access.ts'
import { createSystemClock } from '../../../platform/system/machine-time.ts'
import { createSharedLimits } from './shared-limits.ts'
import { natsNames } from './subjects.ts'
import { startNatsServer, withNats } from './testing/nats-server.ts'
import { openTestSession, ready } from './testing/session.ts'

const withKey = (key: string): ModelAccess => ({ kind: 'api', key, baseUrl: '' })
const KEY = 'sk-secret-one'

/** `now`: a clock that is wrong by so many ms. */
function program(url: string, access: () => ModelAccess, wrongBy = 0) {
  const { sleep } = createSystemClock()
  const clock = { now: () => Date.now() + wrongBy, sleep }
  const problems: string[] = []
  const session = openTestSession(url, { clock })
  const limits = createSharedLimits({
    session,
    clock,
    self: randomUUID(),
    access,
    onProblem: (text) => problems.push(text),
  })
  onTestFinished(() => limits.close())
  const heard: number[] = []
  const waiting = new Set<() => void>()
  limits.subscribe((until) => {
    heard.push(until)
    for (const look of [...waiting]) look()
  })
  const next = (count: number) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (heard.length >= count) resolve()
      }
      waiting.add(look)
      look()
    })
  return { limits, session, heard, next, problems, clock }
}

withNats('rate limits', () => {
  test('reach the programs with the same key, at their own clocks, and nobody else', async () => {
    const { url } = await startNatsServer()
    let access = withKey('sk-other')
    const refused = program(url, () => withKey(KEY))
    const same = program(url, () => withKey(KEY), 20_000)
    const other = program(url, () => access)
    await Promise.all([refused, same, other].map(({ session }) => ready(session)))
    const until = Date.now() + 60_000
    refused.limits.publish(until)
    await same.next(1)
    // The clock of the second program is 20 s ahead.
    expect(Math.abs((same.heard[0] ?? 0) - (until + 20_000))).toBeLessThan(2000)
    // One that starts later, or gets the key later, learns of it as well.
    const late = program(url, () => withKey(KEY))
    await late.next(1)
    expect(Math.abs((late.heard[0] ?? 0) - until)).toBeLessThan(2000)
    expect(other.heard).toEqual([])
    access = withKey(KEY)
    other.limits.keyChanged()
    await other.next(1)
    // A program does not hear itself.
    expect(refused.heard).toEqual([])
    const link = refused.session.link()
    if (link === null) throw new Error('no connection')
    const bucket = await new Kvm(link.connection).open(natsNames.limits)
    const names: string[] = []
    for await (const name of await bucket.keys()) names.push(name)
    expect(names).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/)])
    expect((await bucket.get(names[0] ?? ''))?.string()).not.toContain('secret')
    expect([refused, same, other, late].flatMap(({ problems }) => problems)).toEqual([])
  })

  test('that were told without a connection are shared with the next one, while they last', async () => {
    const server = await startNatsServer()
    const refused = program(server.url, () => withKey(KEY))
    await ready(refused.session)
    await server.kill()
    refused.limits.publish(Date.now() + 120_000)
    await server.start()
    const late = program(server.url, () => withKey(KEY))
    await late.next(1)
    expect(late.heard[0]).toBeGreaterThan(Date.now() + 60_000)
  })
})

withNats('the server', () => {
  test('keeps messages and files for as long and as much as the settings say; a worker changes nothing', async () => {
    const { url } = await startNatsServer()
    const limitsOf = async (streams?: { keep: number; fileBytes: number }) => {
      const session = openTestSession(url, streams ? { streams } : {})
      await ready(session)
      const link = session.link()
      if (link === null) throw new Error('no connection')
      const manager = await jetstreamManager(link.connection)
      const [files, mail] = await Promise.all(
        [`OBJ_${natsNames.objects}`, natsNames.messages].map((name) => manager.streams.info(name)),
      )
      return [files?.config.max_age, files?.config.max_bytes, mail?.config.max_age].map((value) =>
        (value ?? 0) > 1e12 ? (value ?? 0) / 1e6 : value,
      )
    }
    const DAY = 86_400_000
    expect(await limitsOf()).toEqual([7 * DAY, -1, 7 * DAY])
    expect(await limitsOf({ keep: 3 * DAY, fileBytes: 50_000_000 })).toEqual([3 * DAY, 50_000_000, 3 * DAY])
    expect(await limitsOf()).toEqual([3 * DAY, 50_000_000, 3 * DAY])
  })
})
