/** Messages between the window and the workers that compare and highlight files. */
import type { BothSides, ColorPiece, LineRange } from './coloring.ts'
import type { DiffBlock } from './diff-lines.ts'

export interface CompareRequest {
  readonly id: number
  readonly kind: 'compare'
  readonly before: readonly string[]
  readonly after: readonly string[]
  readonly ignoreWhitespace: boolean
}

/** A `color` request runs until all lines are highlighted, or until it is stopped. Several run side by side. */
export type ColorRequest =
  | {
      readonly id: number
      readonly kind: 'color'
      readonly texts: BothSides<readonly string[]>
      readonly language: string
    }
  | { readonly id: number; readonly kind: 'visible'; readonly visible: BothSides<LineRange> }
  | { readonly id: number; readonly kind: 'stop' }

export interface CompareAnswer {
  readonly id: number
  readonly kind: 'compare'
  readonly blocks: readonly DiffBlock[]
}

/** One of many pieces. An unknown language produces none. */
export interface ColorAnswer {
  readonly id: number
  readonly kind: 'color'
  readonly piece: ColorPiece
}
