/** The window's side of the worker that compares and colours files. Where there are no workers it compares by itself. */
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import { type DiffBlock, diffLines } from './diff-lines.ts'
import type { DiffAnswer, DiffRequest } from './diff-protocol.ts'

interface Comparison {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly ignoreWhitespace: boolean
}

/** Up to so many lines both sides together are compared at once: that is quicker than to ask. */
const AT_ONCE = 400

const waiting = new Map<number, (answer: DiffAnswer) => void>()
let worker: Worker | null = null
let lastId = 0

/** At once where it is quick; else null, and the callback gets it unless the returned function is called before. */
export function compareNow({ before, after, ignoreWhitespace }: Comparison): readonly DiffBlock[] | null {
  const small = before.length === 0 || after.length === 0 || before.length + after.length <= AT_ONCE
  return small || typeof Worker === 'undefined' ? diffLines(before, after, ignoreWhitespace) : null
}

export function compareLater(
  comparison: Comparison,
  then: (blocks: readonly DiffBlock[]) => void,
): () => void {
  const id = ++lastId
  return ask({ id, kind: 'compare', ...comparison }, (answer) => {
    if (answer.kind === 'compare') then(answer.blocks)
  })
}

export function colourLater(
  lines: readonly string[],
  language: string,
  then: (lines: readonly HighlightedLine[]) => void,
): () => void {
  if (typeof Worker === 'undefined') return () => {}
  const id = ++lastId
  return ask({ id, kind: 'colour', lines, language }, (answer) => {
    if (answer.kind === 'colour' && answer.lines !== null) then(answer.lines)
  })
}

function ask(request: DiffRequest, then: (answer: DiffAnswer) => void): () => void {
  worker ??= startWorker()
  waiting.set(request.id, then)
  worker.postMessage(request)
  return () => waiting.delete(request.id)
}

/** One for as long as the window lives. */
function startWorker(): Worker {
  const started = new Worker(new URL('./diff.worker.ts', import.meta.url), { type: 'module' })
  started.onmessage = ({ data }: MessageEvent<DiffAnswer>) => {
    const then = waiting.get(data.id)
    waiting.delete(data.id)
    then?.(data)
  }
  return started
}
