/** A tool's input schema as the API takes it: draft 2020-12, with an object and no combination at its top. */
import { isRecord } from '../../platform/json/json-text.ts'

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']
const KEY = /^[a-zA-Z0-9_.-]{1,64}$/

/** The problem, or null. */
export function checkSchema(schema: Record<string, unknown>, path: string): string | null {
  for (const key of ['oneOf', 'allOf', 'anyOf'])
    if (key in schema) return `${path}: input_schema does not support oneOf, allOf, or anyOf at the top level`
  if (schema['type'] !== 'object') return `${path}.type: Input should be 'object'`
  const problem = badSchema(schema)
  return problem === null
    ? null
    : problem.startsWith('Property keys')
      ? `${path}.properties: ${problem}`
      : `${path}: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12): ${problem}`
}

function badSchema(schema: unknown): string | null {
  if (typeof schema === 'boolean') return null
  if (!isRecord(schema)) return `${JSON.stringify(schema)} is no schema`
  for (const [key, value] of Object.entries(schema)) {
    const problem = KINDS[key]?.(value) ?? null
    if (problem !== null) return problem.startsWith('Property keys') ? problem : `${key}: ${problem}`
  }
  return null
}

type Kind = (value: unknown) => string | null

const one: Kind = badSchema
const many: Kind = (value) =>
  Array.isArray(value) && value.length > 0 ? first(value.map(badSchema)) : 'must be a list that is not empty'
const named: Kind = (value) =>
  isRecord(value) ? first(Object.values(value).map(badSchema)) : 'must be an object'
const properties: Kind = (value) =>
  isRecord(value) && Object.keys(value).some((key) => !KEY.test(key))
    ? `Property keys should match pattern '${KEY.source}'`
    : named(value)
const number: Kind = (value) => (typeof value === 'number' ? null : 'must be a number')
const text: Kind = (value) => (typeof value === 'string' ? null : 'must be a string')
const truth: Kind = (value) => (typeof value === 'boolean' ? null : 'must be true or false')
const texts: Kind = (value) =>
  Array.isArray(value) &&
  value.every((each) => typeof each === 'string') &&
  new Set(value).size === value.length
    ? null
    : 'must be a list of unique strings'
const anyList: Kind = (value) => (Array.isArray(value) ? null : 'must be a list')
const type: Kind = (value) =>
  (Array.isArray(value) && value.length > 0 ? value : [value]).every((each) => TYPES.includes(String(each)))
    ? null
    : 'is no type'
const pattern: Kind = (value) => {
  try {
    new RegExp(String(value), 'u')
    return text(value)
  } catch {
    return 'is no pattern'
  }
}
const local: Kind = (value) =>
  typeof value === 'string' && value.startsWith('#') ? null : 'must be an address in the schema'
const lists: Kind = (value) =>
  isRecord(value) ? first(Object.values(value).map(texts)) : 'must be an object'

const KINDS: Readonly<Record<string, Kind>> = {
  ...Object.fromEntries(
    ['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'].map((key) => [
      key,
      one,
    ]),
  ),
  ...Object.fromEntries(['allOf', 'anyOf', 'oneOf', 'prefixItems'].map((key) => [key, many])),
  ...Object.fromEntries(
    ['$defs', 'definitions', 'dependentSchemas', 'patternProperties'].map((key) => [key, named]),
  ),
  ...Object.fromEntries(
    [
      'exclusiveMaximum',
      'exclusiveMinimum',
      'maxItems',
      'maxLength',
      'maxProperties',
      'maximum',
      'minItems',
      'minLength',
      'minProperties',
      'minimum',
      'multipleOf',
    ].map((key) => [key, number]),
  ),
  ...Object.fromEntries(['$id', '$schema', 'description', 'format', 'title'].map((key) => [key, text])),
  $ref: local,
  dependentRequired: lists,
  enum: anyList,
  examples: anyList,
  pattern,
  properties,
  required: texts,
  type,
  uniqueItems: truth,
}

const first = (problems: readonly (string | null)[]): string | null =>
  problems.find((problem) => problem !== null) ?? null
