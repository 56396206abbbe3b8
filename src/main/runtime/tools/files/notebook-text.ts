/** A notebook for the model: its cells with their ids, sources and outputs. */

import { countOf, sizeOf } from '../../../../shared/kernel/amounts.ts'
import type { ImageBlock, UserBlock } from '../../../../shared/messages/content.ts'
import { fromBase64, imageFacts } from '../../../../shared/messages/image-facts.ts'
import { type ToolOutcome, toolError } from '../../ports/tool.ts'
import { LARGEST_IMAGE } from './fit-images.ts'
import { field, joined, type Notebook, type NotebookCell } from './notebook.ts'
import { MOST_CHARACTERS } from './numbered-lines.ts'

/** In characters, for the outputs of one cell. */
const LONGEST_OUTPUT = 4000
const MOST_IMAGES = 10
/** In characters of base64, for all images of one result. */
const MOST_IMAGE_DATA = 4_000_000

/** `offset` is the first cell, from 1; `limit` the number of cells. */
export function notebookOutcome(
  { cells, language }: Notebook,
  {
    offset = 1,
    limit = cells.length,
  }: { readonly offset?: number | undefined; readonly limit?: number | undefined },
): ToolOutcome {
  if (offset > Math.max(1, cells.length))
    return toolError(
      `The notebook has only ${countOf(cells.length, 'cell')}, so offset ${offset} is past its end.`,
      'past the end',
    )
  const head = `[A Jupyter notebook with ${countOf(cells.length, 'cell')}${language === '' ? '' : ` (${language})`}. To change a cell use NotebookEdit with its id.]`
  const images: ImageBlock[] = []
  const texts = [head]
  let length = 0
  let last = offset - 1
  for (const cell of cells.slice(offset - 1, offset - 1 + limit)) {
    const text = cellText(cell, images)
    if (last >= offset && length + text.length > MOST_CHARACTERS) break
    texts.push(text.slice(0, MOST_CHARACTERS))
    length += text.length
    last++
  }
  if (last < cells.length)
    texts.push(`[Cells ${offset} to ${last} of ${cells.length}. Continue with offset ${last + 1}.]`)
  const text = texts.join('\n\n')
  const content: readonly UserBlock[] = [{ type: 'text', text }, ...images]
  return {
    isError: false,
    content: images.length === 0 ? text : [...content],
    note:
      last - offset + 1 < cells.length
        ? `cells ${offset} to ${last} of ${cells.length}`
        : countOf(cells.length, 'cell'),
  }
}

function cellText({ id, type, source, outputs }: NotebookCell, images: ImageBlock[]): string {
  const parts = outputs.map((output) => outputText(output, images)).filter((part) => part !== '')
  const output = parts.join('\n')
  const shown =
    output.length <= LONGEST_OUTPUT
      ? output
      : `${output.slice(0, LONGEST_OUTPUT)}\n[… ${countOf(output.length - LONGEST_OUTPUT, 'more character')} of output]`
  return `<cell id="${id}" type="${type}">\n${source}\n</cell>${shown === '' ? '' : `\n<output>\n${shown}\n</output>`}`
}

/** Of the forms of one output the plain one, and its image. */
function outputText(output: unknown, images: ImageBlock[]): string {
  switch (field(output, 'output_type')) {
    case 'stream':
      return joined(field(output, 'text')).trimEnd()
    case 'error':
      return joined(field(output, 'traceback')).replace(ANSI, '') || joined(field(output, 'evalue'))
    default: {
      const data = field(output, 'data')
      const picture = IMAGES.flatMap((type) => joined(field(data, type)).replace(/\s/g, '') || []).at(0)
      const text = joined(field(data, 'text/plain')).trimEnd()
      return picture === undefined ? text : [text, imageNote(picture, images)].join('\n').trim()
    }
  }
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const ANSI = /\u001b\[[\d;]*m/g

function imageNote(data: string, images: ImageBlock[]): string {
  const bytes = fromBase64(data)
  const facts = bytes === null ? null : imageFacts(bytes)
  if (bytes === null || !facts?.size) return '[An image that can’t be read.]'
  const size = `${facts.size.width} × ${facts.size.height} pixels, ${sizeOf(bytes.length)}`
  const used = images.reduce((sum, { source }) => sum + source.data.length, 0)
  if (images.length >= MOST_IMAGES || used + data.length > MOST_IMAGE_DATA || bytes.length > LARGEST_IMAGE)
    return `[An image, not shown: ${size}.]`
  images.push({ type: 'image', source: { type: 'base64', media_type: facts.type, data } })
  return `[Image ${images.length} below: ${size}.]`
}
