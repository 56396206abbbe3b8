/** Forms in a worker's terminal: the text that shows one, and the answer of a typed line. */
import { checkField, elicitationFields } from '../../../shared/forms/elicitation-fields.ts'
import { type FormAnswer, type FormContent, formAction } from '../../../shared/forms/form.ts'

/** The text of a form, with what can be typed. */
export function formInTerminal(form: FormContent): string {
  return `? It ${formAction(form)}:\n${bodyOf(form)}\n${howToAnswer(form)}`
}

/** The answer of a typed line, or why the line is none. */
export function typedFormAnswer(form: FormContent, line: string): FormAnswer | string {
  const [, word = '', rest = ''] = /^(\S+)\s*(.*)$/s.exec(line.trim()) ?? []
  if (/^(?:n|no)$/i.test(word)) return { action: 'decline', feedback: rest === '' ? null : rest }
  if (form.kind === 'elicitation-url' && /^(?:y|yes)$/i.test(word)) return { action: 'accept', values: {} }
  return form.kind === 'elicitation' ? valuesOf(form, line) : howToAnswer(form)
}

function bodyOf(form: FormContent): string {
  switch (form.kind) {
    case 'questions':
      return form.questions.map(({ question }) => question).join('\n')
    case 'plan':
      return form.plan
    case 'elicitation-url':
      return `${form.server}: ${form.message}\n${form.url}`
    case 'elicitation': {
      const fields = elicitationFields(form.schema).map(
        ({ name, label, isRequired }) =>
          `  ${name}${label === name ? '' : ` (${label})`}${isRequired ? ', required' : ''}`,
      )
      return [`${form.server}: ${form.message}`, ...fields].join('\n')
    }
  }
}

function howToAnswer({ kind }: FormContent): string {
  if (kind === 'elicitation')
    return 'Type the values as JSON, such as {"name": "Ada"}, or n with an optional reason to decline.'
  if (kind === 'elicitation-url')
    return 'Open the page and type y when you are done, or type n with an optional reason to decline.'
  return 'Answer it in the window, or type n with an optional reason to decline.'
}

function valuesOf(form: Extract<FormContent, { kind: 'elicitation' }>, line: string): FormAnswer | string {
  const typed = objectIn(line)
  if (typed === null) return howToAnswer(form)
  const errors: string[] = []
  const entries = elicitationFields(form.schema).flatMap((field): [string, unknown][] => {
    const checked = checkField(field, inputOf(typed.get(field.name)) ?? field.initial)
    if ('error' in checked) errors.push(`${field.name}: ${checked.error}`)
    return 'error' in checked || checked.value === undefined ? [] : [[field.name, checked.value]]
  })
  return errors.length > 0 ? errors.join('\n') : { action: 'accept', values: Object.fromEntries(entries) }
}

function objectIn(line: string): ReadonlyMap<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? new Map(Object.entries(value))
      : null
  } catch {
    return null
  }
}

function inputOf(value: unknown): string | boolean | readonly string[] | undefined {
  if (Array.isArray(value)) return value.map(String)
  if (typeof value === 'string' || typeof value === 'boolean') return value
  return value === undefined || value === null ? undefined : String(value)
}
