/**
 * Finds the positions of fields and names in a frontmatter by its lines alone. The scan also works while the user
 * types and the text is not valid YAML. The values of fields are left to the reader.
 */
import { splitNameRanges } from './name-list.ts'

export interface ScannedField {
  readonly key: string
  readonly keyFrom: number
  readonly keyTo: number
  /** The position after the colon. */
  readonly from: number
  /** The end of the value's last line. */
  readonly to: number
}

export interface ScannedFrontmatter {
  /** The range of the lines between the fences. */
  readonly from: number
  readonly to: number
  /** The indent of the fence and of every line. */
  readonly indent: number
  readonly fields: readonly ScannedField[]
}

export interface ScannedName {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** The maximum length of a readable frontmatter. */
export const LONGEST_FRONTMATTER = 70_000

/** Null if the text does not start with a fence. Without a closing fence, the frontmatter ends with the text. */
export function scanFrontmatter(text: string): ScannedFrontmatter | null {
  const opening = /^\uFEFF?(?:[ \t]*\r?\n)*([ \t]*)-{3,}[ \t]*(?:\r?\n|$)/.exec(text)
  if (!opening) return null
  const indent = (opening[1] ?? '').length
  const fields: { key: string; keyFrom: number; keyTo: number; from: number; to: number }[] = []
  let at = opening[0].length
  const start = at
  while (at < text.length) {
    const end = text.indexOf('\n', at)
    const lineEnd = end === -1 ? text.length : end
    const line = text.slice(at, lineEnd).trimEnd()
    const content = line.slice(0, indent).trim() === '' ? line.slice(indent) : line.trimStart()
    if (/^(?:-{3,}|\.\.\.)$/.test(content)) break
    const key = /^(["']?)([A-Za-z_][\w.-]*)\1[ \t]*:(?=\s|$)/.exec(content)
    const last = fields.at(-1)
    if (key) {
      const [whole, quote = '', name = ''] = key
      const lineFrom = at + line.length - content.length
      const keyFrom = lineFrom + quote.length
      const keyTo = keyFrom + name.length
      fields.push({ key: name, keyFrom, keyTo, from: lineFrom + whole.length, to: at + line.length })
    } else if (last !== undefined && content !== '') last.to = at + line.length
    at = end === -1 ? text.length : end + 1
  }
  return { from: start, to: at, indent, fields }
}

/** The names of a list, in any notation. */
export function scanNames(text: string, { from, to }: ScannedField): readonly ScannedName[] {
  const masked = maskLayout(text.slice(from, to))
  return splitNameRanges(masked).map((range) => ({
    name: masked.slice(range.from, range.to),
    from: from + range.from,
    to: from + range.to,
  }))
}

/** Replaces comments, quotes and brackets with spaces, and separators with commas. Positions stay the same. */
function maskLayout(value: string): string {
  const blank = (part: string) => ' '.repeat(part.length)
  const plain = value
    .replace(/(?<=^|\s)#[^\n]*/g, blank)
    .replace(/["']/g, ' ')
    .replace(/^\s*[|>][+-]?\d?[+-]?(?=\s)/, blank)
  const isFlow = /^\s*\[/.test(plain)
  if (isFlow) return `${plain.replace(/^\s*\[/, blank).replace(/\]\s*$/, blank)},`
  if (/^\s*\n\s*-\s/.test(plain)) return `${plain.replace(/(?<=\n\s*)-(?=\s)/g, ',')},`
  return plain
}
