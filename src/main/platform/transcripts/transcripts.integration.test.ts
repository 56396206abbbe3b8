import { execFileSync } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type AgentState, foldAgent } from '../../../shared/state/agent-state.ts'
import { sampleRecord } from '../../../shared/testing/sample-log.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { identityOf } from '../system/process-identity.ts'
import { startChild } from './testing/child-process.ts'
import { openStore, readAll, unwrap } from './testing/open-store.ts'

const record = sampleRecord('c-1', ['a-1', 'a-2', 'a-3'])

describe('two processes on one data folder', () => {
  it('have one writer: the other process learns its identity and can read', async () => {
    const { store, dataFolder } = await openStore()
    const child = startChild(dataFolder)
    expect(await child.ask({ do: 'open', conversationId: 'c-1' })).toEqual({ did: 'open' })
    expect(await child.ask({ do: 'say', agentId: 'a-1', size: 5 })).toMatchObject({ did: 'flush', seq: 0 })

    expect(await store.open(record)).toMatchObject({
      ok: false,
      failure: { type: 'locked', message: expect.stringContaining(`process ${child.pid})`) },
    })
    expect(await store.lockedByOther('c-1')).toBe(true)
    expect(await store.trash('c-1')).toMatchObject({ ok: false, failure: { type: 'locked' } })
    expect(await store.amend('c-1', { type: 'conversation-titled', title: 'x', named: true })).toMatchObject({
      ok: false,
      failure: { type: 'locked' },
    })
    expect(await readAll(store, 'a-1')).toHaveLength(1)

    expect(await child.ask({ do: 'close' })).toEqual({ did: 'close' })
    expect(await store.lockedByOther('c-1')).toBe(false)
    const log = unwrap(await store.open(record))
    expect(await child.ask({ do: 'open', conversationId: 'c-1' })).toMatchObject({
      did: 'fail',
      type: 'locked',
      message: expect.stringContaining(`process ${process.pid})`),
    })
    await log.close()
  })

  it('break the lock of a killed process, and no other lock', async () => {
    const { store, dataFolder } = await openStore()
    const child = startChild(dataFolder)
    await child.ask({ do: 'open', conversationId: 'c-1' })
    expect((await store.open(record)).ok).toBe(false)
    await child.kill()
    expect(await store.lockedByOther('c-1')).toBe(false)
    await unwrap(await store.open(record)).close()
  })

  it('notice that a pid was reused by another process', async () => {
    const { store, dataFolder } = await openStore()
    const living = startChild(dataFolder)
    await living.ask({ do: 'open', conversationId: 'c-other' })
    const { start } = await identityOf(living.pid)
    const lock = join(dataFolder, 'locks', 'c-1')
    await mkdir(lock)
    await writeFile(join(lock, `${living.pid}-${start}-00000000`), '')
    expect(await store.open(record)).toMatchObject({ ok: false, failure: { type: 'locked' } })

    const [boot, ticks] = start.split('.')
    for (const other of [`${boot}.${Number(ticks) - 1}`, `0123456789ab.${ticks}`]) {
      await rm(lock, { recursive: true })
      await mkdir(lock)
      await writeFile(join(lock, `${living.pid}-${other}-00000000`), '')
      await unwrap(await store.open(record)).close()
      await mkdir(lock)
    }
  })

  it('never both acquire the lock, even if both break the lock of a dead process', async () => {
    const { dataFolder } = await openStore()
    const lock = join(dataFolder, 'locks', 'c-1')
    const first = startChild(dataFolder)
    await first.ask({ do: 'open', conversationId: 'c-1' })
    const [stale = ''] = await readdir(lock)
    await first.kill()

    const children = Array.from({ length: 4 }, () => startChild(dataFolder))
    for (let round = 0; round < 25; round++) {
      // After the first round the lock is gone, so the dead process's lock is restored.
      await mkdir(lock, { recursive: true })
      await writeFile(join(lock, stale), '')
      const answers = await Promise.all(
        children.map((child) => child.ask({ do: 'open', conversationId: 'c-1' })),
      )
      const winner = children[answers.findIndex((answer) => answer.did === 'open')]
      expect(answers.filter((answer) => answer.did === 'open')).toHaveLength(1)
      for (const answer of answers)
        if (answer.did === 'fail')
          expect(answer).toMatchObject({ type: 'locked', message: expect.stringContaining(`${winner?.pid}`) })
      await winner?.ask({ do: 'close' })
    }
    expect(await readdir(join(dataFolder, 'locks'))).toEqual([])
  })
})

it('keeps every flushed event, whenever the writer is killed', async () => {
  for (let folder = 0; folder < 6; folder++) {
    const { store, dataFolder } = await openStore()
    const promised = new Map(record.agentIds.map((agentId) => [agentId, -1]))
    for (let round = 0; round < 5; round++) {
      const child = startChild(dataFolder)
      expect(await child.ask({ do: 'open', conversationId: 'c-1' })).toEqual({ did: 'open' })
      const saidSomething = child.next()
      child.tell({ do: 'say-for-ever' })
      await saidSomething
      // Meanwhile a reader reads for a random time and never finds damage.
      for (const end = performance.now() + Math.random() * 30; performance.now() < end; )
        expect((await store.page('a-1', { before: null, limit: 3 })).ok).toBe(true)
      await child.kill()
      for (const answer of child.answers)
        if (answer.did === 'flush')
          promised.set(answer.agentId, Math.max(answer.seq, promised.get(answer.agentId) ?? -1))

      const log = unwrap(await store.open(record))
      await log.close()
      for (const [agentId, seq] of promised) expect(await expectWhole(store, agentId)).toBeGreaterThan(seq)
    }
    expect(Math.min(...promised.values())).toBeGreaterThanOrEqual(0)
  }
})

it.runIf(process.platform === 'linux')(
  'keeps events that do not fit on the disk, and writes them when there is space',
  async () => {
    const { store, dataFolder } = await openStore()
    // A file size limit simulates a full disk: one write stops halfway, the next one fails.
    const child = startChild(dataFolder, { shell: 'ulimit -S -f 100; exec' })
    expect(await child.ask({ do: 'open', conversationId: 'c-1' })).toEqual({ did: 'open' })
    let last = await child.ask({ do: 'say', agentId: 'a-1', size: 9_000 })
    while (last.did === 'flush') last = await child.ask({ do: 'say', agentId: 'a-1', size: 9_000 })
    expect(last).toMatchObject({ did: 'fail', type: 'disk-full' })
    const before = await expectWhole(store, 'a-1')
    expect(before).toBeGreaterThan(9)
    expect(await child.ask({ do: 'say', agentId: 'a-1', size: 100_000 })).toMatchObject({ type: 'disk-full' })
    expect(await expectWhole(store, 'a-1')).toBe(before)

    execFileSync('prlimit', ['--pid', String(child.pid), '--fsize=unlimited'])
    expect(await child.ask({ do: 'flush', agentId: 'a-1' })).toEqual({
      did: 'flush',
      agentId: 'a-1',
      seq: before + 1,
    })
    expect(await expectWhole(store, 'a-1')).toBe(before + 2)
  },
)

/** @returns the number of events; checks that they have no gap and result in the stored state */
async function expectWhole(store: TranscriptStore, agentId: string): Promise<number> {
  const events = await readAll(store, agentId)
  expect(events.map((event) => event.seq)).toEqual([...events.keys()])
  const { total } = unwrap(await store.page(agentId, { before: null, limit: 1 }))
  expect(total).toBeGreaterThanOrEqual(events.length)
  const [state] = unwrap(await store.states([agentId]))
  if (events.length === total && state?.lastSeq === total - 1)
    expect(state).toEqual(events.reduce<AgentState | null>(foldAgent, null))
  return events.length
}
