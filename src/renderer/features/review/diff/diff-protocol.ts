/** What the window and the worker that compares and colours files say to each other. */
import type { HighlightedLine } from '../../../ui/code/code-tokens.ts'
import type { DiffBlock } from './diff-lines.ts'

export type DiffRequest =
  | {
      readonly id: number
      readonly kind: 'compare'
      readonly before: readonly string[]
      readonly after: readonly string[]
      readonly ignoreWhitespace: boolean
    }
  | {
      readonly id: number
      readonly kind: 'colour'
      readonly lines: readonly string[]
      readonly language: string
    }

/** `lines` is null where the language is not known. */
export type DiffAnswer =
  | { readonly id: number; readonly kind: 'compare'; readonly blocks: readonly DiffBlock[] }
  | { readonly id: number; readonly kind: 'colour'; readonly lines: readonly HighlightedLine[] | null }
