import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isBelow, LARGEST_TEXT, readPlainFile, readPlainText } from './plain-text.ts'

async function folder(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'troupe-plain-')))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

test('a file is returned whole, with its byte-order mark', async () => {
  const location = await folder()
  const file = join(location, 'a.md')
  await writeFile(file, '\ufeffé\r\n')
  expect(await readPlainFile(file, location)).toEqual({ kind: 'text', text: '\ufeffé\r\n' })
  await writeFile(file, '')
  expect(await readPlainFile(file, location)).toEqual({ kind: 'text', text: '' })
})

test('a file that is not plain text is rejected with the reason', async () => {
  const location = await folder()
  const codeOf = async (name: string) => {
    const read = await readPlainFile(join(location, name), location)
    return read.kind === 'unread' ? read.code : read.kind
  }
  await writeFile(join(location, 'bytes'), Uint8Array.of(0x61, 0xff))
  expect(await codeOf('bytes')).toBe('not-utf8')
  await writeFile(join(location, 'just'), 'x'.repeat(LARGEST_TEXT))
  expect(await codeOf('just')).toBe('text')
  await writeFile(join(location, 'large'), 'x'.repeat(LARGEST_TEXT + 1))
  expect(await codeOf('large')).toBe('too-large')
  await mkdir(join(location, 'folder'))
  expect(await codeOf('folder')).toBe('no-file')
  await symlink('/etc/hostname', join(location, 'out'))
  expect(await codeOf('out')).toBe('leads-out')
  expect(await codeOf('nothing')).toBe('unreadable')
})

test.skipIf(process.platform === 'win32')('a pipe without a writer does not block', async () => {
  const location = await folder()
  const pipe = join(location, 'pipe')
  execFileSync('mkfifo', [pipe])
  expect(await readPlainFile(pipe, location)).toMatchObject({ kind: 'unread', code: 'no-file' })
  expect(await readPlainText(pipe, 100)).toBeNull()
})

test('a long file is cut at the limit, never inside a character', async () => {
  const location = await folder()
  const file = join(location, 'a.md')
  await writeFile(file, 'aé and more')
  expect(await readPlainText(file, 2)).toEqual({ text: 'a', cut: true })
  expect(await readPlainText(file, 3)).toEqual({ text: 'aé', cut: true })
  expect(await readPlainText(file, 100)).toEqual({ text: 'aé and more', cut: false })
  await writeFile(file, Uint8Array.of(0x61, 0xff))
  expect(await readPlainText(file, 100)).toEqual({ text: 'a\ufffd', cut: false })
  expect(await readPlainText(join(location, 'nothing'), 100)).toBeNull()
})

test.runIf(process.platform === 'linux')('a file that states 0 bytes is read up to the limit', async () => {
  expect(await readPlainText('/proc/self/comm', 3)).toMatchObject({ cut: true })
  expect(await readPlainFile('/proc/self/pagemap', '/proc')).toMatchObject({ code: 'too-large' })
})

test('isBelow excludes siblings, parents and the folder itself', () => {
  const below = ['/a/b/c', '/a/b/..c', '/a/b', '/a/bc', '/a', '/a/b/../c'].map((path) =>
    isBelow('/a/b', path),
  )
  expect(below).toEqual([true, true, false, false, false, false])
})
