/** Where the values of a JSON text are, so that one value can be replaced and every other byte stays. */

export interface JsonRange {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

interface JsonEntry extends JsonRange {
  readonly key: string
}

/** The entries of the object that starts there. The text is valid JSON. */
export function entriesOf(text: string, start: number): readonly JsonEntry[] {
  return partsOf(text, start).map((part) => {
    const keyEnd = endOfValue(text, part.start)
    const value = skipSpace(text, skipSpace(text, keyEnd) + 1)
    return { key: String(JSON.parse(text.slice(part.start, keyEnd))), start: value, end: part.end }
  })
}

/** The items of the array that starts there. The text is valid JSON. */
export function itemsOf(text: string, start: number): readonly JsonRange[] {
  return partsOf(text, start)
}

export function skipSpace(text: string, at: number): number {
  let next = at
  while (/[ \t\r\n]/.test(text.charAt(next))) next++
  return next
}

/** The parts between the commas of an object or an array. */
function partsOf(text: string, start: number): readonly JsonRange[] {
  const parts: JsonRange[] = []
  let at = skipSpace(text, start + 1)
  while (at < text.length && !/[\]}]/.test(text.charAt(at))) {
    const first = at
    let end = endOfValue(text, at)
    at = skipSpace(text, end)
    if (text[at] === ':') {
      end = endOfValue(text, skipSpace(text, at + 1))
      at = skipSpace(text, end)
    }
    parts.push({ start: first, end })
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return parts
}

/** Without recursion: the outputs of a notebook can be nested deeply. */
function endOfValue(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfString(text, at) - 1
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      if (depth === 0) return at
      depth--
    } else if (depth > 0) continue
    else if (character === ',' || character === ':' || /[ \t\r\n]/.test(character ?? '')) return at
    else continue
    if (depth === 0) return at + 1
  }
  return text.length
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}
