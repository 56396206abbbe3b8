/** The fields of an elicitation form: read from the flat JSON Schema of an MCP server, and checked before sending. */

import { fail, ok, type Result } from '../kernel/result.ts'

interface FieldBase {
  readonly name: string
  readonly label: string
  readonly description: string
  readonly isRequired: boolean
}

interface FieldOption {
  readonly value: string
  readonly label: string
}

export type ElicitationField = FieldBase &
  (
    | {
        readonly kind: 'text'
        readonly format: 'email' | 'uri' | 'date' | 'date-time' | null
        readonly minLength: number | null
        readonly maxLength: number | null
        readonly pattern: string | null
        readonly initial: string
      }
    | {
        readonly kind: 'number'
        readonly isInteger: boolean
        readonly minimum: number | null
        readonly maximum: number | null
        readonly initial: string
      }
    | { readonly kind: 'flag'; readonly initial: boolean }
    | { readonly kind: 'choice'; readonly options: readonly FieldOption[]; readonly initial: string }
    | {
        readonly kind: 'choices'
        readonly options: readonly FieldOption[]
        readonly minItems: number | null
        readonly maxItems: number | null
        readonly initial: readonly string[]
      }
  )

/** The input of a field: text, a switch, or chosen values. */
export type FieldInput = string | boolean | readonly string[]

/** The fields in the order of the schema. A property of an unknown type becomes a text field. */
export function elicitationFields(schema: Readonly<Record<string, unknown>>): readonly ElicitationField[] {
  const properties = asObject(schema.properties)
  const required = new Set(texts(schema.required))
  return Object.entries(properties).map(([name, property]) =>
    fieldOf(name, asObject(property), required.has(name)),
  )
}

/** The value to send for an input, or why it cannot be sent. A value of undefined is left out. */
export function checkField(
  field: ElicitationField,
  input: FieldInput,
): { readonly value: unknown } | { readonly error: string } {
  switch (field.kind) {
    case 'flag':
      return { value: input === true }
    case 'choices':
      return checkChoices(field, Array.isArray(input) ? input : [])
    case 'choice':
    case 'text':
    case 'number': {
      const text = typeof input === 'string' ? input : ''
      if (text.trim() === '') return field.isRequired ? { error: 'Required.' } : { value: undefined }
      if (field.kind === 'choice') return { value: text }
      const error = field.kind === 'text' ? textError(field, text) : numberError(field, text)
      if (error !== null) return { error }
      return { value: field.kind === 'text' ? text : Number(text) }
    }
  }
}

/**
 * The values to send for a form: those of the user, and the schema's defaults where the user left one out. Fails with the
 * first value that the schema does not allow.
 */
export function elicitedValues(
  schema: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Result<Readonly<Record<string, unknown>>> {
  const defaults = Object.entries(asObject(schema.properties)).flatMap(([name, property]) => {
    const value = asObject(property).default
    return value === undefined ? [] : [[name, value] as const]
  })
  const values = { ...Object.fromEntries(defaults), ...given }
  for (const field of elicitationFields(schema)) {
    const error = valueError(field, values[field.name])
    if (error !== null)
      return fail({ type: 'invalid', message: `The user's value of ${field.name}: ${error}` })
  }
  return ok(values)
}

/** Why a value can't be sent; null: it can. `undefined`: the property is left out. */
function valueError(field: ElicitationField, value: unknown): string | null {
  if (value === undefined) return field.isRequired ? 'Required.' : null
  switch (field.kind) {
    case 'flag':
      return typeof value === 'boolean' ? null : 'Not a yes or no.'
    case 'number':
      return typeof value === 'number' ? numberError(field, String(value)) : 'Not a number.'
    case 'text':
      return typeof value === 'string' ? textError(field, value) : 'Not a text.'
    case 'choice':
      return field.options.some((option) => option.value === value) ? null : 'Not one of the choices.'
    case 'choices': {
      const values = Array.isArray(value) ? value : null
      const offered = values?.every((each) => field.options.some((option) => option.value === each))
      if (values === null || !offered) return 'Not among the choices.'
      const checked = checkChoices(field, values)
      return 'error' in checked ? checked.error : null
    }
  }
}

type KindOf<K extends ElicitationField['kind']> = Extract<ElicitationField, { kind: K }>

function checkChoices(
  { options, isRequired, minItems, maxItems }: KindOf<'choices'>,
  chosen: readonly string[],
): ReturnType<typeof checkField> {
  const values = options.map(({ value }) => value).filter((value) => chosen.includes(value))
  if (values.length === 0 && !isRequired) return { value: undefined }
  const least = Math.max(minItems ?? 0, isRequired && minItems === null ? 1 : 0)
  if (values.length < least) return { error: `Choose at least ${least}.` }
  if (maxItems !== null && values.length > maxItems) return { error: `Choose at most ${maxItems}.` }
  return { value: values }
}

function textError({ format, minLength, maxLength, pattern }: KindOf<'text'>, text: string): string | null {
  const { length } = [...text]
  if (minLength !== null && length < minLength) return `At least ${characters(minLength)}.`
  if (maxLength !== null && length > maxLength) return `At most ${characters(maxLength)}; this has ${length}.`
  if (format !== null && !FORMATS[format].test(text.trim())) return FORMATS[format].error
  return pattern !== null && !matches(pattern, text) ? `Must match ${pattern}.` : null
}

function numberError({ isInteger, minimum, maximum }: KindOf<'number'>, text: string): string | null {
  const number = Number(text)
  if (!Number.isFinite(number)) return 'Not a number.'
  if (isInteger && !Number.isInteger(number)) return 'Must be a whole number.'
  if (minimum !== null && number < minimum) return `At least ${minimum}.`
  return maximum !== null && number > maximum ? `At most ${maximum}.` : null
}

const FORMATS = {
  email: {
    test: (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text),
    error: 'Not an email address.',
  },
  uri: {
    test: (text: string) => URL.canParse(text),
    error: 'Not a URL: it must begin with https:// or similar.',
  },
  date: {
    test: (text: string) => /^\d{4}-\d{2}-\d{2}$/.test(text) && isDay(text),
    error: 'Not a date: write it as 2026-01-31.',
  },
  'date-time': {
    test: (text: string) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text) &&
      isDay(text.slice(0, 10)) &&
      !Number.isNaN(Date.parse(text)),
    error: 'Not a date with time and zone: write it as 2026-01-31T14:30:00Z.',
  },
} as const

/** Whether the day exists. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** An invalid pattern, and one that is long enough to take forever, checks nothing: the server checks again. */
function matches(pattern: string, text: string): boolean {
  if (pattern.length > 200 || text.length > 1000 || /[+*}]\)*[+*{]/.test(pattern)) return true
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    return true
  }
}

function fieldOf(
  name: string,
  property: Readonly<Record<string, unknown>>,
  isRequired: boolean,
): ElicitationField {
  const base: FieldBase = {
    name,
    label: text(property.title) || name,
    description: text(property.description),
    isRequired,
  }
  const { type, default: initial } = property
  const options = optionsOf(property)
  if (options !== null)
    return { ...base, kind: 'choice', options, initial: known(options, [initial])[0] ?? '' }
  if (type === 'boolean') return { ...base, kind: 'flag', initial: initial === true }
  if (type === 'number' || type === 'integer')
    return {
      ...base,
      kind: 'number',
      isInteger: type === 'integer',
      minimum: number(property.minimum),
      maximum: number(property.maximum),
      initial: number(initial) === null ? '' : String(initial),
    }
  const items = type === 'array' ? optionsOf(asObject(property.items)) : null
  if (items !== null)
    return {
      ...base,
      kind: 'choices',
      options: items,
      minItems: number(property.minItems),
      maxItems: number(property.maxItems),
      initial: known(items, Array.isArray(initial) ? initial : []),
    }
  const { format } = property
  return {
    ...base,
    kind: 'text',
    format: typeof format === 'string' && isFormat(format) ? format : null,
    minLength: number(property.minLength),
    maxLength: number(property.maxLength),
    pattern: text(property.pattern) || null,
    initial: text(initial),
  }
}

/** `enum` with optional `enumNames`, or `oneOf` and `anyOf` with `const` and `title`. Null: the property has none. */
function optionsOf(property: Readonly<Record<string, unknown>>): readonly FieldOption[] | null {
  if (Array.isArray(property.enum)) {
    const labels = Array.isArray(property.enumNames) ? property.enumNames : []
    return property.enum.flatMap((value, at) =>
      typeof value === 'string' ? [{ value, label: text(labels[at]) || value }] : [],
    )
  }
  const titled = [property.oneOf, property.anyOf].find(Array.isArray)
  if (titled === undefined) return null
  return titled
    .map(asObject)
    .flatMap(({ const: value, title }) =>
      typeof value === 'string' ? [{ value, label: text(title) || value }] : [],
    )
}

const known = (options: readonly FieldOption[], values: readonly unknown[]): readonly string[] =>
  options.map(({ value }) => value).filter((value) => values.includes(value))

const isFormat = (format: string): format is keyof typeof FORMATS => Object.hasOwn(FORMATS, format)

const characters = (amount: number): string => (amount === 1 ? '1 character' : `${amount} characters`)

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []

const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
