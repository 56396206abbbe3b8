/** Compares and colours files off the window's thread: large ones take their time. */
import { type CodeColourer, codeColourer } from '../../../ui/code/highlight-code.ts'
import { Colouring } from './colouring.ts'
import { diffLines } from './diff-lines.ts'
import type { ColourAnswer, ColourRequest, CompareAnswer, CompareRequest } from './diff-protocol.ts'

type State = NonNullable<Parameters<CodeColourer>[1]>

/** The file that is coloured now, once its grammar is there. */
let colouring: Colouring<State> | null = null
let seen: Parameters<Colouring<State>['look']>[0] | null = null
let current = 0

self.onmessage = ({ data }: MessageEvent<CompareRequest | ColourRequest>) => {
  const { id } = data
  switch (data.kind) {
    case 'compare': {
      const blocks = diffLines(data.before, data.after, data.ignoreWhitespace)
      self.postMessage({ id, kind: 'compare', blocks } satisfies CompareAnswer)
      break
    }
    case 'colour':
      current = id
      colouring = null
      seen = null
      void begin(data)
      break
    case 'look':
      if (id !== current) break
      seen = data.seen
      colouring?.look(seen)
      break
    case 'stop':
      if (id === current) current = 0
  }
}

async function begin({ id, texts, language }: ColourRequest & { readonly kind: 'colour' }): Promise<void> {
  const colour = await codeColourer(language).catch(() => null)
  if (colour === null || id !== current) return
  colouring = new Colouring(texts, colour)
  if (seen !== null) colouring.look(seen)
  work(id)
}

/** One piece; what was asked meanwhile is heard before the next one. */
function work(id: number): void {
  if (id !== current) return
  const piece = colouring?.next() ?? null
  if (piece === null) return
  self.postMessage({ id, kind: 'colour', piece } satisfies ColourAnswer)
  setTimeout(() => work(id), 0)
}
