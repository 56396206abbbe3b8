/** The line and the column of each value in a JSON text, so that a message can name them. */

/** Both counted from 1. */
export interface JsonPlace {
  readonly line: number
  readonly column: number
}

/** The beginnings of values by path: `["permissions","deny",0]` as JSON. The text must be valid JSON. */
export function jsonPlaces(text: string): ReadonlyMap<string, JsonPlace> {
  const places = new Map<string, JsonPlace>()
  /** One entry for each open array and object: its current index or key. */
  const open: { key: string | number; readonly isArray: boolean }[] = []
  let line = 1
  let lineStart = 0
  let awaitsKey = false
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:\n]|[^\s{}[\],:"]+/g)) {
    const top = open.at(-1)
    if (token === '\n') {
      line++
      lineStart = index + 1
    } else if (token === ',') {
      if (top?.isArray && typeof top.key === 'number') top.key++
      awaitsKey = top !== undefined && !top.isArray
    } else if (token === ']' || token === '}') open.pop()
    else if (token === ':') awaitsKey = false
    else if (awaitsKey && top) top.key = JSON.parse(token)
    else {
      places.set(JSON.stringify(open.map(({ key }) => key)), { line, column: index - lineStart + 1 })
      const isArray = token === '['
      if (isArray || token === '{') open.push({ key: isArray ? 0 : '', isArray })
      awaitsKey = token === '{'
    }
  }
  return places
}
