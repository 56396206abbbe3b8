/**
 * The protocol's own JSON Schema, applied strictly: a field that the schema does not name is an error. The library
 * itself accepts such fields and drops them, so that a misspelled one would go unseen.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

interface Schema {
  readonly [keyword: string]: unknown
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema | true>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
  readonly allOf?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly not?: Schema
  readonly enum?: readonly unknown[]
}

/** What a part of a schema says about a value: what is wrong, and the fields that it names. */
interface Verdict {
  readonly errors: readonly string[]
  readonly fields: ReadonlySet<string> | 'any'
}

export interface ProtocolSchema {
  /** What is wrong with a value of the type with this name. */
  check(type: string, value: unknown): readonly string[]
  /** The type of a message of a method, for example `PromptResponse`; null: there is none. */
  typeOf(
    method: string,
    side: 'agent' | 'client',
    kind: 'Request' | 'Response' | 'Notification',
  ): string | null
}

/** Keywords that say nothing about whether a value is right. */
const SILENT = /^(x-|description$|title$|default$|format$|discriminator$|\$schema$)/
const KNOWN = new Set(
  '$ref type properties required items additionalProperties unevaluatedProperties allOf anyOf oneOf not enum const minimum maximum minItems minLength pattern'.split(
    ' ',
  ),
)

/** @param name `schema.json`, or `schema.unstable.json` with the parts that are not stable */
export function protocolSchema(name: string): ProtocolSchema {
  const library = dirname(createRequire(import.meta.url).resolve('@agentclientprotocol/sdk'))
  const file = join(library, '../../../schema/v1', name)
  const { $defs: types } = JSON.parse(readFileSync(file, 'utf8')) as { $defs: Record<string, Schema> }

  /** The schema and all fields of the value. */
  const strict = (schema: Schema | boolean, value: unknown, at: string): readonly string[] => {
    if (schema === true) return []
    if (schema === false) return [`${at}: not allowed`]
    const { errors, fields } = judge(schema, value, at)
    if (!isObject(value) || fields === 'any') return errors
    const unknown = Object.keys(value).filter((field) => !fields.has(field))
    return [...errors, ...unknown.map((field) => `${at}.${field}: no such field`)]
  }

  const judge = (schema: Schema, value: unknown, at: string): Verdict => {
    const said = Object.keys(schema).filter((keyword) => !SILENT.test(keyword))
    const other = said.find((keyword) => !KNOWN.has(keyword))
    if (other !== undefined) throw new Error(`The schema uses the keyword ${other}.`)
    if (said.length === 0) return { errors: [], fields: 'any' }
    const parts: Verdict[] = [{ errors: own(schema, value, at), fields: fieldsOf(schema) }]
    if (isObject(value))
      for (const [field, each] of Object.entries(value)) {
        const of = Object.hasOwn(schema.properties ?? {}, field)
          ? schema.properties?.[field]
          : schema.additionalProperties
        if (of !== undefined) parts.push(verdict(strict(of, each, `${at}.${field}`)))
      }
    if (Array.isArray(value) && schema.items !== undefined)
      for (const [index, each] of value.entries())
        parts.push(verdict(strict(schema.items, each, `${at}[${index}]`)))
    if (schema.$ref !== undefined) {
      const type = types[schema.$ref.replace('#/$defs/', '')]
      if (type === undefined) throw new Error(`The schema has no ${schema.$ref}.`)
      parts.push(judge(type, value, at))
    }
    for (const each of schema.allOf ?? []) parts.push(judge(each, value, at))
    for (const each of [schema.anyOf, schema.oneOf])
      if (each !== undefined) parts.push(oneOfThese(each.map((branch) => judge(branch, value, at))))
    if (schema.not !== undefined && judge(schema.not, value, at).errors.length === 0)
      parts.push(verdict([`${at}: is what it must not be`]))
    return together(parts)
  }

  return {
    check: (type, value) => strict({ $ref: `#/$defs/${type}` }, value, type),
    typeOf: (method, side, kind) =>
      Object.keys(types).find(
        (name) =>
          name.endsWith(kind) && types[name]?.['x-method'] === method && types[name]?.['x-side'] === side,
      ) ?? null,
  }
}

const verdict = (errors: readonly string[]): Verdict => ({ errors, fields: new Set() })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function fieldsOf({ properties = {}, additionalProperties, ...rest }: Schema): Verdict['fields'] {
  const isOpen = (additionalProperties ?? rest['unevaluatedProperties'] ?? false) !== false
  return isOpen ? 'any' : new Set(Object.keys(properties))
}

function together(parts: readonly Verdict[]): Verdict {
  const errors = parts.flatMap((part) => part.errors)
  if (parts.some(({ fields }) => fields === 'any')) return { errors, fields: 'any' }
  return { errors, fields: new Set(parts.flatMap(({ fields }) => [...fields])) }
}

/** The branches that fit; else the errors of the one that fits best. */
function oneOfThese(branches: readonly Verdict[]): Verdict {
  const fitting = branches.filter(({ errors }) => errors.length === 0)
  if (fitting.length > 0) return together(fitting)
  const [best] = branches.toSorted((a, b) => a.errors.length - b.errors.length)
  return best ?? verdict([])
}

/** What the keywords say that are about the value itself. */
function own(schema: Schema, value: unknown, at: string): readonly string[] {
  const errors: string[] = []
  const types = schema.type === undefined ? [] : [schema.type].flat()
  if (types.length > 0 && !types.some((type) => isOfType(type, value)))
    errors.push(`${at}: is not of the type ${types.join(' or ')}`)
  if ('const' in schema && value !== schema['const']) errors.push(`${at}: is not ${String(schema['const'])}`)
  if (schema.enum !== undefined && !schema.enum.includes(value))
    errors.push(`${at}: is none of ${schema.enum.join(', ')}`)
  if (isObject(value))
    for (const field of schema.required ?? [])
      if (value[field] === undefined) errors.push(`${at}.${field}: is missing`)
  const { minimum, maximum, minItems, minLength, pattern } = schema
  if (typeof value === 'number') {
    if (typeof minimum === 'number' && value < minimum) errors.push(`${at}: is less than ${minimum}`)
    if (typeof maximum === 'number' && value > maximum) errors.push(`${at}: is more than ${maximum}`)
  }
  if (Array.isArray(value) && typeof minItems === 'number' && value.length < minItems)
    errors.push(`${at}: has less than ${minItems} items`)
  if (typeof value === 'string') {
    if (typeof minLength === 'number' && value.length < minLength) errors.push(`${at}: is too short`)
    if (typeof pattern === 'string' && !new RegExp(pattern).test(value))
      errors.push(`${at}: is not ${pattern}`)
  }
  return errors
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    default:
      return typeof value === type
  }
}
