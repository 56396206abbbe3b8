import {
  chmodSync,
  existsSync,
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
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { AnyTool } from '../../runtime/ports/tool.ts'
import { createEditTool } from '../../runtime/tools/files/edit.ts'
import { createReadTool } from '../../runtime/tools/files/read.ts'
import { createWriteTool } from '../../runtime/tools/files/write.ts'
import { toolSchemaOf } from '../../runtime/tools/tool-schema.ts'
import { createNodeFileSystem } from './node-file-system.ts'
import { type CallOptions, createToolBench, type ToolBench } from './testing/tool-bench.ts'

const files = createNodeFileSystem()
const readTool = createReadTool({ files }) as AnyTool
const writeTool = createWriteTool({ files }) as AnyTool
const editTool = createEditTool({ files }) as AnyTool

let bench: ToolBench
beforeEach(() => {
  bench = createToolBench(files.realPath)
})
afterEach(() => {
  bench.clear()
})

const read = (file_path: string, more: object = {}, options?: CallOptions) =>
  bench.call(readTool, { file_path, ...more }, options)
const write = (file_path: string, content: string, options?: CallOptions) =>
  bench.call(writeTool, { file_path, content }, options)
const edit = (
  file_path: string,
  old_string: string,
  new_string: string,
  more: object = {},
  options?: CallOptions,
) => bench.call(editTool, { file_path, old_string, new_string, ...more }, options)

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

describe('Read', () => {
  it('numbers the lines of a relative or absolute path, and asks permission for the absolute path', async () => {
    bench.lay({ 'src/a.ts': 'one\n\ttwo\n' })
    const relative = await read('src/a.ts')
    expect(relative).toMatchObject({ isError: false, text: '     1\tone\n     2\t\ttwo', note: '2 lines' })
    expect(relative.target).toEqual({ kind: 'read', path: bench.path('src/a.ts') })
    expect((await read(bench.path('src/a.ts'))).text).toBe(relative.text)
    expect((await read('./src/../src/a.ts')).target).toEqual(relative.target)
  })

  it('shows a range of a long file and how to continue', async () => {
    bench.lay({ long: Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join('') })
    const start = await read('long')
    expect(start.text).toContain(
      '  2000\tline 2000\n\n[Lines 1 to 2000 of 5,000. Continue with offset 2001.]',
    )
    expect(start.note).toBe('lines 1 to 2000 of 5,000')
    expect((await read('long', { offset: 4999 })).text).toBe('  4999\tline 4999\n  5000\tline 5000')
    expect((await read('long', { offset: 10, limit: 1 })).text).toMatch(
      /^ {4}10\tline 10\n\n\[Lines 10 to 10/,
    )
    expect(await read('long', { offset: 6000 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('only 5000 lines'),
    })
  })

  it('reports an empty file', async () => {
    bench.lay({ empty: '' })
    expect(await read('empty')).toMatchObject({ isError: false, text: '[The file is empty.]' })
  })

  it('reads common encodings, and names line ends and encodings the lines do not show', async () => {
    bench.lay({
      bom: '\uFEFFa\r\nb\r\n',
      utf16: Buffer.from('\uFEFFgrün\n', 'utf16le'),
      latin: Buffer.from('gr\xfcn\n', 'latin1'),
    })
    expect((await read('bom')).text).toBe(
      '     1\ta\n     2\tb\n\n[The file has CRLF line ends. Edit and Write keep this.]',
    )
    expect((await read('utf16')).text).toMatch(/^ {5}1\tgrün\n\n\[The file is in UTF-16 LE/)
    expect((await read('latin')).text).toMatch(/^ {5}1\tgrün\n\n\[The file is in Windows-1252/)
  })

  it('returns an image file as an image', async () => {
    bench.lay({ 'a.png': PIXEL, 'really-a-png.txt': PIXEL })
    for (const name of ['a.png', 'really-a-png.txt']) {
      const { content, note } = await read(name)
      expect(content).toEqual([
        {
          type: 'image',
          source: { type: 'base64', media_type: 'image/png', data: PIXEL.toString('base64') },
        },
      ])
      expect(note).toBe('PNG, 1 × 1 pixels, 70 bytes')
    }
  })

  it('rejects an image without a size', async () => {
    bench.lay({ 'cut.png': PIXEL.subarray(0, 12) })
    expect(await read('cut.png')).toMatchObject({
      isError: true,
      text: expect.stringContaining('truncated or damaged'),
    })
  })

  it('rejects binary files with the reason', async () => {
    bench.lay({
      'a.pdf': '%PDF-1.7 text all the same',
      'a.zip': 'PK\x03\x04\0\0',
      data: new Uint8Array([1, 2, 0, 3]),
      page: '<p>a</p>',
    })
    expect(await read('a.pdf')).toMatchObject({
      isError: true,
      text: expect.stringContaining('a PDF document (26 bytes)'),
    })
    expect((await read('a.zip')).text).toContain('a zip archive')
    expect((await read('data')).text).toContain('binary data (4 bytes), not text')
    expect((await read('page')).isError).toBe(false)
  })

  it('suggests Glob for a folder', async () => {
    bench.lay({ 'src/a.ts': '' })
    expect(await read('src')).toMatchObject({
      isError: true,
      text: expect.stringContaining('use Glob with path "src"'),
    })
  })

  it('suggests similar names for a missing file', async () => {
    bench.lay({ 'src/agent-state.ts': '', 'src/content.ts': '', 'sub/only-here.md': '' })
    expect((await read('src/agnet-state.ts')).text).toBe(
      'src/agnet-state.ts does not exist. Similar names in its folder: agent-state.ts.',
    )
    expect((await read('source/agent-state.ts')).text).toContain('neither does its folder source')
    bench.session.cwd = bench.path('sub')
    expect((await read('only-here.md')).text).toContain('Did you mean sub/only-here.md?')
  })

  it('rejects large files and special files', async () => {
    bench.lay({ large: '' })
    truncateSync(bench.path('large'), 40 * 1024 * 1024)
    expect(await read('large')).toMatchObject({ isError: true, text: expect.stringContaining('has 40 MB') })
    expect(await read('/dev/zero')).toMatchObject({ isError: true })
  })

  it.runIf(process.platform === 'linux')('limits a file that states 0 bytes by what arrives', async () => {
    expect(statSync('/proc/self/pagemap').size).toBe(0)
    const before = process.resourceUsage().maxRSS
    expect(await read('/proc/self/pagemap')).toMatchObject({
      isError: true,
      text: expect.stringContaining('/proc/self/pagemap has more than 32 MB, too large to read at once.'),
    })
    // In KB. The file's end comes after more than 100 GB.
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(256 * 1024)
    expect(await read('/proc/self/comm')).toMatchObject({ isError: false, note: '1 line' })
  })
})

describe('Write', () => {
  it('creates a file and its folders, with the content in the permission request', async () => {
    const made = await write('src/deep/a.ts', 'one\ntwo\n')
    expect(made.target).toEqual({
      kind: 'write',
      path: bench.path('src/deep/a.ts'),
      preview: '@@ -0,0 +1,2 @@\n+one\n+two\n',
    })
    expect(made).toMatchObject({
      isError: false,
      text: 'Created src/deep/a.ts (2 lines).',
      note: '+2',
      display: { kind: 'diff', path: 'src/deep/a.ts', added: 2, removed: 0, created: true },
    })
    expect(bench.text('src/deep/a.ts')).toBe('one\ntwo\n')
  })

  it('replaces a file that the agent has read, repeatedly', async () => {
    bench.lay({ a: 'one\n' })
    await read('a')
    expect(await write('a', 'two\n')).toMatchObject({
      isError: false,
      note: '+1 −1',
      display: { patch: '@@ -1,1 +1,1 @@\n-one\n+two\n', created: false },
    })
    expect(await write('a', 'three\n')).toMatchObject({ isError: false })
    expect(await write('a', 'three\n')).toMatchObject({ isError: false, note: 'no change' })
    expect(bench.text('a')).toBe('three\n')
  })

  it('rejects an unread file without a permission request', async () => {
    bench.lay({ a: 'precious\n' })
    const refused = await write('a', 'x')
    expect(refused).toMatchObject({ isError: true, target: { kind: 'none' }, note: 'not read yet' })
    expect(refused.text).toContain('Read it first')
    expect(bench.text('a')).toBe('precious\n')
  })

  it('rejects a file that changed after the read', async () => {
    bench.lay({ a: 'one\n' })
    utimesSync(bench.path('a'), 1000, 1000)
    await read('a')
    writeFileSync(bench.path('a'), 'TWO\n')
    utimesSync(bench.path('a'), 1000, 1000)
    expect(await write('a', 'x')).toMatchObject({
      isError: true,
      note: 'changed meanwhile',
      target: { kind: 'none' },
    })
    expect(bench.text('a')).toBe('TWO\n')
    await read('a')
    expect((await write('a', 'x')).isError).toBe(false)
  })

  it('replaces a file whose time changed but whose content did not', async () => {
    bench.lay({ a: 'one\n' })
    await read('a')
    utimesSync(bench.path('a'), 1000, 1000)
    expect((await write('a', 'two\n')).isError).toBe(false)
  })

  it('writes nothing if the file changed during the permission request', async () => {
    bench.lay({ a: 'one\n' })
    await read('a')
    const refused = await write('a', 'x', { meanwhile: () => writeFileSync(bench.path('a'), 'theirs') })
    expect(refused).toMatchObject({ isError: true, target: { kind: 'write' } })
    expect(bench.text('a')).toBe('theirs')
    const made = await write('new', 'x', { meanwhile: () => writeFileSync(bench.path('new'), 'theirs') })
    expect(made.isError).toBe(true)
    expect(bench.text('new')).toBe('theirs')
  })

  it('does not run a write that was rejected without a permission request', async () => {
    bench.lay({ a: 'one\n' })
    const meanwhile = () => rmSync(bench.path('a'))
    expect(await write('a', 'x', { meanwhile })).toMatchObject({ isError: true, target: { kind: 'none' } })
    expect(existsSync(bench.path('a'))).toBe(false)
  })

  it('keeps the encoding, line ends and mode of the file', async () => {
    bench.lay({ crlf: 'a\r\nb\r\n', bom: '\uFEFFa\n', utf16: Buffer.from('\uFEFFa\r\n', 'utf16le') })
    chmodSync(bench.path('crlf'), 0o755)
    for (const name of ['crlf', 'bom', 'utf16']) await read(name)
    expect((await write('crlf', 'x\ny\n')).text).toContain('The file keeps its CRLF line ends.')
    await write('bom', 'x\n')
    await write('utf16', 'ü\n')
    expect(bench.text('crlf')).toBe('x\r\ny\r\n')
    expect(statSync(bench.path('crlf')).mode & 0o777).toBe(0o755)
    expect(bench.text('bom')).toBe('\uFEFFx\n')
    expect(readFileSync(bench.path('utf16')).equals(Buffer.from('\uFEFFü\r\n', 'utf16le'))).toBe(true)
  })

  it('reports a character that the encoding of the file lacks', async () => {
    bench.lay({ latin: Buffer.from('gr\xfcn\n', 'latin1') })
    await read('latin')
    expect((await write('latin', 'grün\n')).isError).toBe(false)
    expect(readFileSync(bench.path('latin')).equals(Buffer.from('gr\xfcn\n', 'latin1'))).toBe(true)
    expect((await write('latin', '✓ grün\n')).text).toContain('The file is UTF-8 now')
    expect(bench.text('latin')).toBe('✓ grün\n')
  })

  it('rejects a folder', async () => {
    bench.lay({ 'src/a': '' })
    expect(await write('src', 'x')).toMatchObject({ isError: true, text: 'src is a folder, not a file.' })
  })
})

describe('Edit', () => {
  it('replaces one occurrence, with the change in the permission request', async () => {
    bench.lay({ 'src/a.ts': 'one\ntwo\nthree' })
    await read('src/a.ts')
    const done = await edit('src/a.ts', 'two', 'TWO\nand more')
    expect(done.target).toMatchObject({
      kind: 'write',
      path: bench.path('src/a.ts'),
      preview: expect.stringContaining('-two\n+TWO\n+and more\n'),
    })
    expect(done).toMatchObject({ isError: false, text: 'Edited src/a.ts (line 2).', note: '+2 −1' })
    expect(bench.text('src/a.ts')).toBe('one\nTWO\nand more\nthree')
    expect((await edit('src/a.ts', 'and more', 'and less')).isError).toBe(false)
  })

  it('replaces all occurrences with replace_all', async () => {
    bench.lay({ a: 'x y x\nx\n' })
    await read('a')
    expect(await edit('a', 'x', 'z')).toMatchObject({
      isError: true,
      note: 'several places',
      text: expect.stringContaining('3 times, at lines 1, 1 and 2'),
      target: { kind: 'none' },
    })
    expect((await edit('a', 'x', 'z', { replace_all: true })).text).toBe(
      'Edited a (3 occurrences: lines 1, 1 and 2).',
    )
    expect(bench.text('a')).toBe('z y z\nz\n')
  })

  it('keeps line ends, byte-order mark, encoding and a missing final newline', async () => {
    bench.lay({
      crlf: '\uFEFFa\r\nb\r\nc',
      utf16: Buffer.from('\uFEFFa\r\nb\r\n', 'utf16le'),
      latin: Buffer.from('gr\xfcn\nrot\n', 'latin1'),
    })
    for (const name of ['crlf', 'utf16', 'latin']) await read(name)
    await edit('crlf', 'a\nb', 'a\nx\nb')
    await edit('utf16', 'b\n', 'c\n')
    await edit('latin', 'rot', 'blau')
    expect(bench.text('crlf')).toBe('\uFEFFa\r\nx\r\nb\r\nc')
    expect(readFileSync(bench.path('utf16')).equals(Buffer.from('\uFEFFa\r\nc\r\n', 'utf16le'))).toBe(true)
    expect(readFileSync(bench.path('latin')).equals(Buffer.from('gr\xfcn\nblau\n', 'latin1'))).toBe(true)
    expect((await edit('latin', 'blau', '✓')).text).toContain("Windows-1252, which can't encode “✓”")
  })

  it('rejects an unread, changed or missing file', async () => {
    bench.lay({ a: 'one\n', secret: 'the secret\n' })
    expect(await edit('secret', 'secret', 'x')).toMatchObject({ isError: true, note: 'not read yet' })
    expect((await edit('secret', 'guess', 'x')).text).not.toContain('the secret')
    await read('a')
    writeFileSync(bench.path('a'), 'one two\n')
    expect(await edit('a', 'one', 'x')).toMatchObject({ isError: true, note: 'changed meanwhile' })
    expect(await edit('none', 'one', 'x')).toMatchObject({ isError: true, note: 'not found' })
    expect(bench.text('a')).toBe('one two\n')
  })

  it('creates a file from an empty old_string, and rejects an existing file', async () => {
    expect(await edit('new/file', '', 'text\n')).toMatchObject({ isError: false, display: { created: true } })
    expect(bench.text('new/file')).toBe('text\n')
    expect(await edit('new/file', '', 'other\n')).toMatchObject({ isError: true, note: 'exists already' })
    expect(bench.text('new/file')).toBe('text\n')
  })

  it('leaves no temporary file behind', async () => {
    bench.lay({ a: 'one\n' })
    await read('a')
    await edit('a', 'one', 'two')
    await edit('a', 'nothing', 'x')
    expect(readdirSync(bench.folder)).toEqual(['a'])
  })
})

describe('several agents in one folder', () => {
  it('never overwrite a change they have not read', async () => {
    bench.lay({ counter: '0\n' })
    const raise = async () => {
      const session = bench.newSession()
      for (let done = 0, tries = 0; done < 5; tries++) {
        if (tries > 2000) throw new Error('No way through.')
        const number = Number((await read('counter', {}, { session })).text.trim().split('\t')[1])
        const outcome = await edit('counter', String(number), String(number + 1), {}, { session })
        if (!outcome.isError) done++
      }
    }
    await Promise.all(Array.from({ length: 8 }, raise))
    expect(bench.text('counter')).toBe('40\n')
  })

  it('learn that another agent changed the file first', async () => {
    bench.lay({ a: 'one\n' })
    const other = bench.newSession()
    await read('a')
    await read('a', {}, { session: other })
    expect((await write('a', 'mine\n')).isError).toBe(false)
    const late = await edit('a', 'one', 'theirs', {}, { session: other })
    expect(late.text).toContain('another agent')
    expect(bench.text('a')).toBe('mine\n')
  })
})

describe('links', () => {
  let outside: string
  beforeEach(() => {
    outside = realpathSync(mkdtempSync(join(tmpdir(), 'troupe-outside-')))
    writeFileSync(join(outside, 'a'), 'secret\n')
  })
  afterEach(() => {
    rmSync(outside, { recursive: true, force: true })
  })

  const plantFolder = () => {
    renameSync(bench.path('src'), bench.path('was-src'))
    symlinkSync(outside, bench.path('src'))
  }
  const plantFile = () => {
    rmSync(bench.path('src/a'))
    symlinkSync(join(outside, 'a'), bench.path('src/a'))
  }

  it.each([
    ['a folder', plantFolder],
    ['a file', plantFile],
  ])('that replace %s after the permission check are rejected', async (_, meanwhile) => {
    bench.lay({ 'src/a': 'mine\n' })
    await read('src/a')
    const refused = await read('src/a', {}, { meanwhile })
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringContaining('since the permission check'),
    })
    expect(refused.text).not.toContain('secret')
  })

  it.each([
    ['a folder', plantFolder],
    ['a file', plantFile],
  ])('that replace %s before a write are rejected', async (_, meanwhile) => {
    bench.lay({ 'src/a': 'mine\n' })
    await read('src/a')
    expect(await edit('src/a', 'mine', 'x', {}, { meanwhile })).toMatchObject({ isError: true })
    expect(readFileSync(join(outside, 'a'), 'utf8')).toBe('secret\n')
    expect(readdirSync(outside)).toEqual(['a'])
  })

  it('that appear in place of a new file are rejected', async () => {
    mkdirSync(bench.path('src'))
    const refused = await write('src/new', 'x', { meanwhile: plantFolder })
    expect(refused.isError).toBe(true)
    expect(readdirSync(outside)).toEqual(['a'])
  })

  it('that existed before are followed and kept', async () => {
    bench.lay({ real: 'one\n' })
    symlinkSync('real', bench.path('link'))
    await read('link')
    expect((await edit('real', 'one', 'two')).isError).toBe(false)
    expect((await edit('link', 'two', 'three')).isError).toBe(false)
    expect(bench.text('real')).toBe('three\n')
    expect(lstatSync(bench.path('link')).isSymbolicLink()).toBe(true)
  })
})

describe('the edits of MultiEdit', () => {
  const edits = (...pairs: readonly (readonly [string, string])[]) =>
    pairs.map(([old_string, new_string]) => ({ old_string, new_string }))

  it('are made one after the other, in one write', async () => {
    bench.lay({ 'a.txt': 'one\ntwo\nthree\n' })
    await bench.call(readTool, { file_path: 'a.txt' })
    const input = { file_path: 'a.txt', edits: edits(['one', '1\nuno'], ['uno', 'UNO'], ['three', '3']) }
    const { text, note, target } = await bench.call(editTool, input)
    expect(bench.text('a.txt')).toBe('1\nUNO\ntwo\n3\n')
    expect(text).toBe('Edited a.txt (3 places: lines 1, 2 and 4).')
    expect(note).toBe('+3 −2')
    expect(target).toMatchObject({ kind: 'write', preview: expect.stringContaining('+UNO') })
  })

  it('are all refused where one of them fails', async () => {
    bench.lay({ 'a.txt': 'one\ntwo\n' })
    await bench.call(readTool, { file_path: 'a.txt' })
    const called = await bench.call(editTool, {
      file_path: 'a.txt',
      edits: edits(['one', '1'], ['nine', '9']),
    })
    expect(called).toMatchObject({ isError: true, note: 'not found' })
    expect(called.text).toMatch(/^a\.txt was not changed: edit 2 of 2: /)
    expect(bench.text('a.txt')).toBe('one\ntwo\n')
  })

  it('create a file, and may come as text', async () => {
    const made = JSON.stringify(edits(['', 'first'], ['first', 'second']))
    expect((await bench.call(editTool, { file_path: 'new.txt', edits: made })).text).toBe('Created new.txt.')
    expect(bench.text('new.txt')).toBe('second')
  })

  it('need a text each, as one edit does', async () => {
    expect((await bench.call(editTool, { file_path: 'a.txt' })).text).toContain(
      '`old_string` is missing (text); `new_string` is missing (text)',
    )
    expect((await bench.call(editTool, { file_path: 'a.txt', edits: [{ old_string: 'a' }] })).text).toContain(
      '`edits.0.new_string` is missing (text)',
    )
    const { input_schema: schema } = toolSchemaOf(editTool)
    expect(schema).toMatchObject({ required: ['file_path', 'old_string', 'new_string'] })
    expect(schema['properties']).not.toHaveProperty('edits')
  })
})
