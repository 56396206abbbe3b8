import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createNodeFileSystem } from '../../../platform/files/node-file-system.ts'
import { fixFile } from './agents-lint.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'troupe-mend-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const BROKEN =
  '\ufeff---\r\n# mine\r\nname: a\r\ndescription: Use: now\r\ncolor: #ff8800\r\n---\r\nBody\r\n---\r\n'

test('every fix is applied, one after the other, and the rest stays unchanged', async () => {
  const file = join(await folder(), 'a.md')
  await writeFile(file, BROKEN)
  await chmod(file, 0o640)
  const fixed = await fixFile(file, createNodeFileSystem())
  expect(fixed).toEqual({ ok: true, value: ['Quote the description', 'Quote the color'] })
  expect(await readFile(file, 'utf8')).toBe(
    BROKEN.replace('Use: now', '"Use: now"').replace('#ff8800', '"#ff8800"'),
  )
  expect((await stat(file)).mode & 0o777).toBe(0o640)
  expect(await fixFile(file, createNodeFileSystem())).toEqual({ ok: true, value: [] })
})

test('a file that changes during the fix is not overwritten', async () => {
  const file = join(await folder(), 'a.md')
  await writeFile(file, BROKEN)
  const files = createNodeFileSystem()
  const fixed = await fixFile(file, {
    ...files,
    write: async (path, content, options) => {
      await writeFile(file, 'mine')
      return files.write(path, content, options)
    },
  })
  expect(fixed).toMatchObject({ ok: false, failure: { type: 'changed' } })
  expect(await readFile(file, 'utf8')).toBe('mine')
})

test('a link stays a link', async () => {
  const cli = await folder()
  await writeFile(join(cli, 'real.md'), BROKEN)
  await symlink('real.md', join(cli, 'link.md'))
  await fixFile(join(cli, 'link.md'), createNodeFileSystem())
  expect(await readFile(join(cli, 'real.md'), 'utf8')).toContain('"Use: now"')
  expect(await readFile(join(cli, 'link.md'), 'utf8')).toContain('"Use: now"')
})

test('an unreadable file stays unchanged', async () => {
  const file = join(await folder(), 'a.md')
  const bytes = Buffer.from([...Buffer.from('---\nname: '), 0xff])
  await writeFile(file, bytes)
  expect(await fixFile(file, createNodeFileSystem())).toEqual({ ok: true, value: [] })
  expect(await readFile(file)).toEqual(bytes)
  expect(await fixFile(`${file}x`, createNodeFileSystem())).toMatchObject({ ok: false })
})
