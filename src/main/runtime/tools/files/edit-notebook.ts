/** Changes one cell in a notebook's text. Every byte outside the cell stays as it is. */
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { entriesOf } from './json-ranges.ts'
import { type Notebook, type NotebookCell, readNotebook } from './notebook.ts'

export interface CellEdit {
  /** The cell, or for `insert` the one before the new cell; null: none. */
  readonly id: string | null
  readonly mode: 'replace' | 'insert' | 'delete'
  readonly source: string
  /** Null: as it is; a new cell has code. */
  readonly type: 'code' | 'markdown' | null
}

interface EditedNotebook {
  readonly text: string
  readonly cellId: string
  /** Its source before and after; null: the cell does not exist. */
  readonly before: string | null
  readonly after: string | null
  readonly hasOutputs: boolean
}

/** Fails with `not-notebook` or `not-found`. */
export function editNotebook(text: string, edit: CellEdit): Result<EditedNotebook> {
  const notebook = readNotebook(text)
  if (!notebook.ok) return notebook
  const style = styleOf(text)
  const cell = edit.id === null ? null : cellNamed(notebook.value, edit.id)
  if (cell === null && edit.id !== null) return fail(unknownCell(notebook.value, edit.id))
  if (edit.mode === 'insert')
    return ok(inserted(text, { notebook: notebook.value, after: cell, edit, style }))
  if (cell === null)
    return fail({ type: 'not-found', message: `edit_mode ${edit.mode} needs the cell_id of a cell.` })
  return ok(
    edit.mode === 'delete' ? removed(text, notebook.value, cell) : replaced(text, { cell, edit, style }),
  )
}

interface Style {
  /** Empty: the file has no line breaks. */
  readonly indent: string
  readonly lineEnd: string
  readonly isAscii: boolean
}

function styleOf(text: string): Style {
  const [, lineEnd = '\n', indent = ''] = /^\s*\{(\r?\n)([ \t]+)/.exec(text) ?? []
  const isAscii = /^[\0-\x7f]*$/.test(text) && /\\u[0-9a-f]{4}/i.test(text)
  return { indent, lineEnd, isAscii }
}

/** A value as the file's own program would write it at this depth. */
function written(value: unknown, depth: number, { indent, lineEnd, isAscii }: Style): string {
  const text = JSON.stringify(value, null, indent).replaceAll('\n', lineEnd + indent.repeat(depth))
  if (!isAscii) return text
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Keys of a cell are three levels deep: notebook, cells, cell. */
const CELL_DEPTH = 2
const FIELD_DEPTH = 3

function replaced(
  text: string,
  { cell, edit, style }: { readonly cell: NotebookCell; readonly edit: CellEdit; readonly style: Style },
): EditedNotebook {
  const { id, source: before, outputs } = cell
  const facts = { cellId: id, before, after: edit.source, hasOutputs: outputs.length > 0 }
  const entries = entriesOf(text, cell.start)
  const entry = entries.findLast(({ key }) => key === 'source')
  if (entry === undefined || (edit.type !== null && edit.type !== cell.type)) {
    const { outputs: _, execution_count: __, ...rest } = JSON.parse(text.slice(cell.start, cell.end))
    const made = { ...rest, ...contentOf(edit.type ?? cell.type, linesOf(edit.source)) }
    return { ...facts, text: spliced(text, cell, written(made, CELL_DEPTH, style)), hasOutputs: false }
  }
  const source = text[entry.start] === '"' ? edit.source : linesOf(edit.source)
  return { ...facts, text: spliced(text, entry, written(source, FIELD_DEPTH, style)) }
}

function removed(text: string, { cells, list }: Notebook, cell: NotebookCell): EditedNotebook {
  const index = cells.indexOf(cell)
  const [previous, next] = [cells[index - 1], cells[index + 1]]
  // With the comma after the cell, or for the last one the comma before it.
  const range =
    next !== undefined
      ? { start: cell.start, end: next.start }
      : previous !== undefined
        ? { start: previous.end, end: cell.end }
        : { start: list.start + 1, end: list.end - 1 }
  const { id: cellId, source: before } = cell
  return { text: spliced(text, range, ''), cellId, before, after: null, hasOutputs: false }
}

function inserted(
  text: string,
  {
    notebook: { cells, list, hasIds },
    after,
    edit,
    style,
  }: {
    readonly notebook: Notebook
    readonly after: NotebookCell | null
    readonly edit: CellEdit
    readonly style: Style
  },
): EditedNotebook {
  const index = after === null ? 0 : cells.indexOf(after) + 1
  const cellId = hasIds ? newId(cells) : `cell-${index}`
  const made = {
    ...(hasIds && { id: cellId }),
    metadata: {},
    ...contentOf(edit.type ?? 'code', linesOf(edit.source)),
  }
  const cell = written(sorted(made), CELL_DEPTH, style)
  const line = style.indent === '' ? '' : style.lineEnd + style.indent.repeat(CELL_DEPTH)
  const facts = { cellId, before: null, after: edit.source, hasOutputs: false }
  const first = cells[0]
  if (after !== null)
    return { ...facts, text: spliced(text, { start: after.end, end: after.end }, `,${line || ' '}${cell}`) }
  if (first !== undefined)
    return {
      ...facts,
      text: spliced(text, { start: first.start, end: first.start }, `${cell},${line || ' '}`),
    }
  const end = style.indent === '' ? '' : style.lineEnd + style.indent
  return { ...facts, text: spliced(text, list, `[${line}${cell}${end}]`) }
}

/** The fields that depend on a cell's type. */
function contentOf(type: string, source: unknown): Record<string, unknown> {
  return type === 'code'
    ? { cell_type: type, execution_count: null, outputs: [], source }
    : { cell_type: type, source }
}

/** Jupyter writes the keys of a cell in the order of the alphabet. */
const sorted = (cell: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(cell).sort(([a], [b]) => (a < b ? -1 : 1)))

/** `a\nb` as `["a\n", "b"]`. */
const linesOf = (source: string): readonly string[] => source.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** Not random: the request for permission and the write make the same file. */
function newId(cells: readonly NotebookCell[]): string {
  for (let number = cells.length; ; number++) {
    const id = `cell-${number}`
    if (!cells.some((cell) => cell.id === id)) return id
  }
}

/** By id; by position from 0 (`3`, `cell-3`) where no cell has that id. */
function cellNamed({ cells }: Notebook, id: string): NotebookCell | null {
  const position = /^(?:cell-)?(\d+)$/.exec(id)?.[1]
  return (
    cells.find((cell) => cell.id === id) ??
    (position === undefined ? null : (cells[Number(position)] ?? null))
  )
}

function unknownCell({ cells }: Notebook, id: string) {
  const known = cells.slice(0, 20).map((cell) => cell.id)
  const more = cells.length > known.length ? ` and ${cells.length - known.length} more` : ''
  const has = known.length === 0 ? 'It has no cells.' : `Its cells: ${known.join(', ')}${more}.`
  return { type: 'not-found', message: `There is no cell ${id} in the notebook. ${has}` }
}

const spliced = (text: string, { start, end }: { start: number; end: number }, part: string): string =>
  text.slice(0, start) + part + text.slice(end)
