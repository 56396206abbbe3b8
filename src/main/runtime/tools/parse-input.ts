/** Checks the input of a call. Harmless slips are corrected; any other error is reported so that the model can fix it. */
import { z } from 'zod'
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { Tool } from '../ports/tool.ts'
import { zodSchemaOf } from './tool-schema.ts'

type Issue = z.core.$ZodIssue

/** A corrected value can reveal further errors: the items of a list that was sent as text, for example. */
const ROUNDS = 4

interface ParsedInput<Input> {
  readonly input: Input
  /** Unknown fields that were dropped: `id`, `todos.id`. */
  readonly ignored: readonly string[]
}

/** The tool's input, or a failure (`bad-input`) whose message names each wrong field in one line. */
export function parseInput<Input>(
  tool: Pick<Tool<Input>, 'name' | 'schema' | 'ignoredFields'>,
  raw: unknown,
): Result<ParsedInput<Input>> {
  const broken = brokenJson(raw)
  if (broken !== null)
    return fail({
      type: 'bad-input',
      message: `${tool.name} was not run, because its input is broken JSON: ${broken} Send the whole call again.`,
    })
  const schema = zodSchemaOf(tool.schema)
  let input = fromText(raw)
  let parsed = schema.safeParse(input)
  for (let round = 0; round < ROUNDS && !parsed.success; round++) {
    const fixed = fix(input, parsed.error.issues)
    if (fixed === null) break
    input = fixed
    parsed = schema.safeParse(input)
  }
  if (parsed.success) return ok({ input: parsed.data, ignored: [] })
  const { issues } = parsed.error
  if (issues.every((issue) => isIgnored(issue, tool))) {
    const without = schema.safeParse(withoutUnknown(input, issues))
    if (without.success) return ok({ input: without.data, ignored: unknownNames(issues) })
  }
  return fail({
    type: 'bad-input',
    message: `${tool.name} was not run, because its input is invalid: ${issues.map((issue) => messageFor(issue, input, schema)).join('; ')}.`,
  })
}

/** Whether the issue is only about unknown fields that the tool may ignore. */
function isIgnored(issue: Issue, { ignoredFields = [] }: Pick<Tool, 'ignoredFields'>): boolean {
  if (issue.code !== 'unrecognized_keys') return false
  return ignoredFields === 'all' || issue.keys.every((key) => ignoredFields.includes(key))
}

function withoutUnknown(input: unknown, issues: readonly Issue[]): unknown {
  const copy = structuredClone(input)
  for (const issue of issues) {
    if (issue.code !== 'unrecognized_keys') continue
    const holder = holderOf(copy, [...issue.path, ''])
    for (const key of issue.keys) delete holder?.[key]
  }
  return copy
}

/** Each once, without the positions in lists. */
function unknownNames(issues: readonly Issue[]): readonly string[] {
  const names = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => [...issue.path.filter((part) => typeof part === 'string'), key].join('.'))
      : [],
  )
  return [...new Set(names)]
}

/** The input with clear slips corrected; null if there are none. */
function fix(input: unknown, issues: readonly Issue[]): unknown {
  const copy = structuredClone(input)
  const fixed = issues.filter((issue) => {
    if (issue.code === 'unrecognized_keys') return dropEmpty(holderOf(copy, [...issue.path, '']), issue.keys)
    if (issue.code !== 'invalid_type') return false
    const holder = holderOf(copy, issue.path)
    const name = issue.path.at(-1)
    if (holder === null || name === undefined || !(name in holder)) return false
    return fixValue(holder, name, issue.expected)
  })
  return fixed.length === 0 ? null : copy
}

function fixValue(holder: Record<PropertyKey, unknown>, name: PropertyKey, expected: string): boolean {
  const value = holder[name]
  // A null means an omitted field.
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

/** Unknown fields without a value are dropped. */
function dropEmpty(holder: Record<PropertyKey, unknown> | null, names: readonly string[]): boolean {
  if (holder === null) return false
  const empty = names.filter((name) => [null, undefined, false].includes(holder[name] as null))
  for (const name of empty) delete holder[name]
  return empty.length > 0
}

/** The object or list that holds the last key of a path. */
function holderOf(root: unknown, path: readonly PropertyKey[]): Record<PropertyKey, unknown> | null {
  let at = root
  for (const name of path.slice(0, -1)) at = isHolder(at) ? at[name] : undefined
  return isHolder(at) ? at : null
}

function isHolder(value: unknown): value is Record<PropertyKey, unknown> {
  return typeof value === 'object' && value !== null
}

/** Why a text that should be a JSON object is none; null if it is one, or is no JSON at all. */
function brokenJson(raw: unknown): string | null {
  if (typeof raw !== 'string' || !/^\s*\{/.test(raw)) return null
  try {
    JSON.parse(raw)
    return null
  } catch (thrown) {
    return sentence(messageOf(thrown))
  }
}

/** Parses a text that holds JSON; returns anything else unchanged. */
function fromText(raw: unknown): unknown {
  if (typeof raw !== 'string' || !/^\s*[[{]/.test(raw)) return raw
  try {
    return JSON.parse(raw)
  } catch {
    return raw
  }
}

function messageFor(issue: Issue, input: unknown, schema: z.ZodType): string {
  const field = `\`${issue.path.map(String).join('.')}\``
  const holder = holderOf(input, issue.path)
  const value = holder?.[issue.path.at(-1) ?? '']
  if (issue.code === 'unrecognized_keys') return unknownFields(issue, schema)
  if (issue.path.length === 0) return 'it must be an object with the tool’s fields'
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined
        ? `${field} is missing (${typeName(issue.expected)})`
        : `${field} must be ${typeName(issue.expected)}, not ${shown(value)}`
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
  return issue.keys
    .map((key) => `\`${[...issue.path, key].join('.')}\` is not a field${fieldList(issue, schema)}`)
    .join('; ')
}

/** The tool's fields; empty for nested objects. */
function fieldList(issue: Issue, schema: z.ZodType): string {
  return issue.path.length === 0 && schema instanceof z.ZodObject
    ? ` (fields: ${Object.keys(schema.shape).join(', ')})`
    : ''
}

function typeName(expected: string): string {
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

/** A value, shortened. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
