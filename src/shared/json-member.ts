/** Edits one member of a JSON text and keeps every other character of it. Pure. */
import { fail, ok, type Result } from './result.ts'

interface Member {
  readonly key: string
  /** The offset of the key's quote. */
  readonly start: number
  readonly valueStart: number
  readonly end: number
}

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
  try {
    JSON.parse(source.replace(/^\uFEFF/, ''))
  } catch (thrown) {
    return fail({ type: 'json', message: `It is not valid JSON: ${messageIn(thrown)}` })
  }
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

const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** One step of indentation: that of the first indented line, else two spaces. */
const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '

/** The white space at the start of the line of an offset. */
function lineIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}

function printed(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eolOf(text) + indent)
}

/** The members of the object at a brace, in a text that is valid JSON. */
function membersAt(text: string, brace: number): readonly Member[] {
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

function skipSpace(text: string, from: number): number {
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

const messageIn = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
