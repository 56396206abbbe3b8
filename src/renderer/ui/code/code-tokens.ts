/** Code as it is coloured: runs of one kind, line by line. */

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
