/**
 * The API takes property names of letters, digits, `_`, `.` and `-` only, 64 at most. Others (`$filter`, `user name`) have
 * another name in the schema that the model sees, and their own in what the server gets.
 */
import type { JsonSchema } from '../../runtime/ports/tool.ts'
import { pointed } from './api-schema.ts'

interface RenamedKeys {
  /** With names that the API takes. */
  readonly schema: JsonSchema
  /** The input with the server's names again. */
  restored(input: unknown): unknown
}

type Json = Readonly<Record<string, unknown>>

const TAKEN = /^[a-zA-Z0-9_.-]{1,64}$/
const LONGEST = 64
/** Schemas may refer to themselves; no input is as deep. */
const MOST_LEVELS = 64

/** Null: every name can stay. */
export function renamedKeys(schema: JsonSchema): RenamedKeys | null {
  const names = new Set<string>()
  collect(schema, names)
  const renames = new Map<string, string>()
  const taken = new Set([...names].filter((name) => TAKEN.test(name)))
  for (const name of names) {
    if (TAKEN.test(name)) continue
    const base = name.replaceAll(/[^a-zA-Z0-9_.-]/g, '_').slice(0, LONGEST) || '_'
    let free = base
    for (let number = 2; taken.has(free); number++) free = `${base.slice(0, LONGEST - 4)}_${number}`
    taken.add(free)
    renames.set(name, free)
  }
  if (renames.size === 0) return null
  return {
    schema: renamed(schema, renames) as JsonSchema,
    restored: (input) => restore(input, [schema], { root: schema, renames, level: 0 }),
  }
}

function collect(schema: unknown, names: Set<string>): void {
  for (const [key, value] of entriesOf(schema)) {
    if (key === 'properties') for (const [name] of entriesOf(value)) names.add(name)
    if (holdsSchemas(key)) for (const inner of schemasIn(key, value)) collect(inner, names)
  }
}

function renamed(schema: unknown, renames: ReadonlyMap<string, string>): unknown {
  if (!isObject(schema)) return schema
  const nameOf = (name: string) => renames.get(name) ?? name
  const each = (value: Json, rename: (name: string) => string) =>
    Object.fromEntries(Object.entries(value).map(([name, inner]) => [rename(name), renamed(inner, renames)]))
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (key === 'required' && Array.isArray(value)) return [key, value.map(nameOf)]
      if (key === '$ref' && typeof value === 'string') return [key, renamedPointer(value, nameOf)]
      if (key === 'dependentRequired' && isObject(value))
        return [
          key,
          Object.fromEntries(
            Object.entries(value).map(([name, list]) => [
              nameOf(name),
              Array.isArray(list) ? list.map(nameOf) : list,
            ]),
          ),
        ]
      if (key === 'properties' && isObject(value))
        return [
          key,
          Object.fromEntries(
            Object.entries(value).map(([name, inner]) => [nameOf(name), described(name, inner, renames)]),
          ),
        ]
      if (key === 'dependentSchemas' && isObject(value)) return [key, each(value, nameOf)]
      if (!holdsSchemas(key)) return [key, value]
      if (Array.isArray(value)) return [key, value.map((inner) => renamed(inner, renames))]
      return [key, NAMED.has(key) && isObject(value) ? each(value, (name) => name) : renamed(value, renames)]
    }),
  )
}

/** The server's own texts speak of the name that it has there. */
function described(name: string, schema: unknown, renames: ReadonlyMap<string, string>): unknown {
  const inner = renamed(schema, renames)
  if (!renames.has(name) || !isObject(inner)) return inner
  const text = typeof inner['description'] === 'string' ? `${inner['description']} ` : ''
  return { ...inner, description: `${text}(The server calls it ${JSON.stringify(name)}.)` }
}

const renamedPointer = (ref: string, nameOf: (name: string) => string): string =>
  ref
    .split('/')
    .map((part, at, parts) => (parts[at - 1] === 'properties' ? nameOf(decodeURIComponent(part)) : part))
    .join('/')

interface Walk {
  readonly root: Json
  readonly renames: ReadonlyMap<string, string>
  readonly level: number
}

/** Only names of the schemas that apply at a place are put back there: other keys are the model's own. */
function restore(value: unknown, schemas: readonly unknown[], walk: Walk): unknown {
  if (walk.level > MOST_LEVELS) return value
  const next = { ...walk, level: walk.level + 1 }
  const applying = schemas.flatMap((schema) => applied(schema, walk.root, 0))
  if (Array.isArray(value))
    return value.map((one, at) =>
      restore(
        one,
        applying.flatMap(({ prefixItems, items }) => {
          const own = Array.isArray(prefixItems) ? prefixItems[at] : undefined
          return own === undefined ? [items] : [own]
        }),
        next,
      ),
    )
  if (!isObject(value)) return value
  const properties = applying.flatMap((schema) => entriesOf(schema['properties']))
  const originals = new Map(
    properties.flatMap(([name]) => {
      const given = walk.renames.get(name)
      return given === undefined ? [] : [[given, name] as const]
    }),
  )
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      const name = originals.get(key) ?? key
      const own = properties.flatMap(([each, schema]) => (each === name ? [schema] : []))
      const others = applying.flatMap(({ additionalProperties, patternProperties }) => [
        additionalProperties,
        ...entriesOf(patternProperties).map(([, schema]) => schema),
      ])
      return [name, restore(inner, own.length > 0 ? own : others, next)]
    }),
  )
}

/** A schema with all that apply at the same place. */
function applied(schema: unknown, root: Json, level: number): readonly Json[] {
  if (!isObject(schema) || level > MOST_LEVELS) return []
  const { $ref } = schema
  const target = typeof $ref === 'string' ? pointed(root, $ref) : undefined
  const branches = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'].flatMap((key) =>
    schemasIn(key, schema[key]),
  )
  const dependent = entriesOf(schema['dependentSchemas']).map(([, inner]) => inner)
  return [schema, ...[target, ...branches, ...dependent].flatMap((inner) => applied(inner, root, level + 1))]
}

const NAMED: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
])
const SCHEMAS: ReadonlySet<string> = new Set([
  ...NAMED,
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
])

const holdsSchemas = (key: string): boolean => SCHEMAS.has(key)

function schemasIn(key: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  return NAMED.has(key) ? entriesOf(value).map(([, inner]) => inner) : [value]
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isObject(value) ? Object.entries(value) : []

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
