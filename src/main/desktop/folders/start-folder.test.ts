import { expect, test } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { FolderInfo } from '../../../shared/window/contract.ts'
import { createStartFolder } from './folders.ts'

const info = (path: string): FolderInfo => ({
  path,
  name: path,
  trusted: false,
  gitBranch: null,
  dirtyFiles: null,
  bypassAllowed: false,
})

function fixture(preferred: string | null) {
  const opened: string[] = []
  const folders = {
    current: null as string | null,
    async open(path: string) {
      opened.push(path)
      if (path === '/gone') return fail({ type: 'folder-gone' as const, message: 'gone' })
      folders.current = path
      return ok(info(path))
    },
  }
  return { folders, opened, start: createStartFolder({ folders, preferred: () => preferred }) }
}

test('a folder opened ahead is taken once and not opened again', async () => {
  const { opened, start } = fixture('/shop')
  start.openAhead()
  expect(await start.take()).toEqual(ok(info('/shop')))
  expect(opened).toEqual(['/shop'])
})

test('a reloaded page gets the open folder', async () => {
  const { folders, opened, start } = fixture('/shop')
  start.openAhead()
  await start.take()
  await folders.open('/other')
  expect(await start.take()).toEqual(ok(info('/other')))
  expect(opened).toEqual(['/shop', '/other', '/other'])
})

test('a folder opened before the page was ready replaces the one opened ahead', async () => {
  const { folders, opened, start } = fixture('/shop')
  start.openAhead()
  await folders.open('/asked-for')
  expect(await start.take()).toEqual(ok(info('/asked-for')))
  expect(opened).toEqual(['/shop', '/asked-for', '/asked-for'])
})

test('without a preferred folder nothing opens; a missing folder is reported', async () => {
  expect(await fixture(null).start.take()).toBeNull()
  const missing = fixture('/gone')
  missing.start.openAhead()
  expect(await missing.start.take()).toMatchObject({ ok: false, failure: { type: 'folder-gone' } })
})
