import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { callsOf, grown } from '../../runtime/testing/count-calls.ts'
import { echo } from '../../runtime/testing/scripts.ts'
import { createTestRuntime } from '../../runtime/testing/test-runtime.ts'
import { type Work, workOf } from './testing/count-work.ts'
import { openStore } from './testing/open-store.ts'
import { sampleEvents } from './testing/sample-events.ts'

/** A conversation whose main agent said this often something of 1 KB; its snapshot is gone, as after an upgrade. */
async function conversationOf(notices: number) {
  const disk = await openStore()
  await disk.write('c-1', sampleEvents('a-1', notices, 1024))
  await rm(join(disk.dataFolder, 'tasks', 'a-1', 'state.json'))
  return { ...disk, size: (await stat(disk.transcript('a-1'))).size }
}

test('a list of four times the conversations takes four times the work, however long they are', async () => {
  const listed = async (conversations: number) => {
    const { store, write } = await openStore()
    for (let at = 0; at < conversations; at++) await write(`c-${at}`, sampleEvents(`a-${at}`, 200))
    await store.list()
    const { runtime } = createTestRuntime({ ports: { store }, script: echo })
    const work = await workOf(async () => expect(await runtime.conversations()).toHaveLength(conversations))
    return { ...work, calls: await callsOf(() => runtime.conversations()) }
  }
  const [few, many] = [await listed(10), await listed(40)]
  expect(many.parsed).toBeLessThanOrEqual(4 * few.parsed)
  expect(many.bytes).toBeLessThanOrEqual(4 * few.bytes)
  expect(grown(few.calls, many.calls, 4.2)).toEqual([])
})

test('the newest and an older page of a longer transcript are found with hardly more reading', async () => {
  const paged = async (notices: number, before: number | null) => {
    const { store } = await conversationOf(notices)
    return workOf(async () =>
      expect(await store.page('a-1', { before, limit: 20 })).toMatchObject({ ok: true }),
    )
  }
  for (const before of [null, 500]) {
    const [few, many] = [await paged(1000, before), await paged(4000, before)]
    expect(many.parsed).toBe(few.parsed)
    expect(many.bytes).toBeLessThan(2 * few.bytes)
  }
})

test('a transcript without a snapshot is folded once', async () => {
  const { store, size } = await conversationOf(2000)
  const [first, second] = [
    await workOf(() => store.states(['a-1'])),
    await workOf(() => store.states(['a-1'])),
  ]
  expect(first.bytes).toBeGreaterThanOrEqual(size)
  expect(second.bytes).toBeLessThan(1000)
})

test('a conversation that is resumed reads and parses each line of its main agent once', async () => {
  const resumed = async (notices: number): Promise<Work & { readonly size: number }> => {
    const { store, size } = await conversationOf(notices)
    const troupe = createTestRuntime({ ports: { store }, script: () => ({ text: 'Done.' }) })
    const work = await workOf(() => troupe.say('c-1', 'Go on.'))
    await troupe.runtime.settled('c-1')
    await troupe.runtime.close()
    return { ...work, size }
  }
  const [few, many] = [await resumed(1000), await resumed(4000)]
  expect(many.bytes).toBeLessThan(1.1 * many.size)
  expect(many.parsed - few.parsed).toBeLessThan(3100)
})
