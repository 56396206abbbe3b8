/** Paths in the events and jobs of an agent that works on another machine, where its checkout has another path. */

/**
 * Swaps two folders in every string of a JSON value: what begins with `one` begins with `other` afterwards, and the
 * reverse. So the same call gives the original back. Only whole folder names count: `/repo` is not in `/repo-2`.
 * Object keys stay. Neither folder may lie inside the other.
 */
export function translatePaths<T>(value: T, one: string, other: string): T
export function translatePaths(value: unknown, one: string, other: string): unknown {
  if (one === other) return value
  const folders: Folders = [
    [one, other],
    [other, one],
  ]
  return translated(value, folders)
}

type Folders = readonly (readonly [from: string, to: string])[]

function translated(value: unknown, folders: Folders): unknown {
  if (typeof value === 'string') return translatedText(value, folders)
  if (Array.isArray(value)) {
    const items = value.map((item) => translated(item, folders))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [
    key,
    translated(item, folders),
  ])
  return entries.every(([key, item]) => item === Reflect.get(value, key))
    ? value
    : Object.fromEntries(entries)
}

function translatedText(text: string, folders: Folders): string {
  if (!folders.some(([from]) => text.includes(from))) return text
  let result = ''
  let copied = 0
  let end = -1
  for (let at = 0; at < text.length; at++) {
    // A folder right after another one has a boundary only as long as that one ends as it does.
    if (at === end) continue
    const found = folders.find(([from]) => text.startsWith(from, at) && isWhole(text, at, at + from.length))
    if (found === undefined) continue
    const [from, to] = found
    result += text.slice(copied, at) + to
    copied = at + from.length
    end = copied
    at = end - 1
  }
  return result + text.slice(copied)
}

/** Whether no name continues before or after this part. */
function isWhole(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 7), start)
  if (NAME_BEFORE.test(before) && !STARTS_ANEW.test(before)) return false
  return !NAME_AFTER.test(text.slice(end, end + 3))
}

const NAME_BEFORE = /[\p{L}\p{M}\p{N}_.~%/\\]$/u
/** A URL of a file, and a line break in JSON text that is itself a string. */
const STARTS_ANEW = /file:\/\/$|\\[nrt]$/
/** A dot belongs to a name only if the name continues after it: "in /repo." ends a sentence. */
const NAME_AFTER = /^(?:[\p{L}\p{M}\p{N}_~@%+-]|\.+[\p{L}\p{M}\p{N}_])/u
