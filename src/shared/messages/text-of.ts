/** The properties of a content block that this function reads. */
type Block = { readonly type: 'text'; readonly text: string } | { readonly type: string }

/** The text of the text blocks. In a separate file, so that the window reads messages without loading schemas. */
export function textOf(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content
  return content
    .filter((block): block is { type: 'text'; text: string } => block.type === 'text')
    .map((block) => block.text)
    .join('\n')
}
