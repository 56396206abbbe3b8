/** What the window and the highlighting worker say to each other. */
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'

export interface HighlightRequest {
  readonly id: number
  readonly code: string
  readonly language: string
}

/** `lines` is null where the language is not known or the code could not be read. */
export interface HighlightAnswer {
  readonly id: number
  readonly lines: readonly HighlightedLine[] | null
}
