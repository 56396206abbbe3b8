/** A definition's text as parts that are merged one by one: each field with its comments, and the body. */
import { scanFrontmatter } from '../../../../shared/agent-definition/scan-frontmatter.ts'
import { parseStrictly } from '../../../../shared/agent-definition/strict-yaml.ts'

export interface DefinitionParts {
  /** All before the first field: blank lines and the opening fence. */
  readonly head: string
  /** In the order of the text. A field's comments above it belong to it; so do the lines below, up to the next field. */
  readonly fields: readonly { readonly key: string; readonly text: string }[]
  /** The closing fence with its line ending. */
  readonly fence: string
  readonly body: string
}

/** Null: the frontmatter is missing, indented, or not plain YAML with each key once at the margin. */
export function partsOf(text: string): DefinitionParts | null {
  const scanned = scanFrontmatter(text)
  if (scanned === null || scanned.indent > 0 || scanned.fields.length === 0) return null
  const fence = /^(?:-{3,}|\.\.\.)[ \t]*(?:\r?\n|$)/.exec(text.slice(scanned.to))?.[0]
  if (fence === undefined) return null
  const keys = scanned.fields.map(({ key }) => key)
  const parsed = parseStrictly(text.slice(scanned.from, scanned.to).replaceAll('\r\n', '\n'))
  if (parsed.kind === 'failed' || !isRecord(parsed.parsed.values)) return null
  const written = Object.keys(parsed.parsed.values)
  if (written.length !== keys.length || keys.some((key, at) => written[at] !== key)) return null
  const starts = scanned.fields.map(({ keyFrom }, at) =>
    at === 0 ? scanned.from : startWithComments(text, lineStart(text, keyFrom), scanned.from),
  )
  return {
    head: text.slice(0, scanned.from),
    fields: keys.map((key, at) => ({ key, text: text.slice(starts[at], starts[at + 1] ?? scanned.to) })),
    fence,
    body: text.slice(scanned.to + fence.length),
  }
}

export function joinParts({ head, fields, fence, body }: DefinitionParts): string {
  return head + fields.map((field) => field.text).join('') + fence + body
}

/** The value of a field's text; undefined: there is no such field. */
export function valueIn(field: string | null): unknown {
  if (field === null) return undefined
  const parsed = parseStrictly(field.replaceAll('\r\n', '\n'))
  if (parsed.kind === 'failed' || !isRecord(parsed.parsed.values)) return undefined
  return Object.values(parsed.parsed.values)[0]
}

const lineStart = (text: string, at: number): number => text.lastIndexOf('\n', at - 1) + 1

/** The start of the comment lines directly above a line. */
function startWithComments(text: string, from: number, least: number): number {
  let start = from
  while (start > least) {
    const above = lineStart(text, start - 1)
    if (text[above] !== '#' || above < least) break
    start = above
  }
  return start
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// ---- Line endings and the byte-order mark: they are merged apart from the parts ----

interface Texts {
  readonly base: string
  readonly mine: string
  readonly theirs: string
}

const MARK = '\uFEFF'

/**
 * The texts with the same line endings and byte-order mark: those of the side that changed them, otherwise mine. Texts
 * that agree stay as they are, also with mixed line endings.
 */
export function inStyleOf(texts: Texts): Texts {
  const { base, mine, theirs } = texts
  const of = <T>(read: (text: string) => T): T => (read(mine) === read(base) ? read(theirs) : read(mine))
  const ending = of(endingOf)
  const hasMark = of((text) => text.startsWith(MARK))
  const styled = (text: string) => {
    const plain = text.startsWith(MARK) ? text.slice(1) : text
    const lines =
      ending === 'mixed' || endingOf(text) === ending || endingOf(text) === 'none'
        ? plain
        : plain.replace(/\r?\n/g, ending === 'crlf' ? '\r\n' : '\n')
    return (hasMark ? MARK : '') + lines
  }
  return { base: styled(base), mine: styled(mine), theirs: styled(theirs) }
}

function endingOf(text: string): 'none' | 'lf' | 'crlf' | 'mixed' {
  const all = text.split('\n').length - 1
  if (all === 0) return 'none'
  const returns = text.split('\r\n').length - 1
  return returns === 0 ? 'lf' : returns === all ? 'crlf' : 'mixed'
}
