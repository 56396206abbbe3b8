/** Compares and highlights files off the window's thread. */
import { type CodeHighlighter, codeHighlighter } from '../../../ui/code/highlight-code.ts'
import { Coloring } from './coloring.ts'
import { diffLines } from './diff-lines.ts'
import type { ColorAnswer, ColorRequest, CompareAnswer, CompareRequest } from './diff-protocol.ts'

type State = NonNullable<Parameters<CodeHighlighter>[1]>

interface Job {
  /** Null until the grammar is loaded. */
  coloring: Coloring<State> | null
  visible: Parameters<Coloring<State>['setVisible']>[0] | null
}

/** The files that are being highlighted, by the id of their request. */
const jobs = new Map<number, Job>()

self.onmessage = ({ data }: MessageEvent<CompareRequest | ColorRequest>) => {
  const { id } = data
  switch (data.kind) {
    case 'compare': {
      const blocks = diffLines(data.before, data.after, data.ignoreWhitespace)
      self.postMessage({ id, kind: 'compare', blocks } satisfies CompareAnswer)
      break
    }
    case 'color':
      jobs.set(id, { coloring: null, visible: null })
      void begin(data)
      break
    case 'visible': {
      const job = jobs.get(id)
      if (job === undefined) break
      job.visible = data.visible
      job.coloring?.setVisible(data.visible)
      break
    }
    case 'stop':
      jobs.delete(id)
  }
}

async function begin({ id, texts, language }: ColorRequest & { readonly kind: 'color' }): Promise<void> {
  const color = await codeHighlighter(language).catch(() => null)
  const job = jobs.get(id)
  if (color === null || job === undefined) return
  job.coloring = new Coloring(texts, color)
  if (job.visible !== null) job.coloring.setVisible(job.visible)
  work(id)
}

/** Sends one piece per task, so that messages are handled, and other files highlighted, between pieces. */
function work(id: number): void {
  const piece = jobs.get(id)?.coloring?.next() ?? null
  if (piece === null) {
    jobs.delete(id)
    return
  }
  self.postMessage({ id, kind: 'color', piece } satisfies ColorAnswer)
  setTimeout(() => work(id), 0)
}
