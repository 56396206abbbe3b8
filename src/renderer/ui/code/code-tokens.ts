/** Highlighted code: runs of one kind, line by line. */

/** The kinds of tokens that have their own color. Index 0 is plain text. */
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

/** The text of a run and the index of its kind. */
export type CodeToken = readonly [text: string, kind: number]
export type HighlightedLine = readonly CodeToken[]
