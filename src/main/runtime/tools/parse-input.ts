/** The input of a call, checked. Slips that harm nobody are mended; anything else is said so that the model can. */
import { z } from 'zod'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { refusedFields } from './refused-fields.ts'

type Issue = z.core.$ZodIssue

/** Each round may bring up what the one before hid: fields of a list that was given as text. */
const ROUNDS = 4

/** The input as the tool takes it, or a failure (`bad-input`) that names each wrong field, in one line. */
export function parseInput<Input>(
  tool: { readonly name: string; readonly schema: z.ZodType<Input> },
  raw: unknown,
): Result<Input> {
  let input = fromText(raw)
  let parsed = tool.schema.safeParse(input)
  for (let round = 0; round < ROUNDS && !parsed.success; round++) {
    const mended = mend(input, parsed.error.issues)
    if (mended === null) break
    input = mended
    parsed = tool.schema.safeParse(input)
  }
  if (parsed.success) return ok(parsed.data)
  const { issues } = parsed.error
  return fail({
    type: 'bad-input',
    message: `${tool.name} was not run, since its input is wrong: ${issues.map((issue) => wordsFor(issue, input, tool.schema)).join('; ')}.`,
  })
}

/** The input with what is wrong put right where it is clear what was meant; null where nothing is. */
function mend(input: unknown, issues: readonly Issue[]): unknown {
  const copy = structuredClone(input)
  const mended = issues.filter((issue) => {
    if (issue.code === 'unrecognized_keys') return dropEmpty(holderOf(copy, [...issue.path, '']), issue.keys)
    if (issue.code !== 'invalid_type') return false
    const holder = holderOf(copy, issue.path)
    const name = issue.path.at(-1)
    if (holder === null || name === undefined || !(name in holder)) return false
    return mendValue(holder, name, issue.expected)
  })
  return mended.length === 0 ? null : copy
}

function mendValue(holder: Record<PropertyKey, unknown>, name: PropertyKey, expected: string): boolean {
  const value = holder[name]
  // Nothing at all, where a field may be left out.
  if (value === null || value === undefined) return delete holder[name]
  const meant = typeof value === 'string' ? readAs(expected, value.trim()) : writtenAs(expected, value)
  if (meant === undefined) return false
  holder[name] = meant
  return true
}

function readAs(expected: string, text: string): unknown {
  switch (expected) {
    case 'number':
      return /^[+-]?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined
    case 'boolean':
      return /^true$/i.test(text) ? true : /^false$/i.test(text) ? false : undefined
    case 'array':
    case 'object': {
      const value = fromText(text)
      return typeof value === 'object' ? value : undefined
    }
    default:
      return undefined
  }
}

function writtenAs(expected: string, value: unknown): unknown {
  if (expected === 'string' && (typeof value === 'number' || typeof value === 'boolean')) return String(value)
  if (expected === 'boolean' && (value === 0 || value === 1)) return value === 1
  return undefined
}

/** A field that nobody knows but that says nothing is no reason to refuse a call. */
function dropEmpty(holder: Record<PropertyKey, unknown> | null, names: readonly string[]): boolean {
  if (holder === null) return false
  const empty = names.filter((name) => [null, undefined, false].includes(holder[name] as null))
  for (const name of empty) delete holder[name]
  return empty.length > 0
}

/** The object or list that holds the last part of a path. */
function holderOf(root: unknown, path: readonly PropertyKey[]): Record<PropertyKey, unknown> | null {
  let at = root
  for (const name of path.slice(0, -1)) at = isHolder(at) ? at[name] : undefined
  return isHolder(at) ? at : null
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}

/** What a text of JSON says; anything else as it is. */
function fromText(raw: unknown): unknown {
  if (typeof raw !== 'string' || !/^\s*[[{]/.test(raw)) return raw
  try {
    return JSON.parse(raw)
  } catch {
    return raw
  }
}

function wordsFor(issue: Issue, input: unknown, schema: z.ZodType): string {
  const field = `\`${issue.path.map(String).join('.')}\``
  const holder = holderOf(input, issue.path)
  const value = holder?.[issue.path.at(-1) ?? '']
  if (issue.code === 'unrecognized_keys') return unknownFields(issue, schema)
  if (issue.path.length === 0) return 'it must be an object with the fields of the tool'
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined
        ? `${field} is missing (${typeWords(issue.expected)})`
        : `${field} must be ${typeWords(issue.expected)}, not ${shown(value)}`
    case 'invalid_value':
      return `${field} must be one of ${issue.values.map((one) => shown(one)).join(', ')}, not ${shown(value)}`
    case 'too_small':
      return `${field} must ${isText(value) ? 'not be empty' : `be at least ${issue.minimum}`}${isText(value) ? '' : `, not ${shown(value)}`}`
    case 'too_big':
      return Array.isArray(value)
        ? `${field} must have at most ${issue.maximum} entries, not ${value.length}`
        : `${field} must be at most ${issue.maximum}, not ${shown(value)}`
    default:
      return `${field}: ${issue.message}`
  }
}

function unknownFields(issue: Extract<Issue, { code: 'unrecognized_keys' }>, schema: z.ZodType): string {
  const refused = refusedFields.get(schema) ?? {}
  return issue.keys
    .map(
      (key) =>
        `\`${[...issue.path, key].join('.')}\` ${refused[key] ?? `is not a field there is${offer(issue, schema)}`}`,
    )
    .join('; ')
}

/** The fields there are, where they are those of the tool itself. */
function offer(issue: Issue, schema: z.ZodType): string {
  return issue.path.length === 0 && schema instanceof z.ZodObject
    ? ` (there are ${Object.keys(schema.shape).join(', ')})`
    : ''
}

function typeWords(expected: string): string {
  return TYPES[expected] ?? expected
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** A value in few words. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
