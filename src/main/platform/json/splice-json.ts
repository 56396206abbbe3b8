/**
 * Edits one value of a JSON text and keeps every other character of it: comments, doubled keys, numbers of any form,
 * spaces. Pure.
 */
import { createScanner, type Node } from 'jsonc-parser'
import { fail, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { eolOf, jsonTreeOf, lineIndent, printed, unitOf } from './json-text.ts'

export type JsonPath = readonly [string, ...string[]]

export interface MemberChange {
  /** The keys from the outermost object to the member; missing objects are made. */
  readonly path: JsonPath
  /** The new value; undefined removes the member. */
  readonly value: unknown
  /** A new member goes in front of this one; default: to the end. */
  readonly before?: string | null
}

export type ListChange =
  | { readonly kind: 'append'; readonly value: unknown }
  | { readonly kind: 'set'; readonly index: number; readonly value: unknown }
  | { readonly kind: 'remove'; readonly index: number }

/** Fails with `json` if the text is not a JSON object, or a key of the path has another value than an object. */
export function withMember(text: string, { path, value, before = null }: MemberChange): Result<string> {
  const source = text.trim() === '' ? `${text}{}\n` : text
  const found = locate(source, path)
  if (!found.ok) return found
  const { node, rest } = found.value
  const [key, ...inner] = rest
  if (key === undefined) {
    if (value !== undefined) return ok(replaced(source, node, value))
    // The earlier of doubled keys would count again.
    return withMember(removed(source, node.parent ?? node), { path, value })
  }
  if (value === undefined) return ok(text)
  const whole = inner.reduceRight<unknown>((made, name) => ({ [name]: made }), value)
  return ok(inserted(source, node, { key, value: whole, before }))
}

/**
 * A missing list is made for an appended value. Fails with `json` if the text is not a JSON object or the path leads to
 * another value than a list, and with `no-item` if the list has no such item.
 */
export function withListItem(text: string, path: JsonPath, change: ListChange): Result<string> {
  const found = text.trim() === '' ? null : locate(text, path)
  if (found?.ok === false) return found
  const list = found === null || found.value.rest.length > 0 ? null : found.value.node
  if (list === null && change.kind === 'append') return withMember(text, { path, value: [change.value] })
  if (list !== null && list.type !== 'array')
    return fail({ type: 'json', message: `"${path.join('.')}" is not a list.` })
  if (list !== null && change.kind === 'append') return ok(inserted(text, list, change))
  const item = change.kind === 'append' ? undefined : list?.children?.[change.index]
  if (item === undefined) return fail({ type: 'no-item', message: `"${path.join('.')}" has no such entry.` })
  return ok(change.kind === 'set' ? replaced(text, item, change.value) : removed(text, item))
}

/** The deepest existing value on a path, and the keys that are missing below it. */
function locate(
  text: string,
  path: JsonPath,
): Result<{ readonly node: Node; readonly rest: readonly string[] }> {
  const tree = jsonTreeOf(text)
  if (!tree.ok)
    return fail({ type: 'json', message: `It is not valid JSON: ${sentence(tree.failure.message)}` })
  let node = tree.value
  for (const [index, key] of path.entries()) {
    if (node.type !== 'object') {
      const where = index === 0 ? 'It' : JSON.stringify(path[index - 1])
      return fail({ type: 'json', message: `${where} is not an object.` })
    }
    // The last of several equal keys counts, as for JSON.parse.
    const value = node.children?.findLast((member) => keyOf(member) === key)?.children?.[1]
    if (value === undefined) return ok({ node, rest: path.slice(index) })
    node = value
  }
  return ok({ node, rest: [] })
}

const keyOf = (member: Node): unknown => member.children?.[0]?.value
const endOf = ({ offset, length }: Node): number => offset + length

function replaced(text: string, node: Node, value: unknown): string {
  const indent = lineIndent(text, (node.parent?.type === 'property' ? node.parent : node).offset)
  return text.slice(0, node.offset) + printed(text, value, indent) + text.slice(endOf(node))
}

// ---- removal ------------------------------------------------------------------------------------

/** Without a member or an item and one comma. Comments around it stay. */
function removed(text: string, child: Node): string {
  const siblings = child.parent?.children ?? []
  const index = siblings.indexOf(child)
  const [previous, next] = [siblings[index - 1], siblings[index + 1]]
  const end = endOf(child)
  const comma = commaAfter(text, end)
  const after = comma === null ? end : comma + 1
  const between = text.slice(end, comma ?? end)
  if (next !== undefined) {
    const gap = between + text.slice(after, next.offset)
    return text.slice(0, child.offset) + gap.trimStart() + text.slice(next.offset)
  }
  const rest = between + text.slice(after)
  if (previous === undefined) {
    const open = (child.parent?.offset ?? 0) + 1
    const gap = text.slice(open, child.offset)
    const close = endOf(child.parent ?? child) - 1
    const isEmpty = `${gap}${between}${text.slice(after, close)}`.trim() === ''
    return text.slice(0, open) + (isEmpty ? text.slice(close) : gap + rest)
  }
  // A comma after the last one stays a habit of the file.
  const first = comma === null ? commaAfter(text, endOf(previous)) : null
  const gap =
    first === null
      ? text.slice(endOf(previous), child.offset)
      : text.slice(endOf(previous), first) + text.slice(first + 1, child.offset)
  // The end of a comment's line must stay.
  const isTidy = /^[ \t]*[\r\n]/.test(rest) || /^[\s,]*$/.test(gap)
  return text.slice(0, endOf(previous)) + (isTidy ? gap.trimEnd() : gap) + rest
}

/** The offset of a comma, past spaces and comments; null: something else comes first. */
function commaAfter(text: string, from: number): number | null {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : null
}

// ---- insertion ----------------------------------------------------------------------------------

interface Insertion {
  /** Of a member; an item has none. */
  readonly key?: string
  readonly value: unknown
  readonly before?: string | null
}

/** As those before it: on a line of its own, or on theirs. */
function inserted(text: string, container: Node, { key, value, before = null }: Insertion): string {
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `
  const children = container.children ?? []
  const last = children.at(-1)
  if (last === undefined) {
    const outer = lineIndent(text, container.offset)
    const inner = outer + unitOf(text)
    const close = endOf(container) - 1
    const content = text.slice(container.offset + 1, close).trimEnd()
    const space = text.slice(container.offset + 1 + content.length, close)
    const at = space.includes('\n') ? close - space.length : close
    const end = at === close ? eolOf(text) + outer : ''
    return `${text.slice(0, at)}${eolOf(text)}${inner}${name}${printed(text, value, inner)}${end}${text.slice(at)}`
  }
  const previous = children.at(-2)
  const gap = text.slice(previous === undefined ? container.offset + 1 : endOf(previous), last.offset)
  const isInline = !gap.includes('\n')
  const indent = lineIndent(text, last.offset)
  const shown = name + (isInline ? JSON.stringify(value) : printed(text, value, indent))
  const line = eolOf(text) + indent
  const between = isInline ? ' ' : /^\s*,?\s*$/.test(gap) ? gap.replace(',', '') : line
  const next = before === null ? undefined : children.find((one) => keyOf(one) === before)
  if (next !== undefined) return `${text.slice(0, next.offset)}${shown},${between}${text.slice(next.offset)}`

  const comma = commaAfter(text, endOf(last))
  const from = comma === null ? endOf(last) : comma + 1
  // A comment on the line of the last one is about that one.
  const [comments = ''] = /^(?:[ \t]*(?:\/\*[^\r\n]*?\*\/|\/\/[^\r\n]*))*/.exec(text.slice(from)) ?? []
  const at = from + comments.length
  const start = text.slice(0, endOf(last)) + (comma === null ? ',' : '') + text.slice(endOf(last), at)
  const space = comments.includes('//') && !between.includes('\n') ? line : between
  return `${start}${space}${shown}${comma === null ? '' : ','}${text.slice(at)}`
}
