/** The window's side of the workers that compare and colour files. Where there are none it compares by itself. */
import type { BothSides, ColourPiece, LineRange } from './colouring.ts'
import { type DiffBlock, diffLines } from './diff-lines.ts'
import type { ColourAnswer, ColourRequest, CompareAnswer, CompareRequest } from './diff-protocol.ts'

type Comparison = Omit<CompareRequest, 'id' | 'kind'>

/** Up to so many lines both sides together are compared at once: that is quicker than to ask. */
const AT_ONCE = 400

/** At once where it is quick, or there are no workers; else null. */
export function compareNow({ before, after, ignoreWhitespace }: Comparison): readonly DiffBlock[] | null {
  const small = before.length === 0 || after.length === 0 || before.length + after.length <= AT_ONCE
  return small || typeof Worker === 'undefined' ? diffLines(before, after, ignoreWhitespace) : null
}

/** Colouring a large file takes long; comparing another one does not wait for it. Each lives as long as the window. */
let comparer: Worker | null = null
let colourer: Worker | null = null
let lastId = 0

function startWorker(): Worker {
  return new Worker(new URL('./diff.worker.ts', import.meta.url), { type: 'module' })
}

interface Waiting {
  readonly request: CompareRequest
  readonly then: (blocks: readonly DiffBlock[]) => void
}

/** Asked one at a time, so that one that nobody waits for any more costs nothing. */
let waiting: readonly Waiting[] = []
let asked: number | null = null

/** Until the returned function is called. */
export function compareLater(
  comparison: Comparison,
  then: (blocks: readonly DiffBlock[]) => void,
): () => void {
  lastId += 1
  const request: CompareRequest = { id: lastId, kind: 'compare', ...comparison }
  waiting = [...waiting, { request, then }]
  askNext()
  return () => {
    waiting = waiting.filter((other) => other.request !== request)
  }
}

function askNext(): void {
  const [first] = waiting
  if (asked !== null || first === undefined) return
  asked = first.request.id
  comparer ??= startComparer()
  comparer.postMessage(first.request)
}

function startComparer(): Worker {
  const worker = startWorker()
  worker.onmessage = ({ data }: MessageEvent<CompareAnswer>) => {
    const answered = waiting.find(({ request }) => request.id === data.id)
    waiting = waiting.filter((other) => other !== answered)
    asked = null
    answered?.then(data.blocks)
    askNext()
  }
  return worker
}

interface ColourJob {
  /** Says what is on the screen: that comes first. */
  look(seen: BothSides<LineRange>): void
  stop(): void
}

/** Calls back with piece after piece. Only one file is coloured at a time, the last one. Null where there are no workers. */
export function colourFile(
  texts: BothSides<readonly string[]>,
  language: string,
  then: (piece: ColourPiece) => void,
): ColourJob | null {
  if (typeof Worker === 'undefined') return null
  lastId += 1
  const id = lastId
  colourer ??= startWorker()
  const worker = colourer
  const ask = (request: ColourRequest) => worker.postMessage(request)
  worker.onmessage = ({ data }: MessageEvent<ColourAnswer>) => {
    if (data.id === id) then(data.piece)
  }
  ask({ id, kind: 'colour', texts, language })
  return {
    look: (seen) => ask({ id, kind: 'look', seen }),
    stop: () => ask({ id, kind: 'stop' }),
  }
}
