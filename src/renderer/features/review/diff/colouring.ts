/** Colours both sides of a file piece by piece: first what is on the screen, then the rest from the top. */
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import type { DiffSide } from './diff-rows.ts'

export type BothSides<T> = Readonly<Record<DiffSide, T>>

/** Lines from 0; `to` is not one of them. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

export interface ColourPiece {
  readonly side: DiffSide
  /** Its first line. */
  readonly from: number
  readonly lines: readonly HighlightedLine[]
}

/** Colours lines; `after` is the state in which the lines before them ended. */
type Colour<State> = (
  code: string,
  after?: State,
) => { readonly lines: readonly HighlightedLine[]; readonly state: State | undefined }

/** Lines that are coloured at once: a moment's work. */
const PIECE = 100

export class Colouring<State> {
  private readonly sides: BothSides<Side<State>>

  constructor(texts: BothSides<readonly string[]>, colour: Colour<State>) {
    this.sides = {
      before: new Side('before', texts.before, colour),
      after: new Side('after', texts.after, colour),
    }
  }

  /** What is on the screen now. */
  look(seen: BothSides<LineRange>): void {
    this.sides.before.seen = seen.before
    this.sides.after.seen = seen.after
  }

  /** The next piece; a later one may be about lines of an earlier one, and is right then. Null: all is coloured. */
  next(): ColourPiece | null {
    const { before, after } = this.sides
    const [behind, ahead] = before.done < after.done ? [before, after] : [after, before]
    return after.nextSeen() ?? before.nextSeen() ?? behind.nextInOrder() ?? ahead.nextInOrder()
  }
}

class Side<State> {
  seen: LineRange = { from: 0, to: 0 }
  /** Lines that are coloured for good, from the top. */
  done = 0
  private state: State | undefined
  /** Lines further down that were coloured as if the file began with them. */
  private guessed: LineRange = { from: 0, to: 0 }
  private readonly side: DiffSide
  private readonly lines: readonly string[]
  private readonly colour: Colour<State>

  constructor(side: DiffSide, lines: readonly string[], colour: Colour<State>) {
    this.side = side
    this.lines = lines
    this.colour = colour
  }

  /** What is on the screen and has no colours yet. */
  nextSeen(): ColourPiece | null {
    const { done, guessed } = this
    const to = Math.min(this.seen.to, this.lines.length)
    const from = Math.max(this.seen.from, done)
    if (from >= to || (from >= guessed.from && to <= guessed.to)) return null
    if (from < done + PIECE) return this.nextInOrder()
    this.guessed = { from, to }
    return { side: this.side, from, lines: this.colour(this.textOf(from, to)).lines }
  }

  nextInOrder(): ColourPiece | null {
    const from = this.done
    if (from >= this.lines.length) return null
    this.done = Math.min(this.lines.length, from + PIECE)
    const { lines, state } = this.colour(this.textOf(from, this.done), this.state)
    this.state = state
    return { side: this.side, from, lines }
  }

  private textOf(from: number, to: number): string {
    return this.lines.slice(from, to).join('\n')
  }
}
