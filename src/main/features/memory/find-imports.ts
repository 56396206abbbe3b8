/** Finds the imports in instructions: `@path` in the text, outside of code. */

/** Maximum imports per file, because each one costs disk access. */
export const MOST_IMPORTS = 200
const LONGEST_PATH = 4096

/**
 * The paths after each `@`, in order, without duplicates. Each import has one or more candidate paths; the first that
 * leads to a file is right: `@docs/a.md.` may end a sentence, `@a.md#usage` may name a section.
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

/** Not inside a word, such as an email address. A space in the path is written `\ `. */
const IMPORT = /(?<![^\s([{<>"'*_,;])@((?:\\ |[^\s@`])(?:\\ |[^\s`])*)/g

/** The text without fenced blocks and code spans. */
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

/** Also in lists and quotations. Three backticks with another backtick on the line are a span. */
const OPENING = /^(?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*(`{3,}(?=[^`]*$)|~{3,})/
const CLOSING = /^[\s>]*(`{3,}|~{3,})\s*$/

/** A span ends with the number of backticks that it began with; otherwise the backticks are plain text. */
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
