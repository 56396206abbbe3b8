import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { FileQuery, GrepQuery } from '../../runtime/ports/files.ts'
import { callsOf, grown } from '../../runtime/testing/count-calls.ts'
import { createRipgrepSearch, findRipgrep, type RipgrepOptions } from './ripgrep-search.ts'

let folder: string
const never = new AbortController().signal

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-search-')))
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Files by path; each file is a minute older than the previous one. */
function lay(files: Readonly<Record<string, string>>): void {
  let time = 1_700_000_000
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    time -= 60
    utimesSync(join(folder, path), time, time)
  }
}

function searchWith(options: Partial<RipgrepOptions> = {}) {
  const environment = { HOME: folder, PATH: process.env['PATH'], RIPGREP_CONFIG_PATH: join(folder, 'rc') }
  return createRipgrepSearch({ rgPath: findRipgrep, environment, ...options })
}

async function glob(pattern: string, limit = 100, path = folder) {
  const found = await searchWith().glob({ pattern, path, limit }, never)
  if (!found.ok) throw new Error(found.failure.message)
  return { ...found.value, paths: found.value.paths.map((one) => one.slice(path.length + 1)) }
}

const plain: Omit<GrepQuery, 'pattern' | 'path'> = {
  mode: 'content',
  ignoreCase: false,
  offset: 0,
  lineNumbers: true,
  before: 0,
  after: 0,
  multiline: false,
  limit: 100,
}

async function grep(pattern: string, query: Partial<GrepQuery> = {}, search = searchWith()) {
  const found = await search.grep({ ...plain, pattern, path: folder, ...query }, never)
  if (!found.ok) throw new Error(`${found.failure.type}: ${found.failure.message}`)
  return { ...found.value, text: found.value.text.replaceAll(`${folder}/`, '') }
}

describe('glob', () => {
  it('finds files by path, sorted by newest first, then by name', async () => {
    lay({ 'new.ts': '', 'src/a/deep.ts': '', 'old.ts': '', 'other.js': '' })
    expect((await glob('**/*.ts')).paths).toEqual(['new.ts', 'src/a/deep.ts', 'old.ts'])
    expect((await glob('*.ts')).paths).toEqual(['new.ts', 'old.ts'])
    for (const name of ['new.ts', 'src/a/deep.ts', 'old.ts']) utimesSync(join(folder, name), 1000, 1000)
    expect((await glob('**/*.ts')).paths).toEqual(['new.ts', 'old.ts', 'src/a/deep.ts'])
  })

  it('finds hidden files, but never .git or ignored files', async () => {
    lay({
      '.gitignore': 'node_modules\n*.log\n',
      '.hidden/x.ts': '',
      'node_modules/p/x.ts': '',
      'debug.log': '',
      '.git/config': '',
      'src/y.ts': '',
    })
    expect((await glob('**')).paths).toEqual(['.gitignore', '.hidden/x.ts', 'src/y.ts'])
    expect((await glob('*.log')).paths).toEqual([])
    expect((await glob('**/.git/**')).paths).toEqual([])
  })

  it('searches an ignored folder if it is the search path', async () => {
    lay({ '.gitignore': 'node_modules\n', 'node_modules/p/x.ts': '' })
    expect((await glob('**/*.ts', 10, join(folder, 'node_modules'))).paths).toEqual(['p/x.ts'])
  })

  it('stops at the limit and reports it', async () => {
    lay(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`f${index}.ts`, ''])))
    expect(await glob('*.ts', 3)).toEqual({ paths: ['f0.ts', 'f1.ts', 'f2.ts'], truncated: true })
    expect(await glob('*.ts', 10)).toMatchObject({ truncated: false })
  })

  it('does not follow links out of the folder', async () => {
    lay({ 'a.ts': '' })
    symlinkSync('/etc', join(folder, 'etc'))
    expect((await glob('**')).paths).toEqual(['a.ts'])
  })

  it('reports a missing folder', async () => {
    lay({ 'a.ts': '' })
    await expect(glob('*', 1, join(folder, 'nope'))).rejects.toThrow('nope does not exist')
    await expect(glob('*', 1, join(folder, 'a.ts'))).rejects.toThrow('not a folder')
  })
})

describe('grep', () => {
  it('returns lines with numbers, grouped by path in order', async () => {
    lay({ 'b.ts': 'x\nneedle two\n', 'a.txt': 'needle', 'a/z.ts': 'needle one\nneedle\n', 'c.ts': 'Needle' })
    expect(await grep('needle')).toEqual({
      text: 'a/z.ts\n1:needle one\n2:needle\n\na.txt\n1:needle\n\nb.ts\n2:needle two',
      matches: 4,
      truncated: false,
    })
    expect((await grep('needle', { ignoreCase: true })).matches).toBe(5)
    expect((await grep('needle', { lineNumbers: false, glob: 'b.ts' })).text).toBe('b.ts:needle two')
  })

  it('omits the path if the search path is a file', async () => {
    lay({ 'a.ts': 'one\nneedle\n' })
    expect((await grep('needle', { path: join(folder, 'a.ts'), glob: '*.md', type: 'py' })).text).toBe(
      '2:needle',
    )
  })

  it('shows context lines, marks gaps, and counts only matches', async () => {
    lay({ 'a.ts': 'a\nneedle\nb\nc\nd\ne\nneedle\nf\n', 'b.ts': 'needle\n' })
    expect(await grep('needle', { before: 1, after: 1 })).toEqual({
      text: 'a.ts\n1-a\n2:needle\n3-b\n--\n6-e\n7:needle\n8-f\n\nb.ts\n1:needle',
      matches: 3,
      truncated: false,
    })
  })

  it('handles names and lines that look like its own separators', async () => {
    lay({ 'a-1-b:2:c.ts': 'x:1:needle\n-- \nneedle-3-\n' })
    expect(await grep('needle', { after: 1 })).toMatchObject({
      text: 'a-1-b:2:c.ts\n1:x:1:needle\n2--- \n3:needle-3-',
      matches: 2,
    })
  })

  it('lists files, or counts lines per file', async () => {
    lay({ 'b.ts': 'needle\nneedle\n', 'a.ts': 'needle', 'c.ts': '' })
    expect(await grep('needle', { mode: 'files_with_matches' })).toMatchObject({
      text: 'a.ts\nb.ts',
      matches: 2,
    })
    expect(await grep('needle', { mode: 'count' })).toMatchObject({ text: 'a.ts:1\nb.ts:2', matches: 2 })
    expect(await grep('nothing', { mode: 'count' })).toEqual({ text: '', matches: 0, truncated: false })
  })

  it('counts a multiline match once', async () => {
    lay({ 'a.ts': 'function a(\n  b,\n) {}\nfunction c(\n) {}\n' })
    const found = await grep('function \\w\\(.*?\\)', { multiline: true })
    expect(found.matches).toBe(2)
    expect(found.text.split('\n')).toHaveLength(6)
  })

  it('filters by glob and by type, without ignored files', async () => {
    lay({
      '.gitignore': 'dist\ngenerated.ts\n',
      'generated.ts': 'needle',
      'dist/x.ts': 'needle',
      'src/a.ts': 'needle',
      'src/a.test.ts': 'needle',
      'lib/b.ts': 'needle',
      'c.py': 'needle',
    })
    const files = async (query: Partial<GrepQuery>) =>
      (await grep('needle', { mode: 'files_with_matches', ...query })).text.split('\n')
    expect(await files({ glob: '*.ts' })).toEqual(['lib/b.ts', 'src/a.test.ts', 'src/a.ts'])
    expect(await files({ glob: 'src/**/*.ts,!*.test.ts' })).toEqual(['src/a.ts'])
    expect(await files({ glob: '**' })).toEqual(['c.py', 'lib/b.ts', 'src/a.test.ts', 'src/a.ts'])
    expect(await files({ type: 'py' })).toEqual(['c.py'])
    expect(await files({ type: 'ts', glob: 'lib/' })).toEqual(['lib/b.ts'])
    expect(await files({ path: join(folder, 'dist') })).toEqual(['dist/x.ts'])
  })

  it('leaves out skipped files, unless the search path is the file', async () => {
    lay({ 'a/.env': 'needle', 'b.ts': 'needle' })
    const skip = (path: string) => path.endsWith('.env')
    for (const mode of ['content', 'files_with_matches', 'count'] as const) {
      expect((await grep('needle', { mode, skip })).text).toMatch(/^b\.ts/)
      expect((await grep('needle', { mode, skip, glob: '.env' })).text).toBe('')
    }
    expect((await grep('needle', { skip, path: join(folder, 'a/.env') })).matches).toBe(1)
  })

  it('reads lines of any length and line end, and leaves out binary files', async () => {
    lay({
      'long.js': `start ${'x'.repeat(500_000)} needle\n`,
      'windows.txt': 'a needle\r\nb\r\n',
      'umlaut.txt': 'Nädel needle ✓\n',
      'data.bin': 'needle\0needle',
    })
    const { text } = await grep('needle')
    const lines = text.split('\n')
    expect(lines[0]).toBe('long.js')
    expect(lines[1]?.length).toBeLessThan(1200)
    expect(lines.slice(3)).toEqual(['umlaut.txt', '1:Nädel needle ✓', '', 'windows.txt', '1:a needle'])
    expect((await grep('needle$', { glob: 'windows.txt' })).matches).toBe(1)
  })

  it('never treats a pattern as an option', async () => {
    lay({ 'a.ts': '--pre=evil\n-e\n', evil: '#!/bin/sh\ntouch ran\n' })
    chmodSync(join(folder, 'evil'), 0o755)
    expect((await grep('--pre=evil')).matches).toBe(1)
    expect((await grep('-e')).matches).toBe(1)
    expect((await grep(`--pre=${join(folder, 'evil')}`)).matches).toBe(0)
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('does not read a ripgrep configuration', async () => {
    lay({ 'a.ts': 'needle\n', rc: '--invert-match\n' })
    expect((await grep('needle', { glob: 'a.ts' })).text).toBe('a.ts\n1:needle')
  })

  it('supports look-around, and reports an invalid pattern', async () => {
    lay({ 'a.ts': 'foobar\nfoobaz\n' })
    expect((await grep('foo(?!bar)')).text).toBe('a.ts\n2:foobaz')
    await expect(grep('(')).rejects.toThrow(/bad-pattern: .*unclosed group/s)
    await expect(grep('x', { type: 'klingon' })).rejects.toThrow(
      'bad-pattern: unrecognized file type: klingon',
    )
    await expect(grep('x', { path: join(folder, 'nope') })).rejects.toThrow('nope does not exist')
    await expect(grep('a\0b')).rejects.toThrow('bad-pattern')
  })

  it('returns the same first lines each time, for any number of matches', async () => {
    lay(
      Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`d${index % 7}/f${index}.txt`, 'needle\n'.repeat(1000)]),
      ),
    )
    const first = await grep('needle', { limit: 1500 })
    expect(first).toMatchObject({ matches: 1500, truncated: true })
    const paths = first.text.split('\n').filter((line) => line.endsWith('.txt'))
    expect(paths).toEqual(['d0/f0.txt', 'd0/f14.txt'])
    expect(await grep('needle', { limit: 1500 })).toEqual(first)
    const next = await grep('needle', { offset: 1500, limit: 1 })
    expect(next).toMatchObject({ text: 'd0/f14.txt\n501:needle', truncated: true })
    // If all matches fit in memory, the number counts all matches.
    expect(await grep('needle', { limit: 10, glob: 'd1/*' })).toMatchObject({
      matches: 9000,
      truncated: true,
    })
  })
})

describe('the search program', () => {
  const script = (text: string) => {
    const path = join(folder, 'fake')
    writeFileSync(path, `#!/bin/sh\n${text}\n`)
    chmodSync(path, 0o755)
    return path
  }

  const isAlive = (pid: number) => {
    try {
      return !/\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
    } catch {
      return false
    }
  }

  async function startedPid(): Promise<number> {
    for (;;) {
      const text = existsSync(join(folder, 'pid')) ? readFileSync(join(folder, 'pid'), 'utf8') : ''
      if (text.endsWith('\n')) return Number(text)
      await delay(5)
    }
  }

  it('ends when the search is stopped', async () => {
    const rgPath = script(`echo $$ > ${join(folder, 'pid')}; exec sleep 1000`)
    const stop = new AbortController()
    const found = searchWith({ rgPath }).grep({ ...plain, pattern: 'x', path: folder }, stop.signal)
    const pid = await startedPid()
    expect(isAlive(pid)).toBe(true)
    stop.abort()
    expect(await found).toMatchObject({ ok: false, failure: { type: 'aborted' } })
    expect(isAlive(pid)).toBe(false)
  })

  it('ends at its time limit', async () => {
    const rgPath = script(`echo $$ > ${join(folder, 'pid')}; exec sleep 1000`)
    const search = searchWith({ rgPath, timeoutMs: 300 })
    const found = await search.glob({ pattern: '**', path: folder, limit: 1 }, never)
    expect(found).toMatchObject({ ok: false, failure: { type: 'timeout' } })
    expect(isAlive(await startedPid())).toBe(false)
  })

  it('skips folders that it cannot read', async () => {
    const rgPath = script(
      `printf '%s\\0001\\037needle\\n' ${folder}/a.ts; echo 'rg: ./x: Permission denied (os error 13)' >&2; exit 2`,
    )
    expect((await grep('needle', {}, searchWith({ rgPath }))).text).toBe('a.ts\n1:needle')
    const broken = searchWith({ rgPath: script(`echo 'something else' >&2; exit 2`) })
    await expect(grep('needle', {}, broken)).rejects.toThrow('io: something else')
  })

  it('does not start for a search that was already stopped', async () => {
    const rgPath = script(`touch ${join(folder, 'ran')}`)
    const found = await searchWith({ rgPath }).grep(
      { ...plain, pattern: 'x', path: folder },
      AbortSignal.abort(),
    )
    expect(found).toMatchObject({ ok: false, failure: { type: 'aborted' } })
    expect(existsSync(join(folder, 'ran'))).toBe(false)
  })

  it('is found in its install folder, and reported if missing', async () => {
    const found = await findRipgrep()
    expect(found.ok && existsSync(found.value)).toBe(true)
    await expect(grep('x', {}, searchWith({ rgPath: '/nowhere/rg' }))).rejects.toThrow('not-found')
    const missing = async () => fail({ type: 'not-found', message: 'install it' })
    await expect(grep('x', {}, searchWith({ rgPath: missing }))).rejects.toThrow('install it')
  })
})

describe('the first file', () => {
  it('is one that a search with the same options reads', async () => {
    lay({ '.ignore': 'gone\n', '.env': '', 'gone/.env': '', 'gone/key.pem': '', 'src/a.ts': '' })
    symlinkSync('..', join(folder, 'src', 'up'))
    const seen = async (options: Partial<FileQuery>) => {
      const paths: string[] = []
      const passes = (path: string) => paths.push(path) === 0
      const query = { path: folder, hidden: false, ignored: false, filters: [], passes, ...options }
      expect(await searchWith().first(query, never)).toEqual(ok(null))
      return paths.sort()
    }
    expect(await seen({})).toEqual(['src/a.ts'])
    expect(await seen({ hidden: true })).toEqual(['.env', '.ignore', 'src/a.ts'])
    expect(await seen({ ignored: true })).toEqual(['gone/key.pem', 'src/a.ts'])
    expect(await seen({ filters: ['--glob=.env'] })).toEqual(['.env'])
    const first = { path: folder, hidden: true, ignored: true, filters: [] }
    expect(await searchWith().first({ ...first, passes: (path) => path.endsWith('.pem') }, never)).toEqual(
      ok('gone/key.pem'),
    )
  })
})

it('takes four times the work for four times the lines of a log, and no more for lines that it does not return', async () => {
  const searched = async (lines: number, limit: number) => {
    lay({ 'run.log': Array.from({ length: lines }, (_, at) => `${at} request failed`).join('\n') })
    return callsOf(async () =>
      expect((await grep('failed', { limit })).matches).toBeGreaterThanOrEqual(limit),
    )
  }
  await searched(100, 10)
  const [few, many] = [await searched(500, 500), await searched(2000, 2000)]
  expect(many.get('main/platform/search/found-lines.ts')).toBeGreaterThan(1000)
  expect(grown(few, many, 4.2)).toEqual([])
  expect(grown(await searched(30_000, 100), await searched(120_000, 100), 1.2)).toEqual([])
})
