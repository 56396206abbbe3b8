/** Jupyter notebooks: their cells, and where these are in the file. */
import { jsonOrUndefined } from '../../../../shared/kernel/json.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { entriesOf, itemsOf, type JsonRange, skipSpace } from './json-ranges.ts'

export interface NotebookCell extends JsonRange {
  /** Its own id, or `cell-3` by its position from 0 where it has none. */
  readonly id: string
  readonly type: string
  readonly source: string
  readonly outputs: readonly unknown[]
}

export interface Notebook {
  readonly cells: readonly NotebookCell[]
  /** Where the list of cells is. */
  readonly list: JsonRange
  readonly language: string
  /** Whether its format has ids of cells: since 4.5. */
  readonly hasIds: boolean
}

export const isNotebook = (path: string): boolean => /\.ipynb$/i.test(path)

/** Fails with `not-notebook`. */
export function readNotebook(text: string): Result<Notebook> {
  const content = jsonOrUndefined(text)
  const cells = field(content, 'cells')
  if (!isObject(content) || !Array.isArray(cells))
    return fail({
      type: 'not-notebook',
      message: 'it is not valid JSON with a list of cells (notebook format 4)',
    })
  const list = entriesOf(text, skipSpace(text, 0)).findLast(({ key }) => key === 'cells')
  if (list === undefined) return fail({ type: 'not-notebook', message: 'it has no list of cells' })
  const ranges = itemsOf(text, list.start)
  const language = field(field(field(content, 'metadata'), 'language_info'), 'name')
  const [major, minor] = [Number(content['nbformat']), Number(content['nbformat_minor'])]
  return ok({
    list,
    language: typeof language === 'string' ? language : '',
    hasIds: major > 4 || (major === 4 && minor >= 5),
    cells: cells.map((cell: unknown, index) => ({
      ...(ranges[index] ?? { start: list.end, end: list.end }),
      ...cellOf(cell, index),
    })),
  })
}

function cellOf(cell: unknown, index: number): Omit<NotebookCell, 'start' | 'end'> {
  const [id, type, outputs] = [field(cell, 'id'), field(cell, 'cell_type'), field(cell, 'outputs')]
  return {
    id: typeof id === 'string' && id !== '' ? id : `cell-${index}`,
    type: typeof type === 'string' ? type : 'raw',
    source: joined(field(cell, 'source')),
    outputs: Array.isArray(outputs) ? outputs : [],
  }
}

/** Text of a notebook is a string, or a list of lines. */
export function joined(text: unknown): string {
  if (Array.isArray(text)) return text.filter((line) => typeof line === 'string').join('')
  return typeof text === 'string' ? text : ''
}

export function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
