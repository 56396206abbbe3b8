/** The pages of a PDF document for the model. */

import { countOf, withCommas } from '../../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { DocumentReader, PdfText } from '../../ports/documents.ts'
import { type ToolOutcome, toolError } from '../../ports/tool.ts'
import { MOST_CHARACTERS } from './numbered-lines.ts'

const MOST_PAGES = 20

interface PdfRequest {
  readonly shown: string
  readonly bytes: Uint8Array
  /** `3`, `1-5`, `10-`; undefined: from the first page. */
  readonly pages: string | undefined
  /** Whether the call gave lines, which a PDF document does not have. */
  readonly givesLines: boolean
  readonly signal: AbortSignal
}

export async function pdfOutcome(
  documents: DocumentReader,
  { shown, bytes, pages, givesLines, signal }: PdfRequest,
): Promise<ToolOutcome> {
  const range = pageRange(pages)
  if (!range.ok) return toolError(range.failure.message, 'bad pages')
  const read = await documents.pdf(bytes, range.value, signal)
  if (!read.ok) return toolError(`${shown} is a PDF document. ${read.failure.message}`, read.failure.type)
  return outcomeOf(read.value, range.value.first, {
    shown,
    remark: givesLines && pages === undefined ? NO_LINES : '',
  })
}

/** At most 20 pages: the last page of a longer range is moved. */
function pageRange(pages: string | undefined): Result<{ readonly first: number; readonly last: number }> {
  const parts = /^\s*(\d+)\s*(?:([-–])\s*(\d*))?\s*$/.exec(pages ?? '1-')
  const first = Number(parts?.[1] ?? 0)
  const last = parts?.[2] === undefined ? first : Number(parts[3] || first + MOST_PAGES - 1)
  if (first < 1 || last < first)
    return fail({
      type: 'bad-pages',
      message: `pages must be a page or a range such as "3" or "1-5", not "${pages}".`,
    })
  return ok({ first, last: Math.min(last, first + MOST_PAGES - 1) })
}

function outcomeOf(
  { totalPages, pages }: PdfText,
  first: number,
  { shown, remark }: { readonly shown: string; readonly remark: string },
): ToolOutcome {
  const all = countOf(totalPages, 'page')
  if (pages.length === 0)
    return toolError(`${shown} has only ${all}, so page ${first} is past its end.`, 'past the end')
  const texts: string[] = []
  let length = 0
  let last = first - 1
  for (const { number, text } of pages) {
    if (last >= first && length + text.length > MOST_CHARACTERS) break
    texts.push(`[Page ${number}]\n${pageText(text)}`)
    length += text.length
    last = number
  }
  const head = `[A PDF document with ${all}, as text.${remark}${pages.every(({ text }) => text === '') ? SCANNED : ''}]`
  const next = `${last + 1}-${Math.min(totalPages, last + MOST_PAGES)}`
  const rest =
    last < totalPages
      ? [`[Pages ${first} to ${last} of ${withCommas(totalPages)}. Continue with pages "${next}".]`]
      : []
  return {
    isError: false,
    content: [head, ...texts, ...rest].join('\n\n'),
    note: first === 1 && last === totalPages ? all : `pages ${first} to ${last} of ${withCommas(totalPages)}`,
  }
}

const NO_LINES = ' It is read by pages: offset and limit have no effect, use pages.'
const SCANNED =
  ' These pages have no text: they are probably scanned. To read them, turn them into images with a command such as pdftoppm -png, and Read the images.'

function pageText(text: string): string {
  if (text === '') return '(no text on this page: an image, or empty)'
  return text.length > MOST_CHARACTERS
    ? `${text.slice(0, MOST_CHARACTERS)}\n[… ${countOf(text.length - MOST_CHARACTERS, 'more character')} on this page]`
    : text
}
