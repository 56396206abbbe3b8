/** JSON with comments and trailing commas, as people write settings: its value, its parts, and where it is wrong. */
import { getNodeValue, type Node, type ParseError, parse, parseTree } from 'jsonc-parser'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'

/** Both counted from 1. */
export interface JsonPlace {
  readonly line: number
  readonly column: number
}

/** The value of a text. A byte-order mark is allowed. Fails with `json`: the message ends a sentence and names the place. */
export function parseJson(text: string): Result<unknown> {
  try {
    return ok(JSON.parse(text.replace(/^\uFEFF/, '')))
  } catch {
    // Comments, trailing commas, or a mistake whose place JSON.parse does not tell.
    const tree = jsonTreeOf(text)
    return tree.ok ? ok(getNodeValue(tree.value)) : tree
  }
}

/** What a text with mistakes still says; undefined: nothing. */
export function valueInBroken(text: string): unknown {
  try {
    return parse(text.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true })
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    return undefined
  }
}

/** The values of a text with their offsets. Fails as `parseJson`. */
export function jsonTreeOf(text: string): Result<Node> {
  const errors: ParseError[] = []
  try {
    // A space, so that offsets stay.
    const tree = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
    const [first] = errors
    if (tree !== undefined && first === undefined) return ok(tree)
    const { line, column } = placeAt(text, first?.offset ?? 0)
    const because = WRONG[first?.error ?? NO_VALUE] ?? 'this is not JSON'
    return fail({ type: 'json', message: `line ${line}, column ${column}: ${because}` })
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    return fail({ type: 'json', message: 'its values are nested too deeply' })
  }
}

const NO_VALUE = 4

/** By the codes of `ParseErrorCode`. */
const WRONG: Readonly<Record<number, string>> = {
  1: 'this is not a JSON value',
  2: 'this number is not valid',
  3: 'a name in quotes is missing',
  [NO_VALUE]: 'a value is missing',
  5: '":" is missing',
  6: '"," is missing',
  7: '"}" is missing',
  8: '"]" is missing',
  9: 'the text goes on after its end',
  11: 'this comment has no end',
  12: 'this text has no closing quote',
  13: 'this number has no end',
  14: '"\\u" needs four digits',
  15: '"\\" is followed by a character that can\'t follow it',
  16: 'a line break or a control character is not allowed in a text',
}

function placeAt(text: string, offset: number): JsonPlace {
  const before = text.slice(0, offset).replace(/^\uFEFF/, '')
  const lines = before.split(/\r\n|\r|\n/)
  return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 }
}

/** The beginnings of values by path: `["permissions","deny",0]` as JSON. Of doubled keys, the last one. */
export function jsonPlaces(text: string): ReadonlyMap<string, JsonPlace> {
  const places = new Map<string, JsonPlace>()
  const tree = jsonTreeOf(text)
  if (!tree.ok) return places
  const starts = [0, ...Array.from(text.matchAll(/\r\n|\r|\n/g), ({ 0: eol, index }) => index + eol.length)]
  let line = 0
  const add = (node: Node, path: readonly (string | number)[]): void => {
    while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= node.offset) line += 1
    const column = node.offset - (starts[line] ?? 0) + 1 - (line === 0 && text.startsWith('\uFEFF') ? 1 : 0)
    places.set(JSON.stringify(path), { line: line + 1, column })
    for (const [index, child] of (node.children ?? []).entries()) {
      const [key, value] = child.type === 'property' ? (child.children ?? []) : []
      if (node.type === 'array') add(child, [...path, index])
      else if (key !== undefined && value !== undefined) add(value, [...path, String(key.value)])
    }
  }
  add(tree.value, [])
  return places
}

export const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

/** One step of indentation: that of the first indented line, else two spaces. */
export const unitOf = (text: string): string => /\n([ \t]+)[^\s/*]/.exec(text)?.[1] ?? '  '

/** The white space at the start of the line of an offset. */
export function lineIndent(text: string, at: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? ''
}

export function printed(text: string, value: unknown, indent: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', eolOf(text) + indent)
}

/** Whether a value is an object of JSON, and no list. */
export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
