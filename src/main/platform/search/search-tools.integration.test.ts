import { symlinkSync, utimesSync } from 'node:fs'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AnyTool } from '../../runtime/ports/tool.ts'
import { createGlobTool } from '../../runtime/tools/files/glob.ts'
import { createGrepTool } from '../../runtime/tools/files/grep.ts'
import { createNodeFileSystem } from '../files/node-file-system.ts'
import { createToolBench, noForm, noModel, type ToolBench } from '../files/testing/tool-bench.ts'
import { createRipgrepSearch, findRipgrep } from './ripgrep-search.ts'

const files = createNodeFileSystem()
const search = createRipgrepSearch({ rgPath: findRipgrep, environment: { PATH: process.env['PATH'] } })
const globTool = createGlobTool({ files, search }) as AnyTool
const grepTool = createGrepTool({ files, search }) as AnyTool

let bench: ToolBench
beforeEach(() => {
  bench = createToolBench(files.realPath)
})
afterEach(() => {
  bench.clear()
})

const glob = (pattern: string, path?: string) =>
  bench.call(globTool, path === undefined ? { pattern } : { pattern, path })
const grep = (pattern: string, more: object = {}) => bench.call(grepTool, { pattern, ...more })

describe('Glob', () => {
  it('lists paths relative to the working folder, whichever folder it searched', async () => {
    bench.lay({ 'src/a.ts': '', 'src/b/c.ts': '', 'd.ts': '' })
    for (const [index, name] of ['d.ts', 'src/b/c.ts', 'src/a.ts'].entries())
      utimesSync(bench.path(name), 1000 - index, 1000 - index)
    expect(await glob('**/*.ts')).toMatchObject({ text: 'd.ts\nsrc/b/c.ts\nsrc/a.ts', note: '3 files' })
    expect((await glob('*.ts', 'src')).text).toBe('src/a.ts')
    expect((await glob('src/**/*.ts')).text).toBe('src/b/c.ts\nsrc/a.ts')
    expect((await glob('../src/*.ts', 'src')).text).toBe('src/a.ts')
    expect((await glob(bench.path('src/*.ts'))).text).toBe('src/a.ts')
    expect((await glob('src/b/c.ts')).text).toBe('src/b/c.ts')
  })

  it('requests permission for the folder it will search', async () => {
    const { session } = bench
    const signal = AbortSignal.abort()
    const context = {
      agentId: 'a',
      toolUseId: 't',
      session,
      signal,
      onOutput: () => {},
      askForm: noForm,
      askModel: noModel,
    }
    const asked = async (pattern: string, path?: string) => {
      const target = await globTool.target?.({ pattern, ...(path === undefined ? {} : { path }) }, context)
      return target?.kind === 'read' ? target.path : null
    }
    expect(await asked('**/*.ts')).toBe(bench.folder)
    expect(await asked('src/**/*.ts')).toBe(bench.path('src'))
    expect(await asked('/etc/*.conf')).toBe('/etc')
    expect(await asked('/*')).toBe('/')
    expect(await asked('../*', 'src')).toBe(bench.folder)
    expect(await asked('src/../../*')).toBe(dirname(bench.folder))
    expect(await asked('{../../*,*.ts}')).toBe(bench.folder)
    expect(await asked('a/../../secret.txt')).toBe(dirname(bench.folder))
  })

  it('searches subfolders if a bare name has no direct match', async () => {
    bench.lay({ 'src/deep/target.ts': '' })
    const found = await glob('target.ts')
    expect(found.text).toBe('[No match directly in .; these are in folders below.]\nsrc/deep/target.ts')
    expect(found.note).toBe('1 file')
  })

  it('reports no match, further matches and a missing folder', async () => {
    bench.lay(Object.fromEntries(Array.from({ length: 201 }, (_, index) => [`many/f${index}.txt`, ''])))
    expect(await glob('**/*.py')).toMatchObject({
      isError: false,
      text: 'No file in . matches **/*.py.',
      note: 'no files',
    })
    const many = await glob('many/*')
    expect(many.note).toBe('200+ files')
    expect(many.text).toContain('there are more matches. Narrow the pattern')
    expect(await glob('*', 'nowhere')).toMatchObject({
      isError: true,
      text: expect.stringContaining('does not exist'),
    })
  })

  it('does not search through a link created after the permission check', async () => {
    bench.lay({ 'src/a.ts': '' })
    const call = bench.call(
      globTool,
      { pattern: 'sub/*' },
      { meanwhile: () => symlinkSync('/etc', bench.path('sub')) },
    )
    expect(await call).toMatchObject({
      isError: true,
      text: expect.stringContaining('since the permission check'),
    })
  })
})

describe('Grep', () => {
  it('lists files by default, relative to the working folder', async () => {
    bench.lay({ 'src/a.ts': 'needle', 'b.ts': 'needle', 'c.ts': '' })
    expect(await grep('needle')).toMatchObject({ text: 'b.ts\nsrc/a.ts', note: '2 files' })
    expect(await grep('needle', { path: 'src' })).toMatchObject({ text: 'src/a.ts', note: '1 file' })
    expect(await grep('needle', { output_mode: 'count' })).toMatchObject({
      text: 'b.ts:1\nsrc/a.ts:1',
      note: '2 files',
    })
  })

  it('shows lines, with context on request', async () => {
    bench.lay({ 'src/a.ts': 'one\nneedle\nthree\n' })
    const content = { output_mode: 'content' }
    expect(await grep('needle', content)).toMatchObject({ text: 'src/a.ts\n2:needle', note: '1 match' })
    expect((await grep('NEEDLE', { ...content, '-i': true, '-n': false })).text).toBe('src/a.ts:needle')
    expect((await grep('needle', { ...content, '-C': 1 })).text).toBe('src/a.ts\n1-one\n2:needle\n3-three')
    expect((await grep('needle', { ...content, '-A': '1', path: 'src/a.ts' })).text).toBe('2:needle\n3-three')
    expect((await grep('one.needle', { ...content, multiline: true })).note).toBe('1 match')
  })

  it('leaves a path in the text of a line unchanged', async () => {
    bench.lay({ 'a.txt': `see ${bench.path('b.txt')}\n${bench.path('c.txt')}\n` })
    const { text } = await grep('txt', { output_mode: 'content', path: 'a.txt', '-n': false })
    expect(text).toBe(`see ${bench.path('b.txt')}\n${bench.path('c.txt')}`)
  })

  it('reports how many matches are not shown', async () => {
    bench.lay({ 'a.txt': 'needle\n'.repeat(600) })
    const found = await grep('needle', { output_mode: 'content', head_limit: 5 })
    expect(found.note).toBe('600 matches')
    expect(found.text).toMatch(/\n\n\[Only the first 5 lines of 600 are shown\./)
    expect((await grep('needle', { output_mode: 'content' })).text.split('\n')).toHaveLength(253)
    expect((await grep('needle', { output_mode: 'content', head_limit: 0 })).text.split('\n')).toHaveLength(
      601,
    )
    const next = await grep('needle', { output_mode: 'content', head_limit: 5, offset: 5 })
    expect(next.text).toMatch(/^a\.txt\n6:needle\n/)
    expect(next.text).toContain('5 skipped and the next 5 lines of 600 are shown.')
    expect(next.text).toContain('or continue with offset 10.]')
    const past = await grep('needle', { output_mode: 'content', offset: 600 })
    expect(past).toMatchObject({
      isError: true,
      text: 'There are only 600 matches; offset 600 skips them all.',
    })
  })

  it('leaves out files that need a permission request', async () => {
    bench.lay({
      '.env': 'KEY=needle\n',
      'certs/server.key': 'needle',
      '.env.example': 'KEY=needle',
      'a.ts': 'needle',
    })
    expect((await grep('needle')).text).toBe('.env.example\na.ts')
    expect((await grep('needle', { glob: '.env' })).text).toBe('Nothing matches.')
    const named = await grep('needle', { path: '.env', output_mode: 'content' })
    expect(named.target).toEqual({ kind: 'read', path: bench.path('.env') })
    expect(named.text).toBe('1:KEY=needle')
  })

  it('leaves out secrets of the searched folder itself', async () => {
    bench.lay({ '.config/gh/hosts.yml': 'needle', '.config/app.yml': 'needle' })
    expect((await grep('needle', { path: '.config' })).text).toBe('.config/app.yml')
    expect((await grep('needle')).text).toBe('.config/app.yml')
  })

  it('leaves out files that a rule denies, as Glob does', async () => {
    bench.lay({ 'secrets/a.txt': 'needle', 'src/b.txt': 'needle', 'src/secrets/c.txt': 'needle' })
    const hides = (path: string) => path.startsWith(bench.path('secrets/'))
    const call = async (tool: AnyTool, input: object) => (await bench.call(tool, input, { hides })).text
    const left = 'src/b.txt\nsrc/secrets/c.txt'
    expect(await call(grepTool, { pattern: 'needle' })).toBe(left)
    expect(await call(grepTool, { pattern: 'needle', path: 'src' })).toBe(left)
    expect(await call(grepTool, { pattern: 'needle', output_mode: 'content', glob: 'secrets/**' })).toBe(
      'Nothing matches.',
    )
    expect((await call(globTool, { pattern: '**/*.txt' })).split('\n').sort().join('\n')).toBe(left)
  })

  it('reports no match with a possible cause', async () => {
    bench.lay({ 'src/a.ts': 'a\nb\n' })
    expect(await grep('nothing', { output_mode: 'content' })).toMatchObject({
      isError: false,
      text: 'Nothing matches.',
      note: 'no matches',
    })
    expect((await grep('nothing', { path: 'src' })).text).toBe('Nothing matches in src.')
    expect((await grep('a\\nb')).text).toContain('only with multiline')
    expect((await grep('[^\\n]z')).text).toBe('Nothing matches.')
    expect(await grep('(')).toMatchObject({ isError: true, text: expect.stringContaining('unclosed group') })
    expect(await grep('a', { path: 'gone' })).toMatchObject({ isError: true, text: 'gone does not exist.' })
  })

  it('ends when stopped', async () => {
    const stopped = await bench.call(grepTool, { pattern: 'a' }, { signal: AbortSignal.abort() })
    expect(stopped).toMatchObject({ isError: true, note: 'stopped' })
  })
})
