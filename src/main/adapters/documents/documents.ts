/** Documents as text. */
import { fail, messageOf, ok } from '../../../shared/result.ts'
import type { DocumentReader } from '../../runtime/ports.ts'

export function createDocumentReader(): DocumentReader {
  return {
    async html(html, address) {
      const { htmlToMarkdown } = await import('./html-to-markdown.ts')
      try {
        return ok(htmlToMarkdown(html, address))
      } catch (thrown) {
        return fail({ type: 'damaged', message: `The page can't be read: ${messageOf(thrown)}.` })
      }
    },
    async pdf(bytes, range) {
      const { pdfText } = await import('./pdf-text.ts')
      return pdfText(bytes, range)
    },
  }
}
