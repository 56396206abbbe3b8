import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { rgPath } from '@vscode/ripgrep'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { GrepQuery } from '../../runtime/ports.ts'
import { createRipgrepSearch } from './ripgrep-search.ts'

let folder: string
const search = createRipgrepSearch({ rgPath, environment: { PATH: process.env['PATH'] } })
const never = new AbortController().signal
const put = async (path: string, text: string, daysOld = 0) => {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
  const then = Date.now() / 1000 - daysOld * 86_400
  await utimes(join(folder, path), then, then)
}
const grep = (more: Partial<GrepQuery>) =>
  search.grep(
    {
      pattern: 'needle',
      path: folder,
      mode: 'content',
      ignoreCase: false,
      lineNumbers: true,
      before: 0,
      after: 0,
      multiline: false,
      limit: 100,
      ...more,
    },
    never,
  )

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-search-'))
  await mkdir(join(folder, '.git'))
  await put('.gitignore', 'ignored/\n', 9)
  await put('ignored/a.ts', 'needle')
  await put('.git/config', 'needle')
  await put('src/old.ts', 'hay\nneedle here\nhay\n', 5)
  await put('src/new.ts', 'Needle\nneedle needle\n', 1)
  await put('.hidden/b.ts', 'hay', 3)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('glob', () => {
  test('newest first; hidden files yes, ignored ones and .git no', async () => {
    const found = await search.glob({ pattern: '**/*.ts', path: folder, limit: 10 }, never)
    expect(found).toEqual({
      ok: true,
      value: {
        paths: ['src/new.ts', '.hidden/b.ts', 'src/old.ts'].map((path) => join(folder, path)),
        truncated: false,
      },
    })
  })

  test('a limit is said, an absolute pattern works, a folder that is missing is a failure', async () => {
    const cut = await search.glob({ pattern: '*.ts', path: folder, limit: 1 }, never)
    expect(cut.ok && cut.value).toMatchObject({ truncated: true, paths: [join(folder, 'src/new.ts')] })
    const absolute = await search.glob({ pattern: `${folder}/src/*.ts`, path: '/', limit: 9 }, never)
    expect(absolute.ok && absolute.value.paths).toHaveLength(2)
    expect(await search.glob({ pattern: '*', path: join(folder, 'nope'), limit: 9 }, never)).toMatchObject({
      ok: false,
      failure: { type: 'not-found' },
    })
  })
})

describe('grep', () => {
  test('lines with their place', async () => {
    const found = await grep({})
    expect(found.ok && found.value).toEqual({
      text: `${folder}/src/new.ts:2:needle needle\n${folder}/src/old.ts:2:needle here`,
      matches: 2,
      truncated: false,
    })
  })

  test('lines around a match are shown and not counted', async () => {
    const found = await grep({ path: join(folder, 'src/old.ts'), before: 1, after: 1 })
    expect(found.ok && found.value.matches).toBe(1)
    expect(found.ok && found.value.text.split('\n')).toHaveLength(3)
  })

  test('files, counts, case, limits', async () => {
    const files = await grep({ mode: 'files_with_matches', ignoreCase: true })
    expect(files.ok && files.value.matches).toBe(2)
    const counts = await grep({ mode: 'count' })
    expect(counts.ok && counts.value.text).toContain('src/new.ts:2')
    const cut = await grep({ limit: 1 })
    expect(cut.ok && cut.value).toMatchObject({ matches: 1, truncated: true })
  })

  test('a pattern is never an option, and a wrong one says why', async () => {
    await put('src/dash.ts', '--pre=evil\n')
    const dashed = await grep({ pattern: '--pre=evil' })
    expect(dashed.ok && dashed.value.matches).toBe(1)
    expect(await grep({ pattern: '(' })).toMatchObject({ ok: false, failure: { type: 'bad-pattern' } })
    expect(await grep({ type: 'klingon' })).toMatchObject({ ok: false, failure: { type: 'bad-pattern' } })
  })

  test('a search that is stopped ends', async () => {
    const controller = new AbortController()
    const running = search.glob({ pattern: '**', path: '/', limit: 10 }, controller.signal)
    controller.abort()
    expect(await running).toMatchObject({ ok: false, failure: { type: 'aborted' } })
  })
})
