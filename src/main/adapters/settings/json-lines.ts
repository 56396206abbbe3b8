/** The line of each value in a JSON text, so that a message can name it. */

/**
 * Lines from 1 by path: `["permissions","deny",0]` as JSON. The text must be valid JSON.
 */
export function jsonLines(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  /** One entry for each open array and object: its current index or key. */
  const open: { key: string | number; readonly isArray: boolean }[] = []
  let line = 1
  let awaitsKey = false
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:\n]|[^\s{}[\],:"]+/g)) {
    const top = open.at(-1)
    if (token === '\n') line++
    else if (token === ',') {
      if (top?.isArray && typeof top.key === 'number') top.key++
      awaitsKey = top !== undefined && !top.isArray
    } else if (token === ']' || token === '}') open.pop()
    else if (token === ':') awaitsKey = false
    else if (awaitsKey && top) top.key = JSON.parse(token)
    else {
      lines.set(JSON.stringify(open.map(({ key }) => key)), line)
      const isArray = token === '['
      if (isArray || token === '{') open.push({ key: isArray ? 0 : '', isArray })
      awaitsKey = token === '{'
    }
  }
  return lines
}
