/** Lines that ripgrep found: parsing, sorting and printing. */

export interface FoundLine {
  readonly path: string
  readonly number: number
  /** False: a context line. */
  readonly isMatch: boolean
  readonly text: string
}

/** Separators for ripgrep's output that no path and no text contains. */
export const MATCH_SEPARATOR = '\u001f'
export const CONTEXT_SEPARATOR = '\u001e'

/** Parses a line of `--null --line-number` output with the separators above; null: not such a line. */
export function readFoundLine(record: string): FoundLine | null {
  const found = RECORD.exec(record)
  if (!found) return null
  const [, path = '', number, separator, text = ''] = found
  return {
    path,
    number: Number(number),
    isMatch: separator === MATCH_SEPARATOR,
    text: text.endsWith('\r') ? text.slice(0, -1) : text,
  }
}

const RECORD = new RegExp(`^([^\\0]*)\\0(\\d+)([${MATCH_SEPARATOR}${CONTEXT_SEPARATOR}])(.*)$`, 's')

/** Compares paths folder by folder, so that the content of `a/` comes before `a.txt`. */
export function comparePaths(one: string, other: string): number {
  const [left, right] = [one.replaceAll('/', '\0'), other.replaceAll('/', '\0')]
  return left < right ? -1 : left > right ? 1 : 0
}

interface LineStyle {
  /** Whether lines show their path. False for the search of a single file. */
  readonly paths: boolean
  readonly numbers: boolean
  /** Whether context lines were requested, so that gaps are marked. */
  readonly context: boolean
}

/**
 * `12:text` for a match, `12-text` for a context line, `--` for a gap. The lines of each file follow its path, with an
 * empty line between files; without numbers each line begins with its path instead.
 */
export function writeFoundLines(lines: readonly FoundLine[], style: LineStyle): string {
  const written: string[] = []
  const grouped = style.paths && style.numbers
  let last: FoundLine | null = null
  for (const line of lines) {
    const isNewFile = last?.path !== line.path
    const follows = last === null || (!isNewFile && line.number === last.number + 1)
    if (grouped && isNewFile) written.push(...(last === null ? [] : ['']), line.path)
    else if (style.context && !follows) written.push('--')
    const mark = line.isMatch ? ':' : '-'
    const path = style.paths && !grouped ? line.path + mark : ''
    written.push(`${path}${style.numbers ? line.number + mark : ''}${line.text}`)
    last = line
  }
  return written.join('\n')
}
