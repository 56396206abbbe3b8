import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CellEdit, editNotebook } from './edit-notebook.ts'

/** As Jupyter writes it: an indent of one space, numbers and escapes of its own, a line end at the end. */
const JUPYTER = `{
 "cells": [
  {
   "cell_type": "markdown",
   "id": "intro",
   "metadata": {},
   "source": [
    "# Über\\n",
    "two"
   ]
  },
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "sum",
   "metadata": {"weight": 1.0, "tiny": 1e-05, "cells": "no, [not these]"},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["source: \\"x\\"\\n"]}
   ],
   "source": "1 + 1"
  }
 ],
 "metadata": { "language_info": { "name": "python" } },
 "nbformat": 4,
 "nbformat_minor": 5
}
`
const edit = (change: Partial<CellEdit>, text = JUPYTER) => {
  const edited = editNotebook(text, { id: null, mode: 'replace', source: '', type: null, ...change })
  if (!edited.ok) throw new Error(edited.failure.message)
  return edited.value
}

describe('a cell of a notebook', () => {
  test('is replaced in its own form, and nothing else changes', () => {
    expect(edit({ id: 'intro', source: 'a\n"b"' })).toEqual({
      text: JUPYTER.replace('"# Über\\n",\n    "two"', '"a\\n",\n    "\\"b\\""'),
      cellId: 'intro',
      before: '# Über\ntwo',
      after: 'a\n"b"',
      hasOutputs: false,
    })
    expect(edit({ id: 'sum', source: '2\n3' })).toMatchObject({
      text: JUPYTER.replace('"1 + 1"', '"2\\n3"'),
      hasOutputs: true,
    })
  })

  test('is found by position where no cell has that id', () => {
    expect(edit({ id: 'cell-1', source: 'x' }).cellId).toBe('sum')
    expect(edit({ id: '0', source: 'x' }).cellId).toBe('intro')
  })

  test('is inserted first, or after another cell, as Jupyter writes it', () => {
    const first = edit({ mode: 'insert', source: 'import os' })
    expect(first.text).toBe(
      JUPYTER.replace(
        '"cells": [\n  {',
        `"cells": [
  {
   "cell_type": "code",
   "execution_count": null,
   "id": "cell-2",
   "metadata": {},
   "outputs": [],
   "source": [
    "import os"
   ]
  },
  {`,
      ),
    )
    const last = edit({ mode: 'insert', id: 'sum', source: 'End', type: 'markdown' })
    expect(last).toMatchObject({ before: null, after: 'End', cellId: 'cell-2' })
    expect(JSON.parse(last.text).cells.at(-1)).toEqual({
      cell_type: 'markdown',
      id: 'cell-2',
      metadata: {},
      source: ['End'],
    })
    expect(last.text.endsWith('}\n')).toBe(true)
  })

  test('is deleted with its comma', () => {
    const lines = JUPYTER.split('\n')
    const without = (from: number, to: number) => [...lines.slice(0, from), ...lines.slice(to)].join('\n')
    expect(edit({ mode: 'delete', id: 'intro' })).toMatchObject({ text: without(2, 11), after: null })
    expect(edit({ mode: 'delete', id: 'sum' }).text).toBe(without(11, 21).replace('  },\n ],', '  }\n ],'))
    const none = edit({ mode: 'delete', id: 'sum' }, edit({ mode: 'delete', id: 'intro' }).text).text
    expect(JSON.parse(none)).toMatchObject({ cells: [], nbformat: 4 })
    expect(JSON.parse(edit({ mode: 'insert', source: 'x' }, none).text).cells).toHaveLength(1)
  })

  test('gets the fields of its new type', () => {
    const text = edit({ id: 'sum', source: 'words', type: 'markdown' }).text
    expect(JSON.parse(text).cells[1]).toEqual({
      cell_type: 'markdown',
      id: 'sum',
      metadata: { weight: 1, tiny: 1e-5, cells: 'no, [not these]' },
      source: ['words'],
    })
    const code = JSON.parse(edit({ id: 'intro', source: '', type: 'code' }).text).cells[0]
    expect(code).toMatchObject({ cell_type: 'code', execution_count: null, outputs: [], source: [] })
  })

  test('keeps CRLF, ASCII escapes and a file without line breaks', () => {
    const crlf = JUPYTER.replaceAll('\n', '\r\n')
    expect(edit({ id: 'intro', source: 'a\nb' }, crlf).text.replaceAll('\r\n', '')).not.toContain('\n')
    const ascii = JUPYTER.replace('Ü', '\\u00dc')
    expect(edit({ id: 'sum', source: 'ä🎭' }, ascii).text).toContain('"\\u00e4\\ud83c\\udfad"')
    const compact = JSON.stringify(JSON.parse(JUPYTER))
    expect(edit({ mode: 'insert', id: 'intro', source: 'x' }, compact).text).not.toContain('\n ')
  })

  test('has no id before format 4.5', () => {
    const old = JUPYTER.replace('"nbformat_minor": 5', '"nbformat_minor": 4')
    expect(JSON.parse(edit({ mode: 'insert', source: 'x' }, old).text).cells[0]).not.toHaveProperty('id')
  })
})

test.each([
  [{ id: 'nope' }, 'There is no cell nope in the notebook. Its cells: intro, sum.'],
  [{ id: 'cell-9' }, 'There is no cell cell-9'],
  [{ mode: 'delete' as const }, 'needs the cell_id'],
])('%j is refused', (change, message) => {
  expect(
    editNotebook(JUPYTER, { id: null, mode: 'replace', source: '', type: null, ...change }),
  ).toMatchObject({
    ok: false,
    failure: { type: 'not-found', message: expect.stringContaining(message) },
  })
})

test.each(['', '{}', '[]', '{"cells": 3}', '{"cells": [', '{"worksheets": []}'])(
  '%s is no notebook',
  (text) => {
    expect(editNotebook(text, { id: null, mode: 'insert', source: '', type: null })).toMatchObject({
      ok: false,
      failure: { type: 'not-notebook' },
    })
  },
)

test('any edit of any notebook leaves the other cells and the rest byte for byte', () => {
  const cell = fc.record({
    cell_type: fc.constantFrom('code', 'markdown', 'raw'),
    metadata: fc.dictionary(fc.string(), fc.jsonValue()),
    source: fc.oneof(fc.string(), fc.array(fc.string())),
    outputs: fc.array(fc.jsonValue()),
  })
  const notebook = fc.record({
    before: fc.jsonValue(),
    cells: fc.array(cell, { minLength: 1 }),
    after: fc.jsonValue(),
  })
  fc.assert(
    fc.property(
      notebook,
      fc.nat(),
      fc.string(),
      fc.constantFrom('', ' ', '  ', '\t'),
      (made, pick, source, indent) => {
        const text = JSON.stringify(made, null, indent)
        const at = pick % made.cells.length
        const target = text.length
        const replaced = edit({ id: String(at), source }, text).text
        const wanted = structuredClone(made)
        const old = wanted.cells[at]!
        old.source = Array.isArray(old.source) ? (source.match(/[^\n]*\n|[^\n]+$/g) ?? []) : source
        expect(replaced).toBe(JSON.stringify(wanted, null, indent))
        const removed = edit({ id: String(at), mode: 'delete' }, text).text
        expect(JSON.parse(removed).cells).toEqual(
          JSON.parse(text).cells.filter((_: unknown, n: number) => n !== at),
        )
        expect(removed.length).toBeLessThan(target)
        const inserted = edit({ id: String(at), mode: 'insert', source }, text).text
        expect(JSON.parse(inserted).cells).toHaveLength(made.cells.length + 1)
        expect(inserted.startsWith(text.slice(0, 20))).toBe(true)
      },
    ),
  )
})
