/** The window's side of the workers that compare and highlight files. Without workers the window compares itself. */

import { useEffect, useMemo, useState } from 'react'
import { once } from '../../../../shared/kernel/once.ts'
import type { BothSides, ColorPiece, LineRange } from './coloring.ts'
import { comparedSidesOf, type DiffBlock, diffLines } from './diff-lines.ts'
import type { ColorAnswer, ColorRequest, CompareAnswer, CompareRequest } from './diff-protocol.ts'

type Comparison = Omit<CompareRequest, 'id' | 'kind'>

/** Up to this many lines on both sides together, comparing takes less time than asking a worker. */
const MOST_LINES_NOW = 400

/** The blocks of small files, or of any file without workers; null when a worker should compare. */
function compareNow({ before, after, ignoreWhitespace }: Comparison): readonly DiffBlock[] | null {
  const small = before.length === 0 || after.length === 0 || before.length + after.length <= MOST_LINES_NOW
  return small || typeof Worker === 'undefined' ? diffLines(before, after, ignoreWhitespace) : null
}

interface PendingComparison {
  readonly request: CompareRequest
  readonly then: (blocks: readonly DiffBlock[]) => void
}

const startWorker = () => new Worker(new URL('./diff.worker.ts', import.meta.url), { type: 'module' })

/** Sends comparisons one at a time, so that a canceled one costs nothing. */
class Comparer {
  private readonly pending: PendingComparison[] = []
  private lastId = 0
  /** The id of the request that the worker has; null: none. */
  private running: number | null = null
  private readonly worker = once(() => {
    const worker = startWorker()
    worker.onmessage = ({ data: { id, blocks } }: MessageEvent<CompareAnswer>) => {
      const answered = this.remove(id)
      this.running = null
      answered?.then(blocks)
      this.sendNext()
    }
    return worker
  })

  /** Calls `then` with the blocks, unless the returned function cancels first. */
  compare(comparison: Comparison, then: (blocks: readonly DiffBlock[]) => void): () => void {
    const request: CompareRequest = { id: ++this.lastId, kind: 'compare', ...comparison }
    this.pending.push({ request, then })
    this.sendNext()
    return () => this.remove(request.id)
  }

  private remove(id: number): PendingComparison | undefined {
    const at = this.pending.findIndex(({ request }) => request.id === id)
    return at === -1 ? undefined : this.pending.splice(at, 1)[0]
  }

  private sendNext(): void {
    const [first] = this.pending
    if (this.running !== null || first === undefined) return
    this.running = first.request.id
    this.worker().postMessage(first.request)
  }
}

interface ColorJob {
  /** Visible lines are highlighted first. */
  setVisible(visible: BothSides<LineRange>): void
  stop(): void
}

class Colorer {
  /** The jobs that run, by id. */
  private readonly jobs = new Map<number, (piece: ColorPiece) => void>()
  private lastId = 0
  private readonly worker = once(() => {
    const worker = startWorker()
    worker.onmessage = ({ data }: MessageEvent<ColorAnswer>) => this.jobs.get(data.id)?.(data.piece)
    return worker
  })

  color(texts: BothSides<readonly string[]>, language: string, then: (piece: ColorPiece) => void): ColorJob {
    const id = ++this.lastId
    const send = (request: ColorRequest) => this.worker().postMessage(request)
    this.jobs.set(id, then)
    send({ id, kind: 'color', texts, language })
    return {
      setVisible: (visible) => send({ id, kind: 'visible', visible }),
      stop: () => {
        this.jobs.delete(id)
        send({ id, kind: 'stop' })
      },
    }
  }
}

/** Two workers, so that a comparison never waits for highlighting. Both live as long as the window. */
const comparer = new Comparer()
const colorer = new Colorer()

/** Calls `then` for each piece, until the job is stopped. Null without workers. */
export function colorFile(...[texts, language, then]: Parameters<Colorer['color']>): ColorJob | null {
  return typeof Worker === 'undefined' ? null : colorer.color(texts, language, then)
}

/** Compares both sides of a file. */
export interface FileDiff {
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly blocks: readonly DiffBlock[]
  readonly notes: readonly string[]
}

interface Texts {
  readonly before: string | null
  readonly after: string | null
}

/** Null during the first comparison; later the previous diff stays until the next one is done. */
export function useFileDiff({ before, after }: Texts, ignoreWhitespace: boolean): FileDiff | null {
  const sides = useMemo(() => comparedSidesOf(before, after), [before, after])
  const now = useMemo(() => {
    const blocks = compareNow({ ...sides.compared, ignoreWhitespace })
    return blocks === null ? null : { ...sides.shown, blocks, notes: sides.notes }
  }, [sides, ignoreWhitespace])
  const [later, setLater] = useState<FileDiff | null>(null)
  useEffect(() => {
    if (now !== null) return
    return comparer.compare({ ...sides.compared, ignoreWhitespace }, (blocks) =>
      setLater({ ...sides.shown, blocks, notes: sides.notes }),
    )
  }, [now, sides, ignoreWhitespace])
  return now ?? later
}
