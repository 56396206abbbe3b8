/** The window's side of the workers that compare and highlight files. Without workers the window compares itself. */

import { useEffect, useMemo, useState } from 'react'
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

/** Two workers, so that a comparison never waits for highlighting. Both live as long as the window. */
let comparer: Worker | null = null
let colorer: Worker | null = null
let lastId = 0

function startWorker(): Worker {
  return new Worker(new URL('./diff.worker.ts', import.meta.url), { type: 'module' })
}

interface PendingComparison {
  readonly request: CompareRequest
  readonly then: (blocks: readonly DiffBlock[]) => void
}

/** Sent one at a time, so that a canceled comparison costs nothing. */
let pending: readonly PendingComparison[] = []
let running: number | null = null

/** Calls `then` with the blocks, unless the returned function cancels first. */
function compareLater(comparison: Comparison, then: (blocks: readonly DiffBlock[]) => void): () => void {
  lastId += 1
  const request: CompareRequest = { id: lastId, kind: 'compare', ...comparison }
  pending = [...pending, { request, then }]
  sendNext()
  return () => {
    pending = pending.filter((other) => other.request !== request)
  }
}

function sendNext(): void {
  const [first] = pending
  if (running !== null || first === undefined) return
  running = first.request.id
  comparer ??= startComparer()
  comparer.postMessage(first.request)
}

function startComparer(): Worker {
  const worker = startWorker()
  worker.onmessage = ({ data }: MessageEvent<CompareAnswer>) => {
    const answered = pending.find(({ request }) => request.id === data.id)
    pending = pending.filter((other) => other !== answered)

    answered?.then(data.blocks)
    sendNext()
  }
  return worker
}

interface ColorJob {
  /** Visible lines are highlighted first. */
  setVisible(visible: BothSides<LineRange>): void
  stop(): void
}

/** The jobs that run, by id. */
const colorJobs = new Map<number, (piece: ColorPiece) => void>()

/** Calls `then` for each piece, until the job is stopped. Null without workers. */
export function colorFile(
  texts: BothSides<readonly string[]>,
  language: string,
  then: (piece: ColorPiece) => void,
): ColorJob | null {
  if (typeof Worker === 'undefined') return null
  lastId += 1
  const id = lastId
  colorer ??= startColorer()
  const worker = colorer
  const send = (request: ColorRequest) => worker.postMessage(request)
  colorJobs.set(id, then)
  send({ id, kind: 'color', texts, language })
  return {
    setVisible: (visible) => send({ id, kind: 'visible', visible }),
    stop: () => {
      colorJobs.delete(id)
      send({ id, kind: 'stop' })
    },
  }
}

function startColorer(): Worker {
  const worker = startWorker()
  worker.onmessage = ({ data }: MessageEvent<ColorAnswer>) => colorJobs.get(data.id)?.(data.piece)
  return worker
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
    return compareLater({ ...sides.compared, ignoreWhitespace }, (blocks) =>
      setLater({ ...sides.shown, blocks, notes: sides.notes }),
    )
  }, [now, sides, ignoreWhitespace])
  return now ?? later
}
