/** Takes a definition apart: the YAML between the fences, and the body below. */

export interface SplitFrontmatter {
  readonly yaml: string
  readonly body: string
  /** The line of the file that the YAML starts on, from 1. */
  readonly firstLine: number
  /** Columns that were taken from the start of each line. */
  readonly indent: number
}

const OPENING = /^([ \t]*)-{3,}[ \t]*$/
const CLOSING = /^[ \t]*(-{3,}|\.\.\.)[ \t]*$/

/**
 * Null where there is no frontmatter. The block ends at the first line of dashes (or dots) after the
 * opening one, since bodies have such lines too.
 */
export function splitFrontmatter(text: string): SplitFrontmatter | null {
  const lines = text
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
  const start = lines.findIndex((line) => line.trim() !== '')
  const opening = OPENING.exec(lines[start] ?? '')
  if (!opening) return null
  const indent = (opening[1] ?? '').length
  const end = lines.findIndex((line, index) => index > start && CLOSING.test(line))
  if (end === -1) return null
  const yaml = lines.slice(start + 1, end).map((line) => dedent(line, indent))
  return { yaml: yaml.join('\n'), body: lines.slice(end + 1).join('\n'), firstLine: start + 2, indent }
}

function dedent(line: string, indent: number): string {
  return line.slice(0, indent).trim() === '' ? line.slice(indent) : line.trimStart()
}
