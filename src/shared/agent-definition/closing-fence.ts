/** Where the closing line of dashes of a frontmatter belongs that lacks it. */
import type { TextEdit } from './agent-definition.ts'
import { fieldOf } from './definition-fields.ts'

export interface MissingFence {
  readonly edit: TextEdit
  /** From 1: the last line of the frontmatter. */
  readonly line: number
}

const OPENING = /^\uFEFF?(?:[ \t]*\r?\n)*[ \t]*-{3,}[ \t]*(?:\r?\n|$)/
const FIELD = /^["']?([A-Za-z_][\w.-]*)["']?[ \t]*:(?=\s|$)/

/**
 * The frontmatter ends with its last field. A field is a line at the margin with a known key, or any `key: value`
 * before the first blank line; indented lines and lists below a field belong to it. Null: there are no fields.
 */
export function missingFence(text: string): MissingFence | null {
  const opening = OPENING.exec(text)?.[0]
  if (opening === undefined) return null
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n'
  let end: number | null = null
  let lastLine = 0
  let line = opening.split('\n').length - 1
  /** Whether a line of the body was seen: then only a known key continues the frontmatter. */
  let wasBlank = false
  let at = opening.length
  while (at < text.length) {
    const found = text.indexOf('\n', at)
    const next = found === -1 ? text.length : found + 1
    const content = text.slice(at, next).trimEnd()
    line++
    if (/^(?:-{3,}|\.\.\.)$/.test(content)) break
    const key = FIELD.exec(content)?.[1]
    const isField = key !== undefined && (fieldOf(key) !== undefined || !wasBlank)
    const isPart = /^[ \t]+\S|^-[ \t]|^[\]}]/.test(content) && end !== null && !wasBlank
    if (isField || isPart) {
      end = next
      lastLine = line
      wasBlank = false
    } else if (content === '') wasBlank = true
    // A comment may stand between fields; a heading of the body looks the same.
    else if (!content.startsWith('#') || wasBlank) break
    at = next
  }
  if (end === null) return null
  const isLast = end === text.length && !text.endsWith('\n')
  const insert = `${isLast ? lineEnd : ''}---${lineEnd}`
  return { edit: { from: end, to: end, insert }, line: lastLine }
}
