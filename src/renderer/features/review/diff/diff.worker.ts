/** Compares and colours files off the window's thread: large ones take their time. */
import { highlightCode } from '../../../ui/code/highlight-code.ts'
import { diffLines } from './diff-lines.ts'
import type { DiffAnswer, DiffRequest } from './diff-protocol.ts'

self.onmessage = ({ data }: MessageEvent<DiffRequest>) => {
  if (data.kind === 'compare') {
    const blocks = diffLines(data.before, data.after, data.ignoreWhitespace)
    self.postMessage({ id: data.id, kind: 'compare', blocks } satisfies DiffAnswer)
    return
  }
  highlightCode(data.lines.join('\n'), data.language)
    .catch(() => null)
    .then((lines) => self.postMessage({ id: data.id, kind: 'colour', lines } satisfies DiffAnswer))
}
