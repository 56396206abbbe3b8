/** The window's side of the workers that compare and colour files. Where there are none it compares by itself. */
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

/** A worker that gets one request at a time, so that one that nobody waits for any more costs nothing. */
class Queue {
  private worker: Worker | null = null
  private waiting: { readonly request: DiffRequest; readonly then: (answer: DiffAnswer) => void }[] = []
  private current: number | null = null
  private lastId = 0

  /** Until the returned function is called. */
  ask(make: (id: number) => DiffRequest, then: (answer: DiffAnswer) => void): () => void {
    this.lastId += 1
    const request = make(this.lastId)
    this.waiting.push({ request, then })
    this.next()
    return () => {
      this.waiting = this.waiting.filter((other) => other.request !== request)
    }
  }

  private next(): void {
    const [first] = this.waiting
    if (this.current !== null || first === undefined) return
    this.current = first.request.id
    this.worker ??= this.start()
    this.worker.postMessage(first.request)
  }

  /** For as long as the window lives. */
  private start(): Worker {
    const worker = new Worker(new URL('./diff.worker.ts', import.meta.url), { type: 'module' })
    worker.onmessage = ({ data }: MessageEvent<DiffAnswer>) => {
      const asked = this.waiting.find(({ request }) => request.id === data.id)
      this.waiting = this.waiting.filter((other) => other !== asked)
      this.current = null
      asked?.then(data)
      this.next()
    }
    return worker
  }
}

/** Colouring a large file takes long; comparing another one does not wait for it. */
const comparing = new Queue()
const colouring = new Queue()

/** At once where it is quick, or there are no workers; else null. */
export function compareNow({ before, after, ignoreWhitespace }: Comparison): readonly DiffBlock[] | null {
  const small = before.length === 0 || after.length === 0 || before.length + after.length <= AT_ONCE
  return small || typeof Worker === 'undefined' ? diffLines(before, after, ignoreWhitespace) : null
}

export function compareLater(
  comparison: Comparison,
  then: (blocks: readonly DiffBlock[]) => void,
): () => void {
  return comparing.ask(
    (id) => ({ id, kind: 'compare', ...comparison }),
    (answer) => {
      if (answer.kind === 'compare') then(answer.blocks)
    },
  )
}

/** Nothing where there are no workers, or no grammar. */
export function colourLater(
  lines: readonly string[],
  language: string,
  then: (lines: readonly HighlightedLine[]) => void,
): () => void {
  if (typeof Worker === 'undefined') return () => {}
  return colouring.ask(
    (id) => ({ id, kind: 'colour', lines, language }),
    (answer) => {
      if (answer.kind === 'colour' && answer.lines !== null) then(answer.lines)
    },
  )
}
