import { afterEach, beforeEach, expect, test } from 'vitest'
import type { AnyTool } from '../../runtime/ports/tool.ts'
import { createNotebookEditTool } from '../../runtime/tools/files/notebook-edit.ts'
import { createReadTool } from '../../runtime/tools/files/read.ts'
import { createDocumentReader, documentScript } from '../documents/documents.ts'
import { smallPdf } from '../documents/testing/small-pdf.ts'
import { createNodeFileSystem } from './node-file-system.ts'
import { createToolBench, type ToolBench } from './testing/tool-bench.ts'

const files = createNodeFileSystem()
const read = createReadTool({
  files,
  documents: createDocumentReader({ script: documentScript('') }),
}) as AnyTool
const edit = createNotebookEditTool({ files }) as AnyTool
let bench: ToolBench
afterEach(() => bench.clear())

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const notebook = (cells: readonly object[]) =>
  `${JSON.stringify({ cells, metadata: { language_info: { name: 'python' } }, nbformat: 4, nbformat_minor: 5 }, null, 1)}\n`
const code = (id: string, source: string, outputs: readonly object[] = []) => ({
  cell_type: 'code',
  execution_count: 1,
  id,
  metadata: {},
  outputs,
  source: source.split(/(?<=\n)/),
})

beforeEach(() => {
  bench = createToolBench(files.realPath)
  bench.lay({
    'a.ipynb': notebook([
      { cell_type: 'markdown', id: 'title', metadata: {}, source: ['# Title\n', 'Words'] },
      code('plot', 'plot(1)\nshow()', [
        { output_type: 'stream', name: 'stdout', text: ['drawing\n'] },
        { output_type: 'display_data', data: { 'image/png': `${PNG}\n`, 'text/plain': ['<Figure>'] } },
        { output_type: 'error', ename: 'E', evalue: 'bad', traceback: ['\u001b[31mE: bad\u001b[0m'] },
      ]),
    ]),
    'other.ipynb': 'not JSON',
    'ten.pdf': smallPdf(Array.from({ length: 45 }, (_, index) => `Words of page ${index + 1}`)),
    'scan.pdf': smallPdf(['', '']),
    'broken.pdf': '%PDF-1.7 but nothing else',
  })
})

test('Read shows the cells of a notebook with ids, outputs and images', async () => {
  const { content, text, note, seen } = await bench.call(read, { file_path: 'a.ipynb' })
  expect(note).toBe('2 cells')
  expect(text).toContain('2 cells (python)')
  expect(text).toContain('<cell id="title" type="markdown">\n# Title\nWords\n</cell>')
  expect(text).toContain(
    '<cell id="plot" type="code">\nplot(1)\nshow()\n</cell>\n<output>\ndrawing\n<Figure>',
  )
  expect(text).toContain('[Image 1 below: 1 × 1 pixels')
  expect(text).toContain('\nE: bad\n</output>')
  expect(content).toMatchObject([
    { type: 'text' },
    { type: 'image', source: { media_type: 'image/png', data: PNG } },
  ])
  expect(seen?.path).toBe(bench.path('a.ipynb'))
})

test('a long notebook is read in parts, and long outputs are cut', async () => {
  const cells = Array.from({ length: 60 }, (_, n) =>
    code(`c${n}`, 'x'.repeat(3000), [{ output_type: 'stream', text: 'y'.repeat(9000) }]),
  )
  bench.lay({ 'long.ipynb': notebook(cells) })
  const first = await bench.call(read, { file_path: 'long.ipynb' })
  expect(first.text.length).toBeLessThan(110_000)
  expect(first.text).toContain('5,000 more characters of output')
  const next = Number(/Continue with offset (\d+)\.\]$/.exec(first.text)?.[1])
  const second = await bench.call(read, { file_path: 'long.ipynb', offset: next, limit: 2 })
  expect(second.text).toContain(`<cell id="c${next - 1}"`)
  expect(second.note).toBe(`cells ${next} to ${next + 1} of 60`)
  expect(await bench.call(read, { file_path: 'long.ipynb', offset: 61 })).toMatchObject({ isError: true })
})

test('a PDF document is read by pages, and lines are said to have no effect', async () => {
  const said = async (more: object) => (await bench.call(read, { file_path: 'ten.pdf', ...more })).text
  expect(await said({ offset: 100, limit: 10 })).toContain('offset and limit have no effect, use pages.')
  expect(await said({ pages: '2', limit: 2000 })).not.toContain('no effect')
})

test('an inserted cell is named with its place', async () => {
  await bench.call(read, { file_path: 'a.ipynb' })
  const insert = { notebook_path: 'a.ipynb', edit_mode: 'insert', new_source: 'x' }
  expect((await bench.call(edit, insert)).text).toMatch(
    /^Inserted the cell \S+ as the first cell in a\.ipynb\.$/,
  )
  expect((await bench.call(edit, { ...insert, cell_id: 'title' })).text).toMatch(
    / after title in a\.ipynb\.$/,
  )
})

test('a file with that name and other content is text', async () => {
  expect((await bench.call(read, { file_path: 'other.ipynb' })).text).toContain('1\tnot JSON')
})

test('NotebookEdit changes a cell that was read, and shows the difference of its source', async () => {
  const call = { notebook_path: 'a.ipynb', cell_id: 'plot', new_source: 'plot(2)\nshow()' }
  expect(await bench.call(edit, call)).toMatchObject({ isError: true, note: 'not read yet' })
  await bench.call(read, { file_path: 'a.ipynb' })
  const before = bench.text('a.ipynb')
  const { target, text, note, display } = await bench.call(edit, call)
  expect(target).toMatchObject({ kind: 'write', path: bench.path('a.ipynb') })
  expect(target?.kind === 'write' && target.preview).toContain('-plot(1)\n+plot(2)\n show()')
  expect(text).toBe(
    'Replaced the source of the cell plot in a.ipynb. Its outputs are from before this change.',
  )
  expect(note).toBe('+1 −1')
  expect(display).toMatchObject({ kind: 'diff', path: 'a.ipynb', added: 1, removed: 1, created: false })
  expect(bench.text('a.ipynb')).toBe(before.replace('plot(1)', 'plot(2)'))
  // The agent knows the file that it has written.
  expect(await bench.call(edit, { ...call, new_source: 'x' })).toMatchObject({ isError: false })
  bench.lay({ 'a.ipynb': before })
  expect(await bench.call(edit, call)).toMatchObject({ isError: true, note: 'changed meanwhile' })
})

test('NotebookEdit says what is wrong with a call', async () => {
  for (const name of ['a.ipynb', 'other.ipynb']) await bench.call(read, { file_path: name })
  const said = async (input: object) => (await bench.call(edit, input)).text
  expect(await said({ notebook_path: 'a.ipynb', cell_id: 'x', new_source: '' })).toContain(
    'Its cells: title, plot.',
  )
  expect(await said({ notebook_path: 'other.ipynb', cell_id: 'x', new_source: '' })).toContain('Use Edit')
  expect(await said({ notebook_path: 'none.ipynb', cell_id: 'x', new_source: '' })).toContain(
    'does not exist',
  )
  expect(await said({ notebook_path: 'a.ipynb', edit_mode: 'move' })).toContain('`edit_mode` must be one of')
})

test('Read shows a PDF document page by page', async () => {
  const all = await bench.call(read, { file_path: 'ten.pdf' })
  expect(all.text).toContain('[Page 1]\nWords of page 1\n\n[Page 2]')
  expect(all.text).toMatch(/\[Pages 1 to 20 of 45\. Continue with pages "21-40"\.\]$/)
  const some = await bench.call(read, { file_path: 'ten.pdf', pages: '44-60' })
  expect(some).toMatchObject({ isError: false, note: 'pages 44 to 45 of 45' })
  expect(some.text).not.toContain('Words of page 43')
  expect(some.text).toContain('Words of page 45')
  expect((await bench.call(read, { file_path: 'ten.pdf', pages: '3' })).note).toBe('pages 3 to 3 of 45')
})

test('Read says why a PDF document has no text', async () => {
  expect((await bench.call(read, { file_path: 'scan.pdf' })).text).toContain('probably scanned')
  for (const [input, said] of [
    [{ file_path: 'broken.pdf' }, /can't be read/],
    [{ file_path: 'ten.pdf', pages: '46' }, /has only 45 pages/],
    [{ file_path: 'ten.pdf', pages: 'all' }, /"3" or "1-5"/],
    [{ file_path: 'ten.pdf', pages: '5-2' }, /"3" or "1-5"/],
  ] as const) {
    const { isError, text } = await bench.call(read, input)
    expect(isError).toBe(true)
    expect(text).toMatch(said)
  }
})
