/**
 * Texts of events as they leave the program: without secrets, and with the home folder as `~`. All texts of a value are
 * cleaned, also the names of fields. Content that is no text, such as images and signatures, stays.
 */
import { maskSecrets } from '../kernel/mask-secrets.ts'
import { makeVisible } from '../kernel/visible-text.ts'

interface Cleaning {
  /** Values that are secrets whatever their form: keys, and secret variables of the environment. */
  readonly secrets: readonly string[]
  /** Absolute; null: paths stay. */
  readonly home: string | null
}

/** Secrets that were masked in one text. */
interface FoundSecrets {
  readonly count: number
  /** The text around the first one, on one line. */
  readonly excerpt: string
}

/** Cleans values of any shape. What needs no change stays the same object. `found` is called for each text with secrets. */
export type CleanValue = <T>(value: T, found?: (secrets: FoundSecrets) => void) => T

export function createCleaner({ secrets, home }: Cleaning): CleanValue {
  // A secret may contain another one.
  const known = [...new Set(secrets)]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .sort((one, other) => other.length - one.length)
  const shorten = pathShortener(home)
  return (value, found) =>
    mapTexts(value, (text, key) => {
      const named = SECRET_KEY.test(key) && maskSecrets(`${key}=${text}`).count > 0
      const masked = named ? { text: MASK, count: 1 } : maskAll(text, known)
      if (masked.count > 0) found?.({ count: masked.count, excerpt: excerptOf(masked.text, key) })
      return shorten(masked.text)
    })
}

/** Shorter values, such as `true` or `1234`, are in many texts by chance. */
const SHORTEST_SECRET = 8
const MASK = '[secret]'
/** A field whose value may be a secret. What `maskSecrets` makes of both decides. */
const SECRET_KEY = /key|secret|token|pass|auth/i

function maskAll(text: string, known: readonly string[]): { readonly text: string; readonly count: number } {
  let count = 0
  let rest = text
  for (const secret of known) {
    if (!rest.includes(secret)) continue
    const parts = rest.split(secret)
    count += parts.length - 1
    rest = parts.join(MASK)
  }
  const masked = maskSecrets(rest)
  return { text: masked.text, count: count + masked.count }
}

const AROUND = 40

function excerptOf(masked: string, key: string): string {
  if (masked === MASK) return `${key}: ${MASK}`
  const at = masked.indexOf(MASK)
  const before = masked.slice(Math.max(0, at - AROUND), at)
  const after = masked.slice(at + MASK.length, at + MASK.length + AROUND)
  const line = `${before.split('\n').at(-1)}${MASK}${after.split('\n')[0]}`
  return makeVisible(line.trim())
}

/** Replaces the home folder at the start of paths, also of paths in a longer text. */
function pathShortener(home: string | null): (text: string) => string {
  if (home === null || home.length < 2) return (text) => text
  // In JSON inside a text, a backslash is two.
  const forms = [...new Set([home, home.replaceAll('\\', '\\\\')])]
  const pattern = new RegExp(
    `(?<![\\w.~-])(?:${forms.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})(?![\\w.-])`,
    'g',
  )
  return (text) => (forms.some((form) => text.includes(form)) ? text.replace(pattern, '~') : text)
}

/** The same text without halves of surrogate pairs, which programs that read JSON or protobuf refuse. */
export const wellFormed = (text: string): string => text.replaceAll(/\p{Surrogate}/gu, '\ufffd')

/**
 * The same value with each text replaced. A value without a change stays the same object.
 * @param change gets a text and the name of its field, or the name of a field and an empty name
 */
export function mapTexts<T>(value: T, change: (text: string, key: string) => string): T {
  return mapped(value, '') as T

  function mapped(one: unknown, key: string): unknown {
    if (typeof one === 'string') return change(one, key)
    if (typeof one !== 'object' || one === null) return one
    if (Array.isArray(one)) {
      let copy: unknown[] | null = null
      for (const [index, item] of one.entries()) {
        const after = mapped(item, key)
        if (after === item) continue
        copy ??= [...one]
        copy[index] = after
      }
      return copy ?? one
    }
    const entries = Object.entries(one)
    let isChanged = false
    for (const entry of entries) {
      const [name, item] = entry
      if (isOpaque(name, one)) continue
      entry[0] = change(name, '')
      entry[1] = mapped(item, name)
      isChanged ||= entry[0] !== name || entry[1] !== item
    }
    return isChanged ? Object.fromEntries(entries) : one
  }
}

/** Bytes as text: to change them would break them. */
function isOpaque(name: string, holder: object): boolean {
  const type = (holder as { readonly type?: unknown }).type
  if (name === 'signature') return type === 'thinking'
  return name === 'data' && (type === 'base64' || type === 'redacted_thinking')
}
