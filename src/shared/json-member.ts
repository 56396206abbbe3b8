/** Edits one member of a JSON text and keeps every other character of it. Pure. */
import {
  eolOf,
  jsonProblem,
  lineIndent,
  type Member,
  membersAt,
  printed,
  skipSpace,
  unitOf,
} from './json-text.ts'
import { fail, ok, type Result } from './result.ts'

export interface MemberChange {
  /** The keys from the outermost object to the member; missing objects are made. */
  readonly path: readonly [string, ...string[]]
  /** The new value; undefined removes the member. */
  readonly value: unknown
  /** A new member goes in front of this one; default: to the end. */
  readonly before?: string | null
}

/** Fails with `json` if the text is not a JSON object, or a key of the path has another value than an object. */
export function withMember(text: string, { path, value, before = null }: MemberChange): Result<string> {
  const source = text.trim() === '' ? '{}\n' : text
  const problem = jsonProblem(source)
  if (problem !== null) return fail({ type: 'json', message: problem })
  let at = skipSpace(source, source.startsWith('\uFEFF') ? 1 : 0)
  for (const [index, key] of path.entries()) {
    if (source[at] !== '{') {
      const where = index === 0 ? 'It' : JSON.stringify(path[index - 1])
      return fail({ type: 'json', message: `${where} is not an object.` })
    }
    const members = membersAt(source, at)
    // The last of several equal keys counts, as for JSON.parse.
    const found = members.findLast((member) => member.key === key)
    const rest = path.slice(index + 1)
    if (found === undefined) {
      if (value === undefined) return ok(text)
      const whole = rest.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value)
      return ok(inserted(source, { at, members, key, value: whole, before }))
    }
    if (rest.length === 0)
      return ok(value === undefined ? removed(source, members, found) : replaced(source, found, value))
    at = found.valueStart
  }
  return ok(text)
}

function replaced(text: string, { start, valueStart, end }: Member, value: unknown): string {
  return text.slice(0, valueStart) + printed(text, value, lineIndent(text, start)) + text.slice(end)
}

function removed(text: string, members: readonly Member[], member: Member): string {
  const index = members.indexOf(member)
  const next = members[index + 1]
  if (next !== undefined) return text.slice(0, member.start) + text.slice(next.start)
  const previous = members[index - 1]
  if (previous !== undefined) return text.slice(0, previous.end) + text.slice(member.end)
  const open = text.lastIndexOf('{', member.start)
  return `${text.slice(0, open + 1)}${text.slice(text.indexOf('}', member.end))}`
}

interface Insertion {
  /** The offset of the object's brace. */
  readonly at: number
  readonly members: readonly Member[]
  readonly key: string
  readonly value: unknown
  readonly before: string | null
}

function inserted(text: string, { at, members, key, value, before }: Insertion): string {
  const name = JSON.stringify(key)
  const [first] = members
  if (first === undefined) {
    const outer = lineIndent(text, at)
    const inner = outer + unitOf(text)
    const eol = eolOf(text)
    const close = text.indexOf('}', at)
    const member = `${eol}${inner}${name}: ${printed(text, value, inner)}${eol}${outer}`
    return text.slice(0, at + 1) + member + text.slice(close)
  }
  const space = text.slice(at + 1, first.start)
  const isInline = !space.includes('\n')
  const shown = isInline ? JSON.stringify(value) : printed(text, value, lineIndent(text, first.start))
  const member = `${name}: ${shown}`
  const between = isInline ? ' ' : space
  const next = before === null ? undefined : members.find((one) => one.key === before)
  if (next !== undefined) return `${text.slice(0, next.start)}${member},${between}${text.slice(next.start)}`
  const last = members.at(-1) ?? first
  return `${text.slice(0, last.end)},${between}${member}${text.slice(last.end)}`
}
