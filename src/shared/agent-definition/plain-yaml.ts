/**
 * Reads simple frontmatter without a YAML parser: each line a key with plain text, a number, a flag, or a list
 * of plain names. Nearly all files are simple, and parsing takes most of the time of reading. Every doubtful
 * text is left to `yaml`.
 */

type PlainValues = Readonly<Record<string, string | number | boolean | readonly string[]>>

/** The value that `yaml` would read, or null if `yaml` must decide. */
export function readPlainYaml(text: string): PlainValues | null {
  const values: Record<string, string | number | boolean | readonly string[]> = {}
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line === '') continue
    const [, key = '', written = ''] = FIELD.exec(line) ?? []
    if (key === '' || KEYWORD.test(key) || Object.hasOwn(values, key)) return null
    const list = written === '' ? blockList(lines, at + 1) : null
    const value = list?.names ?? (written === '' ? null : plainValue(written))
    if (value === null) return null
    values[key] = value
    at += list?.names.length ?? 0
  }
  return Object.keys(values).length === 0 ? null : values
}

const FIELD = /^([A-Za-z][\w-]{0,60}):(?: +([^ ].*?))? *$/
/** Text that the core schema does not read as a string. */
const KEYWORD = /^(?:null|true|false)$/i
const CONTROL = /[\p{Cc}\p{Cs}\ufeff]/u

function plainValue(written: string): PlainValues[string] | null {
  const first = written.charCodeAt(0)
  if (isMailboxMessage(first)) {
    if (written === 'true' || written === 'false') return written === 'true'
    return isPlainText(written) ? written : null
  }
  if (written.startsWith('"'))
    return /^"[^"\\]*"$/.test(written) && !CONTROL.test(written) ? written.slice(1, -1) : null
  if (written.startsWith("'"))
    return /^'[^']*'$/.test(written) && !CONTROL.test(written) ? written.slice(1, -1) : null
  if (written.startsWith('[')) return flowList(written)
  return /^[1-9]\d{0,14}$/.test(written) ? Number(written) : null
}

const isMailboxMessage = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** Begins with a letter and has no character with a meaning in YAML. */
function isPlainText(text: string): boolean {
  return !KEYWORD.test(text) && !/: | #|:$/.test(text) && !CONTROL.test(text)
}

const FLOW = /^\[ *(?:[A-Za-z][\w.-]*(?: *, *[A-Za-z][\w.-]*)*)? *\]$/

function flowList(written: string): readonly string[] | null {
  if (!FLOW.test(written)) return null
  const names = written
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim())
  if (names.length === 1 && names[0] === '') return []
  return names.some((name) => KEYWORD.test(name)) ? null : names
}

const ITEM = /^( {0,8})- ([A-Za-z].*?) *$/

/** The items below a key; null without any, or with one that is not plain. */
function blockList(lines: readonly string[], from: number): { readonly names: readonly string[] } | null {
  const names: string[] = []
  let indent: string | null = null
  for (let at = from; at < lines.length; at++) {
    const [, before = '', name = ''] = ITEM.exec(lines[at] ?? '') ?? []
    if (name === '') break
    if ((indent !== null && before !== indent) || !isPlainText(name)) return null
    indent = before
    names.push(name)
  }
  return names.length === 0 ? null : { names }
}
