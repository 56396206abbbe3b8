/** What the window and the workers that compare and colour files say to each other. */
import type { BothSides, ColourPiece, LineRange } from './colouring.ts'
import type { DiffBlock } from './diff-lines.ts'

export interface CompareRequest {
  readonly id: number
  readonly kind: 'compare'
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly ignoreWhitespace: boolean
}

/** Of files to colour only the last one counts. */
export type ColourRequest =
  | {
      readonly id: number
      readonly kind: 'colour'
      readonly texts: BothSides<readonly string[]>
      readonly language: string
    }
  | { readonly id: number; readonly kind: 'look'; readonly seen: BothSides<LineRange> }
  | { readonly id: number; readonly kind: 'stop' }

export interface CompareAnswer {
  readonly id: number
  readonly kind: 'compare'
  readonly blocks: readonly DiffBlock[]
}

/** One piece of many; none comes where the language is not known. */
export interface ColourAnswer {
  readonly id: number
  readonly kind: 'colour'
  readonly piece: ColourPiece
}
