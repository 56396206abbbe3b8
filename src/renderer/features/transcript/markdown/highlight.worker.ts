/** Colours code off the window's thread: the grammars' regular expressions can take their time here. */
import { highlightCode } from '../../../ui/code/highlight-code.ts'
import type { HighlightAnswer, HighlightRequest } from './highlight-protocol.ts'

self.onmessage = (event: MessageEvent<HighlightRequest>) => {
  const { id, code, language } = event.data
  highlightCode(code, language)
    .catch(() => null)
    .then((lines) => self.postMessage({ id, lines } satisfies HighlightAnswer))
}
