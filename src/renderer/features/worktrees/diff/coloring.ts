/** Highlights both sides of a file piece by piece: visible lines first, then all lines from the top. */

import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import type { DiffSide } from './diff-rows.ts'

export type BothSides<T> = Readonly<Record<DiffSide, T>>

/** Lines from 0, `to` excluded. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

export interface ColorPiece {
  readonly side: DiffSide
  /** First line of the piece. */
  readonly from: number
  readonly lines: readonly HighlightedLine[]
}

/** Highlights lines; `after` is the highlighter's state at the end of the preceding lines. */
type Color<State> = (
  code: string,
  after?: State,
) => { readonly lines: readonly HighlightedLine[]; readonly state: State | undefined }

/** Lines highlighted without a break; few enough not to delay other messages. */
const PIECE = 100

export class Coloring<State> {
  private readonly sides: BothSides<Side<State>>

  constructor(texts: BothSides<readonly string[]>, color: Color<State>) {
    this.sides = {
      before: new Side('before', texts.before, color),
      after: new Side('after', texts.after, color),
    }
  }

  setVisible(visible: BothSides<LineRange>): void {
    this.sides.before.visible = visible.before
    this.sides.after.visible = visible.after
  }

  /** The next piece, which replaces earlier pieces of the same lines; null when all lines are highlighted. */
  next(): ColorPiece | null {
    const { before, after } = this.sides
    const [behind, ahead] = before.done < after.done ? [before, after] : [after, before]
    return after.nextVisible() ?? before.nextVisible() ?? behind.nextInOrder() ?? ahead.nextInOrder()
  }
}

class Side<State> {
  visible: LineRange = { from: 0, to: 0 }
  /** Lines from the top whose highlighting is final. */
  done = 0
  private state: State | undefined
  /** Lines further down, highlighted as if the file started there. */
  private guessed: LineRange = { from: 0, to: 0 }
  private readonly side: DiffSide
  private readonly lines: readonly string[]
  private readonly color: Color<State>

  constructor(side: DiffSide, lines: readonly string[], color: Color<State>) {
    this.side = side
    this.lines = lines
    this.color = color
  }

  /** Visible lines that have no highlighting yet. */
  nextVisible(): ColorPiece | null {
    const { done, guessed } = this
    const to = Math.min(this.visible.to, this.lines.length)
    const from = Math.max(this.visible.from, done)
    if (from >= to || (from >= guessed.from && to <= guessed.to)) return null
    if (from < done + PIECE) return this.nextInOrder()
    this.guessed = { from, to }
    return { side: this.side, from, lines: this.color(this.textOf(from, to)).lines }
  }

  nextInOrder(): ColorPiece | null {
    const from = this.done
    if (from >= this.lines.length) return null
    this.done = Math.min(this.lines.length, from + PIECE)
    const { lines, state } = this.color(this.textOf(from, this.done), this.state)
    this.state = state
    return { side: this.side, from, lines }
  }

  private textOf(from: number, to: number): string {
    return this.lines.slice(from, to).join('\n')
  }
}
