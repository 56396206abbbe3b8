/**
 * Logs in the format of each version. Never change these transcripts: a failing test here means that the
 * current code cannot read existing user data.
 */
import { cp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSystemClock } from '../system/machine-time.ts'
import { createTranscriptStore } from './create-transcript-store.ts'
import { readAll, unwrap } from './testing/open-store.ts'
import { tempFolder } from './testing/temp-folder.ts'

const frozen = join(import.meta.dirname, '../../../../test/fixtures/transcripts/v1')
const storeOn = (dataFolder: string) => createTranscriptStore({ dataFolder, clock: createSystemClock() })
/** Excludes the fields that were added to the state since then. */
const expectedStates = async (): Promise<object[]> =>
  JSON.parse(await readFile(join(frozen, 'states.json'), 'utf8'))

it('is listed and read, and reading leaves no trace', async () => {
  const dataFolder = join(frozen, 'data')
  const before = await traces(dataFolder)
  const store = storeOn(dataFolder)
  const [record] = await store.list()
  expect(record?.title).toBe('Why does count.ts count “naïve” as two words?')
  const events = (
    await Promise.all((record?.agentIds ?? []).map((agentId) => readAll(store, agentId)))
  ).flat()
  expect(events.map((event) => event.order).toSorted((a, b) => a - b)).toEqual([...events.keys()])
  expect(events).toHaveLength(41)
  // All event types of that version.
  expect(new Set(events.map((event) => event.type)).size).toBe(16)
  const pages = (record?.agentIds ?? []).map((id) => store.page(id, { before: null, limit: 5 }))
  for (const page of await Promise.all(pages)) expect(unwrap(page).events).toHaveLength(5)
  expect(await store.toolOutput('a-01jf8z3r7c0d4b6nse81', 'toolu_04Read')).toMatchObject({ ok: true })
  expect(await traces(dataFolder)).toEqual(before)
})

it('folds the same states as before', async () => {
  const dataFolder = await tempFolder()
  await cp(join(frozen, 'data'), dataFolder, { recursive: true })
  const store = storeOn(dataFolder)
  const { agentIds } = unwrap(await store.read('c-01jf8z3k4y7g1p5a8rjk'))
  for (const agentId of agentIds) await rm(join(dataFolder, 'tasks', agentId, 'state.json'))
  expect(
    unwrap(await store.states(agentIds)),
    'The fold makes a different state of the same events. If this is intended, increase snapshotVersion and update states.json.',
  ).toMatchObject(await expectedStates())
})

it('reads the same states with its snapshots present', async () => {
  const store = storeOn(join(frozen, 'data'))
  const { agentIds } = unwrap(await store.read('c-01jf8z3k4y7g1p5a8rjk'))
  expect(unwrap(await store.states(agentIds))).toMatchObject(await expectedStates())
})

it('can be continued', async () => {
  const dataFolder = await tempFolder()
  await cp(join(frozen, 'data'), dataFolder, { recursive: true })
  const store = storeOn(dataFolder)
  const log = unwrap(await store.open(unwrap(await store.read('c-01jf8z3k4y7g1p5a8rjk'))))
  const [agentId = ''] = log.record.agentIds
  const before = await readAll(store, agentId)
  const { v, order, at } = { ...before[0], v: 2 as const, order: 1000, at: 1_763_000_100_000 }
  log.append({ v, agentId, seq: before.length, order, at, type: 'notice', level: 'info', text: 'Later.' })
  expect(await log.flush(agentId)).toEqual({ ok: true, value: undefined })
  expect(await readAll(store, agentId)).toHaveLength(before.length + 1)
  await log.close()
})

/** Every file with its size and time. */
async function traces(folder: string): Promise<unknown> {
  const entries = await readdir(folder, { recursive: true })
  return Promise.all(
    entries.toSorted().map(async (entry) => {
      const { size, mtimeMs } = await stat(join(folder, entry))
      return [entry, size, mtimeMs]
    }),
  )
}
