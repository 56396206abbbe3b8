/**
 * Checks of JSON values with error messages in the style of the Messages API:
 * `messages.0.content.1.text: Field required`. The first problem ends the check.
 */
import { isRecord } from '../../platform/json/json-text.ts'

/** The problem, or null for a valid value. */
export type Check = (value: unknown, path: string) => string | null

interface Field {
  readonly check: Check
  readonly required: boolean
}

export const required = (check: Check): Field => ({ check, required: true })
export const optional = (check: Check): Field => ({ check, required: false })

/** An object with exactly these fields. `notPlayed` lists API fields that the scripted API does not support. */
export function record(fields: Readonly<Record<string, Field>>, notPlayed: readonly string[] = []): Check {
  const names = Object.keys(fields)
  return (value, path) => {
    if (!isRecord(value)) return `${path || 'body'}: Input should be a valid dictionary`
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(fields, key)) continue
      return notPlayed.includes(key)
        ? `${at(path, key)}: this scripted API does not act out this field`
        : `${at(path, key)}: Extra inputs are not permitted`
    }
    for (const name of names) {
      const field = fields[name]
      if (field === undefined) continue
      const present = Object.hasOwn(value, name) && value[name] !== undefined
      if (!present && field.required) return `${at(path, name)}: Field required`
      const problem = present ? field.check(value[name], at(path, name)) : null
      if (problem !== null) return problem
    }
    return null
  }
}

/** A union discriminated by `type`; the type is part of the path, as in the API's messages. */
export function taggedUnion(
  kinds: Readonly<Record<string, Check>>,
  notPlayed: readonly string[] = [],
): Check {
  const expected = Object.keys(kinds)
    .map((kind) => `'${kind}'`)
    .join(', ')
  return (value, path) => {
    if (!isRecord(value)) return `${path}: Input should be a valid dictionary`
    const { type } = value
    if (type === undefined) return `${path}.type: Field required`
    const check = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
    if (check !== undefined) return check(value, `${path}.${String(type)}`)
    return notPlayed.includes(String(type))
      ? `${path}: this scripted API does not act out content of type ${type}`
      : `${path}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${expected}`
  }
}

export function list(check: Check): Check {
  return (value, path) => {
    if (!Array.isArray(value)) return `${path}: Input should be a valid list`
    for (const [index, item] of value.entries()) {
      const problem = check(item, `${path}.${index}`)
      if (problem !== null) return problem
    }
    return null
  }
}

export const anyText: Check = (value, path) =>
  typeof value === 'string' ? null : `${path}: Input should be a valid string`

export const anyRecord: Check = (value, path) =>
  isRecord(value) ? null : `${path}: Input should be a valid dictionary`

export const anyBoolean: Check = (value, path) =>
  typeof value === 'boolean' ? null : `${path}: Input should be a valid boolean`

export const wholeNumber =
  (least: number): Check =>
  (value, path) => {
    if (typeof value !== 'number' || !Number.isInteger(value))
      return `${path}: Input should be a valid integer`
    return value >= least ? null : `${path}: Input should be greater than or equal to ${least}`
  }

export const oneOf =
  (...values: readonly string[]): Check =>
  (value, path) =>
    typeof value === 'string' && values.includes(value)
      ? null
      : `${path}: Input should be ${values.map((each) => `'${each}'`).join(' or ')}`

export const matching =
  (pattern: RegExp): Check =>
  (value, path) =>
    anyText(value, path) ??
    (pattern.test(String(value)) ? null : `${path}: String should match pattern '${pattern.source}'`)

export const orNull =
  (check: Check): Check =>
  (value, path) =>
    value === null ? null : check(value, path)

/** Text, or a list. */
export const textOr =
  (check: Check): Check =>
  (value, path) =>
    typeof value === 'string' ? null : check(value, path)

const at = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)
