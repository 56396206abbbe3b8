/** The text of a PDF document, page by page. */

import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { PdfText } from '../../runtime/ports/documents.ts'

/** The pages from `first` to `last`, as far as they exist. Fails with `password` or `damaged`. */
export async function pdfText(
  bytes: Uint8Array,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<Result<PdfText>> {
  // The library is large, and most runs read no PDF.
  const { getDocumentProxy } = await import('unpdf')
  try {
    // The library takes the buffer away, so it receives a copy.
    const document = await getDocumentProxy(bytes.slice(), { verbosity: 0 })
    try {
      const pages = []
      for (let number = first; number <= Math.min(last, document.numPages); number++)
        pages.push({ number, text: await textOfPage(document, number) })
      return ok({ totalPages: document.numPages, pages })
    } finally {
      await document.loadingTask.destroy()
    }
  } catch (thrown) {
    return thrown instanceof Error && thrown.name === 'PasswordException'
      ? fail({ type: 'password', message: 'The document is protected with a password.' })
      : fail({ type: 'damaged', message: `The document can't be read: ${sentence(messageOf(thrown))}` })
  }
}

type PdfDocument = Awaited<ReturnType<typeof import('unpdf')['getDocumentProxy']>>

async function textOfPage(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
  page.cleanup()
  return text.replace(/[ \t]+$/gm, '').trim()
}
