import { describe, expect, test } from 'vitest'

import { zodSchemaOf } from '../../runtime/tools/tool-schema.ts'
import { checkSchema } from '../rehearsal/check-schema.ts'
import { apiSchemaOf } from './api-schema.ts'
import { renamedKeys } from './renamed-keys.ts'

const text = { type: 'string' }
const object = (properties: object, ...required: string[]) => ({ type: 'object', properties, required })

interface Row {
  readonly what: string
  readonly schema: unknown
  /** Inputs that the tool takes, which must stay possible. */
  readonly takes: readonly object[]
  /** Inputs that it refuses, and that the API's form can refuse too. */
  readonly refuses?: readonly object[]
}

const rows: readonly Row[] = [
  {
    what: 'anyOf at the top',
    schema: { anyOf: [object({ id: text }, 'id'), object({ name: text }, 'name')] },
    takes: [{ id: 'a' }, { name: 'b' }],
    refuses: [{ id: 1 }],
  },
  {
    what: 'oneOf beside properties',
    schema: { ...object({ a: text, b: text }), oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    takes: [{ a: 'x' }, { b: 'x' }],
    refuses: [{ a: 1 }],
  },
  {
    what: 'branches with one property of two types, and one that needs no object',
    schema: {
      type: 'object',
      anyOf: [object({ v: text }, 'v'), object({ v: { type: 'number' } }, 'v'), { type: 'null' }],
    },
    takes: [{ v: 'x' }, { v: 1 }],
    refuses: [{ v: true }, {}],
  },
  {
    what: 'allOf at the top, with closed branches and a reference',
    schema: {
      allOf: [{ $ref: '#/$defs/base' }, { ...object({ b: text }, 'b'), additionalProperties: false }],
      $defs: { base: { ...object({ a: text }, 'a'), additionalProperties: false } },
    },
    takes: [{ a: 'x', b: 'y' }],
    refuses: [{ a: 'x' }],
  },
  {
    what: 'a reference at the top',
    schema: { $ref: '#/definitions/Input', definitions: { Input: object({ a: text }, 'a') } },
    takes: [{ a: 'x' }],
    refuses: [{}],
  },
  {
    what: 'a schema that refers to itself',
    schema: { ...object({ child: { $ref: '#' }, name: text }) },
    takes: [{ child: { child: {} }, name: 'x' }],
  },
  {
    what: 'draft 4: excluded limits',
    schema: object({
      a: { type: 'number', minimum: 1, exclusiveMinimum: true },
      b: { type: 'number', maximum: 9, exclusiveMaximum: false },
    }),
    takes: [{ a: 1.5, b: 9 }],
    refuses: [{ a: 1 }, { b: 10 }],
  },
  {
    what: 'draft 4: a list of items, with and without more',
    schema: object({
      pair: { type: 'array', items: [text, { type: 'number' }], additionalItems: false },
      open: { type: 'array', items: [text] },
    }),
    takes: [{ pair: ['a', 1], open: ['a', 5, true] }],
    refuses: [{ pair: [1, 1] }],
  },
  {
    what: 'draft 3: required in the property, and types of languages',
    schema: {
      type: 'object',
      properties: { a: { type: 'str', required: true }, b: { type: 'any', required: false } },
    },
    takes: [{ a: 'x', b: {} }],
    refuses: [{ b: 1 }],
  },
  {
    what: 'dependencies, an id and a draft',
    schema: {
      ...object({ a: text, b: text }),
      $schema: 'http://json-schema.org/draft-04/schema#',
      id: 'https://example.com/x',
      dependencies: { a: ['b'], b: { properties: { c: text } } },
    },
    takes: [{ a: 'x', b: 'y' }],
  },
  {
    what: 'OpenAPI: nullable',
    schema: object({ a: { type: 'string', nullable: true, enum: ['x'] } }),
    takes: [{ a: null }, { a: 'x' }],
    refuses: [{ a: 'y' }],
  },
  {
    what: 'properties as an empty list',
    schema: { type: 'object', properties: [], required: [] },
    takes: [{}],
  },
  { what: 'no type', schema: { properties: { a: text } }, takes: [{ a: 'x' }], refuses: [{ a: 1 }] },
  { what: 'several types', schema: { type: ['object', 'null'], properties: {} }, takes: [{}] },
  {
    what: 'limits, patterns and descriptions of wrong types',
    schema: object({ a: { type: 'string', minLength: '2', pattern: '(?<', description: 5, format: null } }),
    takes: [{ a: 'x' }],
  },
  {
    what: 'a reference to another file, and empty lists',
    schema: object({ a: { $ref: 'https://example.com/a.json' }, b: { anyOf: [], enum: [] } }),
    takes: [{ a: 1, b: 2 }],
  },
  {
    what: 'names that the API does not take',
    schema: object({ $filter: text, 'user name': text, '': text, [`x${'y'.repeat(80)}`]: text }, '$filter'),
    takes: [],
  },
]

describe('the API takes the form of', () => {
  test.for(rows)('$what', ({ schema, takes, refuses = [] }) => {
    const made = apiSchemaOf(schema)
    if (!made.ok) throw new Error(made.failure.message)
    const shown = renamedKeys(made.value.schema)?.schema ?? made.value.schema
    expect(checkSchema({ ...shown }, 'tools.0.custom.input_schema')).toBeNull()
    const check = zodSchemaOf(made.value.schema)
    for (const input of takes) expect(check.safeParse(input).error ?? null).toBeNull()
    for (const input of refuses) expect(check.safeParse(input).success).toBe(false)
  })
})

test('the scripted API refuses each of these as it came', () => {
  for (const { schema, what } of rows.filter(
    (row) =>
      !['a schema that refers to itself', 'dependencies, an id and a draft', 'OpenAPI: nullable'].includes(
        row.what,
      ),
  ))
    expect([what, checkSchema(schema as never, 'tools.0')]).not.toEqual([what, null])
})

test('a choice between sets of fields is said in words', () => {
  const made = apiSchemaOf({ oneOf: [object({ id: text }, 'id'), object({ a: text, b: text }, 'a', 'b')] })
  expect(made).toMatchObject({ value: { note: 'Give exactly one of these sets of fields: id; a, b.' } })
})

test.for<[unknown, string]>([
  [null, 'is no object'],
  [{ type: 'string' }, 'takes no object'],
  [{ anyOf: [{ type: 'string' }, { type: 'array' }] }, 'takes no object'],
  [object({ a: 5 }), 'has 5 where a schema belongs'],
])('%j can’t be brought there', ([schema, message]) => {
  expect(apiSchemaOf(schema)).toMatchObject({ failure: { message } })
})

test('endless nesting is refused', () => {
  let schema: object = {}
  for (let level = 0; level < 100; level++) schema = { type: 'array', items: schema }
  expect(apiSchemaOf(object({ a: schema }))).toMatchObject({ failure: { message: 'is nested too deep' } })
})
