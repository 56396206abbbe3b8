/** Highlights code outside the window's thread, because the grammars' regular expressions can be slow. */
import { highlightCode } from '../../../ui/code/highlight-code.ts'
import type { HighlightAnswer, HighlightRequest } from './highlight-protocol.ts'

self.onmessage = (event: MessageEvent<HighlightRequest>) => {
  const { id, code, language } = event.data
  highlightCode(code, language)
    .catch(() => null)
    .then((lines) => self.postMessage({ id, lines } satisfies HighlightAnswer))
}
