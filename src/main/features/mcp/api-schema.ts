/**
 * A tool's schema as the Messages API takes it: draft 2020-12 with an object at the top. Servers send older drafts, and
 * forms that the API refuses at the top; it then refuses every request of every agent that has the server.
 *
 * What the schema accepts stays, or becomes more where the API has no form for it: the server checks the input again.
 */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { JsonSchema } from '../../runtime/ports/tool.ts'

export interface ApiSchema {
  readonly schema: JsonSchema
  /** What the schema can't say, as a sentence for the tool's description; empty: nothing. */
  readonly note: string
}

/** Deeper schemas have no end, or no use. */
const MOST_LEVELS = 64

type Json = Readonly<Record<string, unknown>>

/** Fails with `bad-schema`; the message continues "its schema". */
export function apiSchemaOf(schema: unknown): Result<ApiSchema> {
  if (!isObject(schema)) return fail(bad('is no object'))
  const cleaned = clean(schema, 0)
  if (!cleaned.ok) return cleaned
  const top = asObject(cleaned.value as Json)
  if (!top.ok) return top
  const { $schema: _, ...merged } = top.value
  return ok({ schema: merged, note: choiceNote(cleaned.value as Json) })
}

// ---- each level --------------------------------------------------------------------------------------

const ONE: ReadonlySet<string> = new Set([
  'additionalProperties',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])
const MANY: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const NAMED: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
])
const NUMBERS: ReadonlySet<string> = new Set([
  'exclusiveMaximum',
  'exclusiveMinimum',
  'maxContains',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minContains',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
])
const TEXTS: ReadonlySet<string> = new Set([
  '$anchor',
  '$comment',
  '$dynamicAnchor',
  '$dynamicRef',
  'contentEncoding',
  'contentMediaType',
  'description',
  'format',
  'title',
])
const BOOLEANS: ReadonlySet<string> = new Set(['deprecated', 'readOnly', 'uniqueItems', 'writeOnly'])
/** Of other drafts and of OpenAPI: translated, or of no use to a model. */
const DROPPED: ReadonlySet<string> = new Set([
  '$id',
  '$recursiveAnchor',
  '$recursiveRef',
  '$schema',
  '$vocabulary',
  'additionalItems',
  'dependencies',
  'divisibleBy',
  'id',
  'nullable',
])

/** A schema with the forms of draft 2020-12 at each level. */
function clean(schema: unknown, level: number): Result<unknown> {
  if (typeof schema === 'boolean') return ok(schema)
  if (!isObject(schema)) return fail(bad(`has ${JSON.stringify(schema)} where a schema belongs`))
  if (level > MOST_LEVELS) return fail(bad('is nested too deep'))
  const out: [string, unknown][] = []
  for (const [key, value] of Object.entries(translated(schema))) {
    const kept = cleanKeyword(key, value, level)
    if (!kept.ok) return kept
    if (kept.value !== undefined) out.push([key, kept.value])
  }
  return ok(Object.fromEntries(out))
}

/** `undefined`: the keyword goes. */
function cleanKeyword(key: string, value: unknown, level: number): Result<unknown> {
  if (DROPPED.has(key)) return ok(undefined)
  if (ONE.has(key)) return clean(value, level + 1)
  if (MANY.has(key)) {
    if (!Array.isArray(value) || value.length === 0) return ok(undefined)
    return all(value.map((one) => clean(one, level + 1)))
  }
  if (NAMED.has(key)) {
    // An empty list is how some languages write an empty object.
    if (!isObject(value)) return ok(Array.isArray(value) && value.length === 0 ? {} : undefined)
    const names = Object.keys(value)
    const cleaned = all(names.map((name) => clean(value[name], level + 1)))
    return cleaned.ok ? ok(Object.fromEntries(names.map((name, at) => [name, cleaned.value[at]]))) : cleaned
  }
  if (NUMBERS.has(key)) return ok(typeof value === 'number' ? value : undefined)
  if (TEXTS.has(key)) return ok(typeof value === 'string' ? value : undefined)
  if (BOOLEANS.has(key)) return ok(typeof value === 'boolean' ? value : undefined)
  switch (key) {
    case 'type':
      return ok(typeOf(value))
    case 'required':
      return ok(Array.isArray(value) ? [...new Set(value.filter(isText))] : undefined)
    case 'enum':
      return ok(Array.isArray(value) && value.length > 0 ? value : undefined)
    case 'examples':
      return ok(Array.isArray(value) ? value : undefined)
    case 'pattern':
      return ok(isText(value) && isPattern(value) ? value : undefined)
    case '$ref':
      // What is elsewhere can't be looked up.
      return ok(isText(value) && value.startsWith('#') ? value : undefined)
    case 'dependentRequired':
      return ok(isObject(value) ? value : undefined)
    default:
      return ok(value)
  }
}

/** Older forms as those of draft 2020-12, on one level. */
function translated(schema: Json): Json {
  const out: Record<string, unknown> = { ...schema }
  // Draft 4: the limit itself, and whether it is excluded.
  for (const [limit, excluded] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[excluded] !== 'boolean') continue
    delete out[excluded]
    if (schema[excluded] !== true) continue
    out[excluded] = schema[limit]
    delete out[limit]
  }
  if (schema['divisibleBy'] !== undefined) out['multipleOf'] ??= schema['divisibleBy']
  if (Array.isArray(schema['items'])) {
    delete out['items']
    if (schema['items'].length > 0) out['prefixItems'] = schema['items']
    if (schema['additionalItems'] !== undefined) out['items'] = schema['additionalItems']
  }
  if (isObject(schema['dependencies'])) {
    const entries = Object.entries(schema['dependencies'])
    const names = entries.flatMap(([name, on]) => {
      const list = isText(on) ? [on] : on
      return Array.isArray(list) ? [[name, list] as const] : []
    })
    const schemas = entries.filter(([, on]) => isObject(on) || typeof on === 'boolean')
    if (names.length > 0) out['dependentRequired'] = Object.fromEntries(names)
    if (schemas.length > 0) out['dependentSchemas'] = Object.fromEntries(schemas)
  }
  // Draft 3: each property says whether it is required.
  if (isObject(schema['properties'])) {
    const needed = Object.entries(schema['properties']).flatMap(([name, property]) =>
      isObject(property) && property['required'] === true ? [name] : [],
    )
    const listed = Array.isArray(schema['required']) ? schema['required'] : []
    if (needed.length > 0) out['required'] = [...listed, ...needed]
  }
  const type = typeOf(schema['type'])
  if (schema['nullable'] === true && type !== undefined) {
    out['type'] = [...new Set([...(Array.isArray(type) ? type : [type]), 'null'])]
    if (Array.isArray(schema['enum']) && !schema['enum'].includes(null))
      out['enum'] = [...schema['enum'], null]
  }
  return out
}

const TYPES: ReadonlyMap<unknown, string> = new Map([
  ...['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'].map(
    (type) => [type, type] as const,
  ),
  // As languages name them.
  ['bool', 'boolean'],
  ['dict', 'object'],
  ['double', 'number'],
  ['float', 'number'],
  ['int', 'integer'],
  ['list', 'array'],
  ['str', 'string'],
])

/** `undefined`: any type. */
function typeOf(value: unknown): string | readonly string[] | undefined {
  if (!Array.isArray(value)) return TYPES.get(value)
  const known = value.map((one) => TYPES.get(one))
  // A type that the drafts do not know, such as "any", may be anything.
  if (known.length === 0 || known.includes(undefined)) return undefined
  return [...new Set(known.filter(isText))]
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u')
    return true
  } catch {
    return false
  }
}

// ---- the top -----------------------------------------------------------------------------------------

const COMBINED = ['allOf', 'anyOf', 'oneOf'] as const

/** The schema with an object at its top, without the forms that the API refuses there. */
function asObject(root: Json): Result<Json> {
  const merged = merge(root, root, 0)
  if (merged === null) return fail(bad('takes no object'))
  return ok({ ...definitionsOf(root), ...merged, type: 'object' })
}

const definitionsOf = ({ $defs, definitions }: Json): Json => ({
  ...($defs === undefined ? {} : { $defs }),
  ...(definitions === undefined ? {} : { definitions }),
})

/** One level with its branches put into it; null: it takes no object. */
function merge(schema: Json, root: Json, level: number): Json | null {
  if (level > MOST_LEVELS) return null
  const { $ref, allOf, anyOf, oneOf, type, ...own } = schema
  const types = type === undefined ? ['object'] : Array.isArray(type) ? type : [type]
  if (!types.includes('object')) return null
  let merged: Json = own
  if (isText($ref)) {
    const target = pointed(root, $ref)
    const inner = isObject(target) ? merge(target, root, level + 1) : {}
    if (inner === null) return null
    merged = together(inner, merged)
  }
  for (const branch of Array.isArray(allOf) ? allOf : []) {
    const inner = isObject(branch) ? merge(branch, root, level + 1) : {}
    if (inner === null) return null
    merged = together(merged, inner)
  }
  for (const branches of [anyOf, oneOf]) {
    if (!Array.isArray(branches)) continue
    const inner = branches.flatMap((branch) => {
      const one = isObject(branch) ? merge(branch, root, level + 1) : branch === true ? {} : null
      return one === null ? [] : [one]
    })
    if (inner.length === 0) return null
    merged = together(merged, either(inner))
  }
  return merged
}

/** What both say. */
function together(one: Json, other: Json): Json {
  const properties = unionOf([one, other], 'allOf')
  const required = [...new Set([...namesIn(one), ...namesIn(other)])]
  const { additionalProperties: _, unevaluatedProperties: __, ...rest } = { ...one, ...other }
  // A branch that forbids other properties forbids those of its neighbors too: no input could fit both.
  const hasBoth = Object.keys(propertiesOf(one)).length > 0 && Object.keys(propertiesOf(other)).length > 0
  return {
    ...(hasBoth ? rest : { ...one, ...other }),
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
  }
}

/** What one of them says. */
function either(branches: readonly Json[]): Json {
  const [first, ...others] = branches
  if (first === undefined || others.length === 0) return first ?? {}
  const properties = unionOf(branches, 'anyOf')
  const required = namesIn(first).filter((name) => others.every((branch) => namesIn(branch).includes(name)))
  const texts = [...new Set(branches.map(({ description }) => description).filter(isText))]
  return {
    ...(Object.keys(properties).length === 0 ? {} : { properties }),
    ...(required.length === 0 ? {} : { required }),
    ...(texts.length === 1 ? { description: texts[0] } : {}),
  }
}

function unionOf(branches: readonly Json[], kind: 'allOf' | 'anyOf'): Json {
  const found = new Map<string, unknown[]>()
  for (const branch of branches)
    for (const [name, property] of Object.entries(propertiesOf(branch))) {
      const known = found.get(name) ?? []
      if (!known.some((one) => JSON.stringify(one) === JSON.stringify(property))) known.push(property)
      found.set(name, known)
    }
  return Object.fromEntries(
    [...found].map(([name, all]) => [name, all.length === 1 ? all[0] : { [kind]: all }]),
  )
}

const propertiesOf = ({ properties }: Json): Json => (isObject(properties) ? properties : {})
const namesIn = ({ required }: Json): readonly string[] =>
  Array.isArray(required) ? required.filter(isText) : []

/** The part of the schema at a local address, such as `#/$defs/Query`. */
export function pointed(root: Json, ref: string): unknown {
  let at: unknown = root
  for (const part of ref.split('/').slice(1)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    at = Array.isArray(at) ? at[Number(name)] : isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  }
  return at
}

/** The choice between sets of fields that the merged schema leaves open. */
function choiceNote(root: Json): string {
  const notes = COMBINED.flatMap((kind) => {
    const branches = root[kind]
    if (kind === 'allOf' || !Array.isArray(branches)) return []
    const sets = branches.map((branch) => {
      const target = isObject(branch) && isText(branch['$ref']) ? pointed(root, branch['$ref']) : branch
      return isObject(target) ? namesIn(target).join(', ') : ''
    })
    const named = [...new Set(sets.filter((set) => set !== ''))]
    if (named.length < 2) return []
    return [
      `Give ${kind === 'oneOf' ? 'exactly one' : 'at least one'} of these sets of fields: ${named.join('; ')}.`,
    ]
  })
  return notes.join(' ')
}

// ---- small parts -------------------------------------------------------------------------------------

function all(results: readonly Result<unknown>[]): Result<readonly unknown[]> {
  const values: unknown[] = []
  for (const result of results) {
    if (!result.ok) return result
    values.push(result.value)
  }
  return ok(values)
}

const bad = (message: string) => ({ type: 'bad-schema', message })

const isText = (value: unknown): value is string => typeof value === 'string'

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
