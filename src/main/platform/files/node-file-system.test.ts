import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createNodeFileSystem } from './node-file-system.ts'

const files = createNodeFileSystem()
let folder: string
let outside: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-files-')))
  outside = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-outside-')))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(outside, { recursive: true, force: true })
})

const at = (...names: string[]) => join(folder, ...names)
const text = (path: string) => readFileSync(path, 'utf8')
const typeOf = (result: { ok: boolean; failure?: { type: string } }) =>
  result.ok ? 'ok' : result.failure?.type

describe('realPath', () => {
  it('resolves links in the path of a missing file', async () => {
    symlinkSync(outside, at('link'))
    expect(await files.realPath(at('link', 'new', 'file.txt'))).toEqual({
      ok: true,
      value: join(outside, 'new', 'file.txt'),
    })
  })

  it('resolves a dangling link to its target, where a write would land', async () => {
    symlinkSync(join(outside, 'planted'), at('innocent'))
    expect(await files.realPath(at('innocent'))).toEqual({ ok: true, value: join(outside, 'planted') })
    symlinkSync('../elsewhere/x', at('relative'))
    expect(await files.realPath(at('relative'))).toEqual({
      ok: true,
      value: join(folder, '..', 'elsewhere', 'x'),
    })
  })

  it('fails on circular links', async () => {
    symlinkSync(at('b'), at('a'))
    symlinkSync(at('a'), at('b'))
    expect(typeOf(await files.realPath(at('a')))).toBe('io')
    expect(typeOf(await files.realPath(at('a', 'below')))).toBe('io')
  })

  it('reports a path below a file as not found', async () => {
    writeFileSync(at('file'), '')
    const result = await files.realPath(at('file', 'x', 'y'))
    expect(typeOf(result)).toBe('not-found')
  })
})

describe('write', () => {
  it('creates missing folders, and a new file with the mode of the umask', async () => {
    const result = await files.write(at('a', 'b', 'c.txt'), 'hello')
    expect(result).toMatchObject({ ok: true, value: { kind: 'file', size: 5 } })
    expect(text(at('a', 'b', 'c.txt'))).toBe('hello')
    expect(statSync(at('a', 'b', 'c.txt')).mode & 0o777).toBe(0o666 & ~process.umask())
    expect(readdirSync(at('a', 'b'))).toEqual(['c.txt'])
  })

  it('keeps the mode of the file it replaces', async () => {
    writeFileSync(at('run.sh'), 'old')
    chmodSync(at('run.sh'), 0o754)
    await files.write(at('run.sh'), 'new')
    expect(text(at('run.sh'))).toBe('new')
    expect(statSync(at('run.sh')).mode & 0o7777).toBe(0o754)
  })

  it('takes a change of the mode for no change of the content, and keeps the new mode', async () => {
    writeFileSync(at('run.sh'), 'old')
    const expected = await files.stat(at('run.sh'))
    chmodSync(at('run.sh'), 0o754)
    const options = { expected: expected.ok ? expected.value : null }
    expect(typeOf(await files.write(at('run.sh'), 'new', options))).toBe('changed')
    const was = Buffer.from('old')
    expect(await files.write(at('run.sh'), 'new', { ...options, was })).toMatchObject({ ok: true })
    expect(text(at('run.sh'))).toBe('new')
    expect(statSync(at('run.sh')).mode & 0o7777).toBe(0o754)
    expect(typeOf(await files.write(at('run.sh'), 'newer', { ...options, was }))).toBe('changed')
  })

  it('replaces the file atomically for readers of the old file', async () => {
    writeFileSync(at('file'), 'old')
    linkSync(at('file'), at('same'))
    await files.write(at('file'), 'new')
    expect(text(at('same'))).toBe('old')
    expect(text(at('file'))).toBe('new')
  })

  it('writes to the target of a link and keeps the link', async () => {
    writeFileSync(join(outside, 'target'), 'old')
    symlinkSync(join(outside, 'target'), at('link'))
    symlinkSync(join(outside, 'fresh'), at('dangling'))
    await files.write(at('link'), 'new')
    await files.write(at('dangling'), 'made')
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
    expect(text(join(outside, 'target'))).toBe('new')
    expect(text(join(outside, 'fresh'))).toBe('made')
  })

  it('writes bytes unchanged', async () => {
    await files.write(at('bytes'), new Uint8Array([0xff, 0xfe, 0x41, 0x00]))
    expect([...readFileSync(at('bytes'))]).toEqual([0xff, 0xfe, 0x41, 0x00])
  })

  it('rejects a folder, and leaves no temporary file after a failure', async () => {
    mkdirSync(at('folder'))
    expect(typeOf(await files.write(at('folder'), 'x'))).toBe('is-folder')
    writeFileSync(at('file'), 'x')
    expect(typeOf(await files.write(at('file', 'below'), 'x'))).toBe('not-found')
    expect(readdirSync(folder).sort()).toEqual(['file', 'folder'])
  })

  it('runs concurrent writes one after another', async () => {
    const results = await Promise.all(
      Array.from({ length: 50 }, (_, index) => files.write(at('shared'), `content ${index}`)),
    )
    expect(results.every((result) => result.ok)).toBe(true)
    expect(text(at('shared'))).toBe('content 49')
    expect(readdirSync(folder)).toEqual(['shared'])
  })
})

describe('write with an expectation', () => {
  const stat = async (path: string) => {
    const result = await files.stat(path)
    if (!result.ok) throw new Error(result.failure.message)
    return result.value
  }

  it('succeeds if the file is as expected, also right after our own write', async () => {
    const first = await files.write(at('file'), 'one', { expected: null })
    if (!first.ok) throw new Error(first.failure.message)
    const second = await files.write(at('file'), 'two', { expected: first.value })
    expect(second.ok).toBe(true)
    expect(await stat(at('file'))).toEqual(second.ok && second.value)
  })

  it('rejects a changed file, even with the same size and time', async () => {
    writeFileSync(at('file'), 'aaa')
    const seen = await stat(at('file'))
    writeFileSync(at('other'), 'bbb')
    utimesSync(at('other'), seen.mtimeMs / 1000, seen.mtimeMs / 1000)
    renameSync(at('other'), at('file'))
    expect(typeOf(await files.write(at('file'), 'mine', { expected: seen }))).toBe('changed')
    expect(text(at('file'))).toBe('bbb')
    expect(readdirSync(folder)).toEqual(['file'])
  })

  it('rejects a file that appeared or disappeared', async () => {
    writeFileSync(at('file'), 'theirs')
    const seen = await stat(at('file'))
    expect(typeOf(await files.write(at('file'), 'mine', { expected: null }))).toBe('changed')
    unlinkSync(at('file'))
    expect(typeOf(await files.write(at('file'), 'mine', { expected: seen }))).toBe('changed')
    expect(existsSync(at('file'))).toBe(false)
  })

  it('lets one of several writers replace the same version', async () => {
    writeFileSync(at('counter'), '0')
    const seen = await stat(at('counter'))
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) => files.write(at('counter'), String(index), { expected: seen })),
    )
    expect(results.filter((result) => result.ok)).toHaveLength(1)
  })

  it('lets one of several writers create a file', async () => {
    const one = createNodeFileSystem()
    const other = createNodeFileSystem()
    const results = await Promise.all(
      [one, other, one, other].map((system, index) =>
        system.write(at('claimed'), String(index), { expected: null }),
      ),
    )
    expect(results.filter((result) => result.ok)).toHaveLength(1)
  })
})

describe('a path that passed the permission check', () => {
  beforeEach(() => {
    mkdirSync(at('src'))
    writeFileSync(at('src', 'file'), 'mine')
    writeFileSync(join(outside, 'file'), 'secret')
  })

  const swapFolder = () => {
    renameSync(at('src'), at('moved'))
    symlinkSync(outside, at('src'))
  }

  it('is read and written if nothing changed', async () => {
    const read = await files.read(at('src', 'file'), { real: true })
    expect(read.ok && Buffer.from(read.value).toString()).toBe('mine')
    expect(typeOf(await files.write(at('src', 'new', 'x'), 'x', { real: true }))).toBe('ok')
  })

  it('is rejected if a folder in it became a link', async () => {
    swapFolder()
    expect(typeOf(await files.read(at('src', 'file'), { real: true }))).toBe('moved')
    expect(typeOf(await files.write(at('src', 'file'), 'x', { real: true }))).toBe('moved')
    expect(typeOf(await files.write(at('src', 'deep', 'er'), 'x', { real: true }))).toBe('moved')
    expect(text(join(outside, 'file'))).toBe('secret')
    expect(readdirSync(outside)).toEqual(['file'])
  })

  it('is rejected if the file itself became a link', async () => {
    unlinkSync(at('src', 'file'))
    symlinkSync(join(outside, 'file'), at('src', 'file'))
    expect(typeOf(await files.read(at('src', 'file'), { real: true }))).toBe('moved')
    expect(typeOf(await files.write(at('src', 'file'), 'x', { real: true }))).toBe('moved')
    expect(text(join(outside, 'file'))).toBe('secret')
  })
})

describe('read', () => {
  it('reports why a file cannot be read', async () => {
    mkdirSync(at('folder'))
    execFileSync('mkfifo', [at('pipe')])
    writeFileSync(at('large'), 'x'.repeat(100))
    expect(typeOf(await files.read(at('none')))).toBe('not-found')
    expect(typeOf(await files.read(at('folder')))).toBe('is-folder')
    expect(typeOf(await files.read(at('pipe')))).toBe('io')
    expect(typeOf(await files.read('/dev/zero'))).toBe('io')
    expect(typeOf(await files.read(at('large'), { limit: 99 }))).toBe('too-large')
    expect(typeOf(await files.read(at('large'), { limit: 100 }))).toBe('ok')
    expect(typeOf(await files.read(at('nul\0')))).toBe('io')
  })

  it('says of a socket what may have put it there, as a write does', async () => {
    const server = createServer().listen(at('socket'))
    try {
      for (const done of [await files.read(at('socket')), await files.write(at('socket'), 'x')])
        expect(done).toMatchObject({
          failure: {
            type: 'io',
            message: expect.stringContaining('socket is a socket, not a file. While a'),
          },
        })
      expect(statSync(at('socket')).isSocket()).toBe(true)
    } finally {
      server.close()
    }
  })

  it('reads a file of any size up to the limit', async () => {
    for (const size of [0, 1, 4095, 4096, 4097, 300_000]) {
      writeFileSync(at('sized'), Buffer.alloc(size, 'ab'))
      const read = await files.read(at('sized'), { limit: 300_000 })
      expect(read.ok && Buffer.from(read.value).equals(readFileSync(at('sized')))).toBe(true)
    }
  })
})
