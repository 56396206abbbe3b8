/** Takes a definition apart: the YAML between the fences, and the body below. */

export interface SplitFrontmatter {
  readonly kind: 'split'
  readonly yaml: string
  readonly body: string
  /** The line of the file that the YAML starts on, from 1. */
  readonly firstLine: number
  /** Columns that were taken from the start of each line. */
  readonly indent: number
}

export type SplitResult =
  | SplitFrontmatter
  /** The text does not start with a fence. */
  | { readonly kind: 'none' }
  /** There is an opening fence, on this line (from 1), and no closing one. */
  | { readonly kind: 'open'; readonly line: number }

const OPENING = /^([ \t]*)-{3,}[ \t]*$/
const CLOSING = /^(-{3,}|\.\.\.)[ \t]*$/

/**
 * The opening fence may be indented: then every line is. The block ends at the first line of dashes (or
 * dots) after it, since bodies have such lines too; one that is indented belongs to a text of the YAML.
 */
export function splitFrontmatter(text: string): SplitResult {
  const written = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
  const start = written.findIndex((line) => line.trim() !== '')
  const opening = OPENING.exec(written[start] ?? '')
  if (!opening) return { kind: 'none' }
  const indent = (opening[1] ?? '').length
  const lines = written.map((line) => dedent(line, indent))
  const end = lines.findIndex((line, index) => index > start && CLOSING.test(line))
  if (end === -1) return { kind: 'open', line: start + 1 }
  return {
    kind: 'split',
    yaml: lines.slice(start + 1, end).join('\n'),
    body: lines.slice(end + 1).join('\n'),
    firstLine: start + 2,
    indent,
  }
}

function dedent(line: string, indent: number): string {
  return line.slice(0, indent).trim() === '' ? line.slice(indent) : line.trimStart()
}
