/** Edits one item of a list in a JSON text and keeps every other character of it. Pure. */
import { withMember } from './json-member.ts'
import { type Item, itemsAt, jsonProblem, lineIndent, membersAt, printed, skipSpace } from './json-text.ts'
import { fail, ok, type Result } from './result.ts'

export type ListChange =
  | { readonly kind: 'append'; readonly value: unknown }
  | { readonly kind: 'set'; readonly index: number; readonly value: unknown }
  | { readonly kind: 'remove'; readonly index: number }

type Path = readonly [string, ...string[]]

/**
 * A missing list is made for an appended value. Fails with `json` if the text is not a JSON object or the path leads to
 * another value than a list, and with `no-item` if the list has no such item.
 */
export function withListItem(text: string, path: Path, change: ListChange): Result<string> {
  const problem = text.trim() === '' ? null : jsonProblem(text)
  if (problem !== null) return fail({ type: 'json', message: problem })
  const open = listAt(text, path)
  if (!open.ok) return open
  if (open.value === null)
    return change.kind === 'append' ? withMember(text, { path, value: [change.value] }) : noItem(path)
  const items = itemsAt(text, open.value)
  if (change.kind === 'append') return ok(appended(text, open.value, { items, value: change.value }))
  const item = items[change.index]
  if (item === undefined) return noItem(path)
  if (change.kind === 'remove') return ok(removed(text, open.value, { items, index: change.index }))
  const value = printed(text, change.value, lineIndent(text, item.start))
  return ok(text.slice(0, item.start) + value + text.slice(item.end))
}

const noItem = (path: Path): Result<string> =>
  fail({ type: 'no-item', message: `"${path.join('.')}" has no such entry.` })

/** The offset of the list's bracket; null: the list does not exist. */
function listAt(text: string, path: Path): Result<number | null> {
  let at = skipSpace(text, text.startsWith('\uFEFF') ? 1 : 0)
  for (const [index, key] of path.entries()) {
    if (text[at] === undefined) return ok(null)
    if (text[at] !== '{') {
      const where = index === 0 ? 'It' : JSON.stringify(path[index - 1])
      return fail({ type: 'json', message: `${where} is not an object.` })
    }
    // The last of several equal keys counts, as for JSON.parse.
    const found = membersAt(text, at).findLast((member) => member.key === key)
    if (found === undefined) return ok(null)
    at = found.valueStart
  }
  return text[at] === '[' ? ok(at) : fail({ type: 'json', message: `"${path.join('.')}" is not a list.` })
}

/** As the items before it: on a line of its own, or on theirs. */
function appended(
  text: string,
  open: number,
  { items, value }: { readonly items: readonly Item[]; readonly value: unknown },
): string {
  const last = items.at(-1)
  const previous = items.at(-2)
  if (last === undefined) {
    const close = text.indexOf(']', open)
    const list = printed(text, [value], lineIndent(text, open))
    return text.slice(0, open) + list + text.slice(close + 1)
  }
  const space = text.slice(previous === undefined ? open + 1 : previous.end, last.start).replace(',', '')
  const isInline = !space.includes('\n')
  const shown = isInline ? JSON.stringify(value) : printed(text, value, lineIndent(text, last.start))
  return `${text.slice(0, last.end)},${isInline ? ' ' : space}${shown}${text.slice(last.end)}`
}

function removed(
  text: string,
  open: number,
  { items, index }: { readonly items: readonly Item[]; readonly index: number },
): string {
  const item = items[index]
  const next = items[index + 1]
  const previous = items[index - 1]
  if (item === undefined) return text
  if (next !== undefined) return text.slice(0, item.start) + text.slice(next.start)
  if (previous !== undefined) return text.slice(0, previous.end) + text.slice(item.end)
  return text.slice(0, open + 1) + text.slice(text.indexOf(']', item.end))
}
