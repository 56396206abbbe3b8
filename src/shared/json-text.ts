/** Finds the parts of a JSON text, for edits that keep every other character of it. The text must be valid JSON. */

export interface Member {
  readonly key: string
  /** The offset of the key's quote. */
  readonly start: number
  readonly valueStart: number
  readonly end: number
}

export interface Item {
  readonly start: number
  readonly end: number
}

/** What is wrong with a text, as a sentence; null: it is JSON. A byte order mark is allowed. */
export function jsonProblem(text: string): string | null {
  try {
    JSON.parse(text.replace(/^\uFEFF/, ''))
    return null
  } catch (thrown) {
    return `It is not valid JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  }
}

/** The members of the object at a brace, in a text that is valid JSON. */
export function membersAt(text: string, brace: number): readonly Member[] {
  const members: Member[] = []
  let at = skipSpace(text, brace + 1)
  while (text[at] === '"') {
    const start = at
    const keyEnd = endOfString(text, at)
    const key: unknown = JSON.parse(text.slice(start, keyEnd))
    const valueStart = skipSpace(text, skipSpace(text, keyEnd) + 1)
    const end = endOfValue(text, valueStart)
    members.push({ key: String(key), start, valueStart, end })
    at = skipSpace(text, end)
    if (text[at] !== ',') break
    at = skipSpace(text, at + 1)
  }
  return members
}

/** The items of the list at a bracket. */
export function itemsAt(text: string, bracket: number): readonly Item[] {
  const items: Item[] = []
  let at = skipSpace(text, bracket + 1)
  while (text[at] !== ']') {
    const end = endOfValue(text, at)
    items.push({ start: at, end })
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return items
}

export function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1
  return at
}

function endOfString(text: string, quote: number): number {
  let at = quote + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfValue(text: string, from: number): number {
  let at = from
  let depth = 0
  do {
    const character = text.charAt(at)
    if (character === '"') at = endOfString(text, at)
    else if ('{['.includes(character)) [depth, at] = [depth + 1, at + 1]
    else if ('}]'.includes(character)) [depth, at] = [depth - 1, at + 1]
    else if (depth > 0) at += 1
    else while (at < text.length && !' \t\r\n,]}'.includes(text.charAt(at))) at += 1
  } while (depth > 0)
  return at
}

export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** One step of indentation: that of the first indented line, else two spaces. */
export const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '

/** The white space at the start of the line of an offset. */
export function lineIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}

export function printed(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eolOf(text) + indent)
}
