/** Compares and highlights files off the window's thread. */
import { type CodeHighlighter, codeHighlighter } from '../../../ui/code/highlight-code.ts'
import { Coloring } from './coloring.ts'
import { diffLines } from './diff-lines.ts'
import type { ColorAnswer, ColorRequest, CompareAnswer, CompareRequest } from './diff-protocol.ts'

type State = NonNullable<Parameters<CodeHighlighter>[1]>

/** The current file; null until its grammar is loaded. */
let coloring: Coloring<State> | null = null
let visible: Parameters<Coloring<State>['setVisible']>[0] | null = null
let current = 0

self.onmessage = ({ data }: MessageEvent<CompareRequest | ColorRequest>) => {
  const { id } = data
  switch (data.kind) {
    case 'compare': {
      const blocks = diffLines(data.before, data.after, data.ignoreWhitespace)
      self.postMessage({ id, kind: 'compare', blocks } satisfies CompareAnswer)
      break
    }
    case 'color':
      current = id
      coloring = null
      visible = null
      void begin(data)
      break
    case 'visible':
      if (id !== current) break
      visible = data.visible
      coloring?.setVisible(visible)
      break
    case 'stop':
      if (id === current) current = 0
  }
}

async function begin({ id, texts, language }: ColorRequest & { readonly kind: 'color' }): Promise<void> {
  const color = await codeHighlighter(language).catch(() => null)
  if (color === null || id !== current) return
  coloring = new Coloring(texts, color)
  if (visible !== null) coloring.setVisible(visible)
  work(id)
}

/** Sends one piece per task, so that messages are handled between pieces. */
function work(id: number): void {
  if (id !== current) return
  const piece = coloring?.next() ?? null
  if (piece === null) return
  self.postMessage({ id, kind: 'color', piece } satisfies ColorAnswer)
  setTimeout(() => work(id), 0)
}
