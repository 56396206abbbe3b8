/** Changes the text of a folded block (`>`). Lines without a change keep their bytes. */

/** A changed line may exceed the longest line of the block by this many characters before it is folded again. */
const TOLERANCE = 20
const NARROWEST = 60

interface FoldedLine {
  readonly line: string
  /** The line's text in the value, UTF-16 units. */
  readonly from: number
  readonly to: number
}

/**
 * @param lines the lines of the block below its header
 * @param before the value that these lines fold to
 * @returns the lines for `after`; null if the lines can't be matched with the value
 */
export function refold(lines: readonly string[], before: string, after: string): readonly string[] | null {
  const indent = /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0] ?? ''
  const found = locate(lines, before, indent)
  if (found === null || indent === '' || after.trim() === '') return null
  const prefix = commonPrefix(before, after)
  const suffix = commonPrefix(reversed(before.slice(prefix)), reversed(after.slice(prefix)))
  const texts = found.flatMap((one, index) => (one === null ? [] : [{ ...one, index }]))
  const first = texts.find(({ to }) => to >= prefix) ?? texts.at(-1)
  const last = texts.findLast(({ from }) => from <= before.length - suffix) ?? texts[0]
  if (first === undefined || last === undefined || first.index > last.index) return null
  const width = Math.max(NARROWEST, ...texts.map(({ from, to }) => to - from))
  const changed = after.slice(first.from, after.length - (before.length - last.to))
  const folded = changed
    .split('\n')
    .flatMap((paragraph, index) => [...(index === 0 ? [] : ['']), ...foldParagraph(paragraph, width)])
  return [
    ...lines.slice(0, first.index),
    ...folded.map((line) => (line === '' ? '' : indent + line)),
    ...lines.slice(last.index + 1),
  ]
}

/** For each line its place in the value; null for a blank line. Null if the lines are not a plain fold. */
function locate(
  lines: readonly string[],
  value: string,
  indent: string,
): readonly (FoldedLine | null)[] | null {
  const found: (FoldedLine | null)[] = []
  let at = 0
  for (const line of lines) {
    if (line.trim() === '') {
      found.push(null)
      continue
    }
    const text = line.slice(indent.length)
    // Further indented lines are not folded.
    if (!line.startsWith(indent) || /^\s/.test(text)) return null
    const from = value.indexOf(text, at)
    if (from === -1 || /\S/.test(value.slice(at, from))) return null
    at = from + text.length
    found.push({ line, from, to: at })
  }
  return /\S/.test(value.slice(at)) ? null : found
}

function foldParagraph(text: string, width: number): readonly string[] {
  if (text.length <= width + TOLERANCE) return [text]
  const lines: string[] = []
  let line = ''
  // Only a single space between words may become a fold.
  for (const word of text.split(/(?<=\S) (?=\S)/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line]
}

function commonPrefix(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}

function reversed(text: string): string {
  return text.split('').reverse().join('')
}
