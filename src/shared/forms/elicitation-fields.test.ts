import { describe, expect, test } from 'vitest'
import {
  checkField,
  type ElicitationField,
  elicitationFields,
  type FieldInput,
} from './elicitation-fields.ts'

function only(property: object, isRequired = false): ElicitationField {
  const [field] = elicitationFields({
    type: 'object',
    properties: { x: property },
    ...(isRequired && { required: ['x'] }),
  })
  if (field === undefined) throw new Error('no field')
  return field
}
const check = (property: object, input: FieldInput, isRequired = false) =>
  checkField(only(property, isRequired), input)

describe('fields', () => {
  test('have the title, or the name, and their defaults', () => {
    expect(
      elicitationFields({
        properties: {
          name: { type: 'string', title: 'Your name', description: 'As in the passport.', default: 'Ada' },
          age: { type: 'integer', default: 36 },
          agree: { type: 'boolean', default: true },
          color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], default: 'g' },
          size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }, { const: 'l' }] },
          days: { type: 'array', items: { anyOf: [{ const: '1', title: 'Monday' }] }, default: ['1', '9'] },
          tags: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
        },
        required: ['name'],
      }),
    ).toMatchObject([
      {
        name: 'name',
        label: 'Your name',
        description: 'As in the passport.',
        isRequired: true,
        initial: 'Ada',
      },
      { label: 'age', kind: 'number', isInteger: true, initial: '36', isRequired: false },
      { kind: 'flag', initial: true },
      { kind: 'choice', options: [{ label: 'Red' }, { value: 'g', label: 'Green' }], initial: 'g' },
      {
        kind: 'choice',
        options: [
          { value: 's', label: 'Small' },
          { value: 'l', label: 'l' },
        ],
        initial: '',
      },
      { kind: 'choices', options: [{ value: '1', label: 'Monday' }], initial: ['1'] },
      { kind: 'choices', options: [{ value: 'a' }, { value: 'b' }], initial: [] },
    ])
  })

  test('exist for properties that no JSON Schema of a form may have', () => {
    expect(only({ type: 'object' })).toMatchObject({ kind: 'text' })
    expect(elicitationFields({})).toEqual([])
    expect(elicitationFields({ properties: { x: 7 } })).toMatchObject([{ kind: 'text', label: 'x' }])
  })
})

test.each<[object, FieldInput, string]>([
  [{ type: 'string', minLength: 3 }, 'ab', 'At least 3 characters.'],
  [{ type: 'string', maxLength: 1 }, 'ab', 'At most 1 character; this has 2.'],
  [{ type: 'string', format: 'email' }, 'ada', 'Not an email address.'],
  [{ type: 'string', format: 'uri' }, 'example.com', 'Not a URL: it must begin with https:// or similar.'],
  [{ type: 'string', format: 'date' }, '2026-02-30', 'Not a date: write it as 2026-01-31.'],
  [
    { type: 'string', format: 'date-time' },
    '2026-01-31 14:30',
    'Not a date with time and zone: write it as 2026-01-31T14:30:00Z.',
  ],
  [{ type: 'string', pattern: '^[a-z]+$' }, 'A', 'Must match ^[a-z]+$.'],
  [{ type: 'number' }, 'x', 'Not a number.'],
  [{ type: 'integer' }, '1.5', 'Must be a whole number.'],
  [{ type: 'number', minimum: 2 }, '1', 'At least 2.'],
  [{ type: 'number', maximum: 2 }, '3', 'At most 2.'],
  [{ type: 'array', items: { enum: ['a', 'b'] }, minItems: 2 }, ['a'], 'Choose at least 2.'],
  [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 }, ['a', 'b'], 'Choose at most 1.'],
])('%j refuses %j', (property, input, error) => {
  expect(check(property, input)).toEqual({ error })
})

test.each<[object, FieldInput, unknown]>([
  [{ type: 'string' }, ' a ', ' a '],
  [{ type: 'string', maxLength: 1 }, '😀', '😀'],
  [{ type: 'string', format: 'email' }, 'ada@example.com', 'ada@example.com'],
  [{ type: 'string', format: 'date-time' }, '2026-01-31T14:30:00+02:00', '2026-01-31T14:30:00+02:00'],
  [{ type: 'string', pattern: '(' }, 'a', 'a'],
  [
    { type: 'string', pattern: '^(a+)+$' },
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
    'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!',
  ],
  [{ type: 'integer' }, ' 7 ', 7],
  [{ type: 'number' }, '-1e3', -1000],
  [{ type: 'boolean' }, false, false],
  [{ type: 'string', enum: ['a'] }, 'a', 'a'],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, ['b', 'a', 'c'], ['a', 'b']],
  [{ type: 'string' }, '', undefined],
  [{ type: 'array', items: { enum: ['a'] } }, [], undefined],
])('%j takes %j', (property, input, value) => {
  expect(check(property, input)).toEqual({ value })
})

test.each<[object, FieldInput, string]>([
  [{ type: 'string' }, ' ', 'Required.'],
  [{ type: 'number' }, '', 'Required.'],
  [{ type: 'string', enum: ['a'] }, '', 'Required.'],
  [{ type: 'array', items: { enum: ['a'] } }, [], 'Choose at least 1.'],
])('a required %j is not left out', (property, input, error) => {
  expect(check(property, input, true)).toEqual({ error })
})
