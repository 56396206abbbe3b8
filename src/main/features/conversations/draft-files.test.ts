import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DraftToStore, draftToStore } from '../../../shared/messages/draft.ts'
import { createDraftFiles } from './draft-files.ts'

let base: string
let folder: string
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'troupe-drafts-'))
  folder = join(base, 'drafts')
})
afterEach(() => rm(base, { recursive: true, force: true }))

const draft = (place: string, more: Partial<DraftToStore> = {}): DraftToStore => ({
  place,
  text: 'half a thought',
  recipientId: null,
  attachments: [],
  added: [],
  ...more,
})
const pasted = (key: string, text = 'long') => ({ kind: 'pasted' as const, key, text })
/** A new store, as after a restart. */
const stored = () => createDraftFiles(folder).list()

test('drafts of every place come back after a restart; without drafts there is no folder', async () => {
  expect(await stored()).toEqual([])
  await expect(stat(folder)).rejects.toThrow('ENOENT')
  const files = createDraftFiles(folder)
  await files.save(draft('c1', { recipientId: 'a1' }))
  await files.save(draft('new:/work/../shop', { text: 'another' }))
  await files.save(draft('agent:a1'))
  const drafts = [...(await stored())].sort((a, b) => a.place.localeCompare(b.place))
  expect(drafts.map(({ place, text, recipientId }) => [place, text, recipientId])).toEqual([
    ['agent:a1', 'half a thought', null],
    ['c1', 'half a thought', 'a1'],
    ['new:/work/../shop', 'another', null],
  ])
})

test('an attachment is written once, kept by its key, and removed with it', async () => {
  const files = createDraftFiles(folder)
  await files.save(draft('c1', { attachments: ['p-1', 'p-2'], added: [pasted('p-1'), pasted('p-2')] }))
  await files.save(draft('c1', { text: 'more', attachments: ['p-1', 'p-2'] }))
  expect((await stored()).map(({ attachments }) => attachments)).toEqual([[pasted('p-1'), pasted('p-2')]])
  await files.save(draft('c1', { attachments: ['p-2'] }))
  expect((await stored()).map(({ attachments }) => attachments)).toEqual([[pasted('p-2')]])
  const [own = ''] = await readdir(folder)
  expect((await readdir(join(folder, own))).sort()).toEqual(['draft.json', 'p-2.json'])
})

test('an empty draft leaves nothing', async () => {
  const files = createDraftFiles(folder)
  await files.save(draft('c1', { attachments: ['p-1'], added: [pasted('p-1')] }))
  await files.save(draft('c1', { text: '' }))
  expect(await readdir(folder)).toEqual([])
})

test('saves of one place at the same time: the last one counts', async () => {
  const files = createDraftFiles(folder)
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => files.save(draft('c1', { text: `version ${index}` }))),
  )
  expect((await stored()).map(({ text }) => text)).toEqual(['version 19'])
})

test('a damaged draft or attachment costs only itself', async () => {
  const files = createDraftFiles(folder)
  await files.save(draft('c1', { attachments: ['p-1', 'p-2'], added: [pasted('p-1'), pasted('p-2')] }))
  const [own = ''] = await readdir(folder)
  await writeFile(join(folder, own, 'p-1.json'), '{"kind":"pas')
  await files.save(draft('c2'))
  const damaged = (await readdir(folder)).find((name) => name !== own) ?? ''
  await writeFile(join(folder, damaged, 'draft.json'), 'null')
  expect((await stored()).map(({ place, attachments }) => [place, attachments])).toEqual([
    ['c1', [pasted('p-2')]],
  ])
})

test('the key of an attachment can’t name a file elsewhere', () => {
  const isAccepted = (key: string) => draftToStore.safeParse(draft('c1', { attachments: [key] })).success
  expect(['a-1', '../a', 'a/b', 'a\\b', '..', ''].map(isAccepted)).toEqual([
    true,
    false,
    false,
    false,
    false,
    false,
  ])
})
