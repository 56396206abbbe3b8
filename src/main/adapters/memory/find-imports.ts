/** The files that instructions name to be read with them: `@path` in their text, outside of code. */

/** More in one file are nobody's instructions; each is looked for on the disk. */
export const MOST_IMPORTS = 200
const LONGEST_PATH = 4096

/**
 * What stands behind each `@`, in order, each once. Of one there may be several readings, the first that
 * leads to a file being the right one: `@docs/a.md.` may end a sentence, `@a.md#usage` may name a part.
 */
export function importsIn(text: string): readonly (readonly string[])[] {
  const found = new Map<string, readonly string[]>()
  for (const [, written = ''] of withoutCode(text).matchAll(IMPORT)) {
    if (written.length > LONGEST_PATH) continue
    const path = written.replaceAll('\\ ', ' ')
    const withoutEnd = path.replace(/[.,;:!?)\]}>"'*_]+$/, '')
    const readings = [path, withoutEnd, withoutEnd.replace(/#.*$/, '')]
    found.set(
      path,
      [...new Set(readings)].filter((reading) => reading !== ''),
    )
  }
  return [...found.values()]
}

/** Not within a word, as in an address; a blank in the path is written `\ `. */
const IMPORT = /(?<![^\s([{<>"'*_,;])@((?:\\ |[^\s@`])(?:\\ |[^\s`])*)/g

/** The text with blanks for fenced blocks and code spans. */
function withoutCode(text: string): string {
  const paragraphs: string[] = []
  let lines: string[] = []
  let fence: string | null = null
  const end = () => {
    paragraphs.push(withoutSpans(lines.join('\n')))
    lines = []
  }
  for (const line of text.split(/\r\n?|\n/)) {
    if (fence !== null) {
      if (CLOSING.exec(line)?.[1]?.startsWith(fence)) fence = null
      continue
    }
    fence = OPENING.exec(line)?.[1] ?? null
    if (fence !== null || line.trim() === '') end()
    else lines.push(line)
  }
  end()
  return paragraphs.join('\n\n')
}

/** Also in lists and quotations. What has another backtick behind it is a span. */
const OPENING = /^(?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*(`{3,}(?=[^`]*$)|~{3,})/
const CLOSING = /^[\s>]*(`{3,}|~{3,})\s*$/

/** A span ends at as many backticks as it began with; without them they are plain signs. */
function withoutSpans(paragraph: string): string {
  const marks = [...paragraph.matchAll(/(?<!\\)`+/g)]
  const last = new Map(marks.map((mark, index) => [mark[0].length, index]))
  let kept = ''
  let at = 0
  for (let open = 0; open < marks.length; open++) {
    const mark = marks[open]
    if (!mark || (last.get(mark[0].length) ?? 0) <= open) continue
    let close = open + 1
    while (marks[close]?.[0].length !== mark[0].length) close++
    kept += `${paragraph.slice(at, mark.index)}\`\``
    at = (marks[close]?.index ?? 0) + mark[0].length
    open = close
  }
  return kept + paragraph.slice(at)
}
