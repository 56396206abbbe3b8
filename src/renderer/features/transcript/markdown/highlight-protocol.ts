/** The messages between the window and the highlighting worker. */
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'

export interface HighlightRequest {
  readonly id: number
  readonly code: string
  readonly language: string
}

/** `lines` is null if the language is unknown or highlighting failed. */
export interface HighlightAnswer {
  readonly id: number
  readonly lines: readonly HighlightedLine[] | null
}
