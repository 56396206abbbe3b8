/** A block of a message, as far as this function looks at it. */
type Block = { readonly type: 'text'; readonly text: string } | { readonly type: string }

/**
 * The text of blocks, what is not text left out. In a file of its own, so that the window needs no schemas
 * to read a message.
 */
export function textOf(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content
  return content
    .filter((block): block is { type: 'text'; text: string } => block.type === 'text')
    .map((block) => block.text)
    .join('\n')
}
