/** What the window and the highlighting worker say to each other. */

/** What a piece of code is, as far as colours tell them apart. Index 0 is plain text. */
export const tokenKinds = [
  'plain',
  'comment',
  'string',
  'keyword',
  'constant',
  'function',
  'parameter',
  'punctuation',
  'link',
] as const
export type TokenKind = (typeof tokenKinds)[number]

/** A run of one kind: its text, and the index of its kind. */
export type CodeToken = readonly [text: string, kind: number]
export type HighlightedLine = readonly CodeToken[]

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
