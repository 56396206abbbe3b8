import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sampleRecord } from '../../../shared/testing/sample-log.ts'
import { createConversationTrash } from './conversation-trash.ts'
import { openStore, unwrap } from './testing/open-store.ts'
import { sampleEvents } from './testing/sample-events.ts'

async function filled() {
  const files = await openStore()
  await files.write('c-1', [...sampleEvents('a-1', 3), ...sampleEvents('a-2', 2)])
  await files.write('c-2', sampleEvents('a-3', 1))
  await files.write('c-3', sampleEvents('a-4', 1))
  const trash = createConversationTrash(files.dataFolder)
  const inTrash = (...path: string[]) => join(files.dataFolder, 'trash', ...path)
  const ids = async () => unwrap(await trash.list()).map(({ id }) => id)
  return { ...files, trash, inTrash, ids }
}

test('without a trash folder the trash is empty', async () => {
  const { trash } = await filled()
  expect(await trash.list()).toEqual({ ok: true, value: [] })
})

test('lists title, folder, date and size; what is restored leaves the list', async () => {
  const { store, trash, ids } = await filled()
  const before = Date.now() - 5000
  unwrap(await store.trash('c-1'))
  const [found] = unwrap(await trash.list())
  const { title, folder } = sampleRecord('c-1', ['a-1'])
  expect(found).toMatchObject({ id: 'c-1', title, folder, scratch: false })
  expect(found?.trashedAt).toBeGreaterThan(before)
  expect(found?.size).toBeGreaterThan(500)
  unwrap(await store.restore('c-1'))
  expect(await ids()).toEqual([])
})

test('deletes exactly the conversations named; they can’t be restored', async () => {
  const { store, trash, ids, inTrash } = await filled()
  for (const id of ['c-1', 'c-2']) unwrap(await store.trash(id))
  unwrap(await trash.delete(['c-1']))
  expect(await ids()).toEqual(['c-2'])
  expect(await readdir(inTrash())).toEqual(['c-2'])
  expect(await store.restore('c-1')).toMatchObject({ ok: false, failure: { type: 'not-found' } })
  expect((await store.list()).map(({ id }) => id)).toEqual(['c-3'])
  // A second deletion finds nothing, which is no failure.
  expect(await trash.delete(['c-1', 'c-2'])).toMatchObject({ ok: true })
  expect(await ids()).toEqual([])
})

test('a deleted conversation’s task board and kept file content are deleted too, also after a crash during the deletion; others stay', async () => {
  const { store, trash, inTrash, dataFolder } = await filled()
  const boards = join(dataFolder, 'boards')
  const changes = join(dataFolder, 'changes')
  for (const id of ['c-1', 'c-2', 'c-3']) {
    await mkdir(join(boards, id), { recursive: true })
    await writeFile(join(boards, id, '1.1.json'), '{}')
    await mkdir(join(changes, id, 'content'), { recursive: true })
    if (id !== 'c-3') unwrap(await store.trash(id))
  }
  expect((await readdir(boards)).sort()).toEqual(['c-1', 'c-2', 'c-3'])
  unwrap(await trash.delete(['c-1']))
  for (const folder of [boards, changes]) expect((await readdir(folder)).sort()).toEqual(['c-2', 'c-3'])
  await rename(inTrash('c-2'), inTrash('.deleting-c-2'))
  unwrap(await trash.list())
  expect(await readdir(boards)).toEqual(['c-3'])
})

test('deleted definitions and paths elsewhere are not touched', async () => {
  const { trash, ids, inTrash, dataFolder } = await filled()
  await mkdir(inTrash('definitions', 'x'), { recursive: true })
  await writeFile(inTrash('definitions', 'x', 'a.md'), 'text')
  expect(await ids()).toEqual([])
  for (const id of ['definitions', '../conversations', '..', 'a/b', ''])
    expect(await trash.delete([id])).toMatchObject({ ok: false, failure: { type: 'bad-id' } })
  expect(await readFile(inTrash('definitions', 'x', 'a.md'), 'utf8')).toBe('text')
  expect(await readdir(join(dataFolder, 'conversations'))).not.toEqual([])
})

test('a conversation without a readable record is listed and can be deleted', async () => {
  const { store, trash, inTrash, ids } = await filled()
  unwrap(await store.trash('c-1'))
  await writeFile(inTrash('c-1', 'record.jsonl'), 'damaged')
  expect(unwrap(await trash.list())).toMatchObject([{ id: 'c-1', title: '' }])
  unwrap(await trash.delete(['c-1']))
  expect(await ids()).toEqual([])
})

test('a deletion that a crash interrupted is finished, and a locked conversation stays', async () => {
  const { store, trash, inTrash, ids } = await filled()
  await mkdir(inTrash('.deleting-c-9', 'tasks'), { recursive: true })
  expect(await ids()).toEqual([])
  expect(await readdir(inTrash())).toEqual([])
  unwrap(await store.trash('c-2'))
  const log = unwrap(await store.open(sampleRecord('c-2', ['a-3'])))
  expect(await trash.delete(['c-2'])).toMatchObject({ ok: false, failure: { type: 'locked' } })
  await log.close()
  expect(await ids()).toEqual(['c-2'])
})
