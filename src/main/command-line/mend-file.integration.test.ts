import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createNodeFileSystem } from '../adapters/files/node-file-system.ts'
import { mendFile } from './mend-file.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'troupe-mend-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

const BROKEN =
  '\ufeff---\r\n# mine\r\nname: a\r\ndescription: Use: now\r\ncolor: #ff8800\r\n---\r\nBody\r\n---\r\n'

test('all that can be mended is, one mend after the other, and nothing else is touched', async () => {
  const file = join(await folder(), 'a.md')
  await writeFile(file, BROKEN)
  await chmod(file, 0o640)
  const mended = await mendFile(file, createNodeFileSystem())
  expect(mended).toEqual({ ok: true, value: ['Quote the description', 'Quote the colour'] })
  expect(await readFile(file, 'utf8')).toBe(
    BROKEN.replace('Use: now', '"Use: now"').replace('#ff8800', '"#ff8800"'),
  )
  expect((await stat(file)).mode & 0o777).toBe(0o640)
  expect(await mendFile(file, createNodeFileSystem())).toEqual({ ok: true, value: [] })
})

test('a file that changes meanwhile is left to whoever changed it', async () => {
  const file = join(await folder(), 'a.md')
  await writeFile(file, BROKEN)
  const files = createNodeFileSystem()
  const mended = await mendFile(file, {
    ...files,
    write: async (path, content, options) => {
      await writeFile(file, 'mine')
      return files.write(path, content, options)
    },
  })
  expect(mended).toMatchObject({ ok: false, failure: { type: 'changed' } })
  expect(await readFile(file, 'utf8')).toBe('mine')
})

test('a link stays one', async () => {
  const place = await folder()
  await writeFile(join(place, 'real.md'), BROKEN)
  await symlink('real.md', join(place, 'link.md'))
  await mendFile(join(place, 'link.md'), createNodeFileSystem())
  expect(await readFile(join(place, 'real.md'), 'utf8')).toContain('"Use: now"')
  expect(await readFile(join(place, 'link.md'), 'utf8')).toContain('"Use: now"')
})

test('what can’t be read is left alone', async () => {
  const file = join(await folder(), 'a.md')
  const bytes = Buffer.from([...Buffer.from('---\nname: '), 0xff])
  await writeFile(file, bytes)
  expect(await mendFile(file, createNodeFileSystem())).toEqual({ ok: true, value: [] })
  expect(await readFile(file)).toEqual(bytes)
  expect(await mendFile(`${file}x`, createNodeFileSystem())).toMatchObject({ ok: false })
})
