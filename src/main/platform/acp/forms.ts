/** Forms: Troupe's as forms of an editor, and those of external agents as Troupe's, each with its answer. */
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ElicitationPropertySchema,
  EnumOption,
} from '@agentclientprotocol/sdk'
import { elicitedValues } from '../../../shared/forms/elicitation-fields.ts'
import type { FormAnswer, FormContent, FormQuestion } from '../../../shared/forms/form.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'

/** The kinds of forms that the editor shows. */
export interface ShownForms {
  readonly fields: boolean
  readonly pages: boolean
}

interface FormPlace {
  readonly sessionId: string
  /** Missing: the form belongs to no call that the editor shows. */
  readonly toolCallId?: string
  readonly formId: string
}

/** Null: the editor can't show it. A plan is a question of permission instead. */
export function editorForm(
  form: FormContent,
  shown: ShownForms,
  { formId, ...scope }: FormPlace,
): CreateElicitationRequest | null {
  switch (form.kind) {
    case 'questions':
      return shown.fields
        ? {
            mode: 'form',
            ...scope,
            message: form.questions.map(({ question }) => question).join('\n'),
            requestedSchema: { type: 'object', properties: fieldsOf(form.questions) },
          }
        : null
    case 'elicitation':
      return shown.fields
        ? {
            mode: 'form',
            ...scope,
            message: `${form.server}: ${form.message}`,
            requestedSchema: {
              type: 'object',
              properties: ofServer(form.schema['properties']),
              ...(Array.isArray(form.schema['required']) && { required: form.schema['required'] }),
            },
          }
        : null
    case 'elicitation-url':
      return shown.pages
        ? {
            mode: 'url',
            ...scope,
            message: `${form.server}: ${form.message}`,
            elicitationId: formId,
            url: form.url,
          }
        : null
    case 'plan':
      return null
  }
}

/** What the user of the editor answered. */
export function editorFormAnswer(response: CreateElicitationResponse, form: FormContent): FormAnswer {
  if (response.action === 'decline') return { action: 'decline', feedback: null }
  if (response.action !== 'accept') return { action: 'cancel', reason: 'user' }
  const content: Readonly<Record<string, unknown>> =
    'content' in response && typeof response.content === 'object' && response.content !== null
      ? { ...response.content }
      : {}
  return {
    action: 'accept',
    values: form.kind === 'questions' ? answersOf(form.questions, content) : content,
  }
}

const fieldOf = (index: number): string => `question_${index + 1}`
const ownFieldOf = (index: number): string => `question_${index + 1}_own`

/** Two fields for each question: its options, and an answer in the user's own words. */
function fieldsOf(questions: readonly FormQuestion[]): Record<string, ElicitationPropertySchema> {
  return Object.fromEntries(
    questions.flatMap((asked, index): [string, ElicitationPropertySchema][] => {
      const { header, question, multiSelect } = asked
      const options = asked.options.map(
        ({ label, description }): EnumOption => ({ const: label, title: label, description }),
      )
      const title = header === '' ? question : header
      return [
        [
          fieldOf(index),
          multiSelect
            ? { type: 'array', title, description: question, items: { anyOf: options } }
            : { type: 'string', title, description: question, oneOf: options },
        ],
        [
          ownFieldOf(index),
          {
            type: 'string',
            title: `${title}: your own answer`,
            description: 'Instead of an option, or added to it.',
          },
        ],
      ]
    }),
  )
}

function answersOf(questions: readonly FormQuestion[], content: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(
    questions.map(({ question }, index) => {
      const given = [content[fieldOf(index)], content[ownFieldOf(index)]].flat()
      return [question, given.filter((each) => typeof each === 'string' && each.trim() !== '')]
    }),
  )
}

/** The fields of an MCP server. Names of options that it gives in a list of their own become titles. */
function ofServer(properties: unknown): Record<string, ElicitationPropertySchema> {
  if (typeof properties !== 'object' || properties === null) return {}
  return Object.fromEntries(
    Object.entries(properties as Record<string, ElicitationPropertySchema & Record<string, unknown>>).map(
      ([name, field]) => {
        const { enum: values, enumNames: names, ...rest } = field
        if (!Array.isArray(values) || !Array.isArray(names)) return [name, field]
        const oneOf = values.map((value, index) => ({
          const: String(value),
          title: String(names[index] ?? value),
        }))
        return [name, { ...rest, oneOf }]
      },
    ),
  )
}

// ---- forms of external agents --------------------------------------------------------------------

/**
 * The form that an external agent asks for; null: one of a kind that Troupe does not know.
 *
 * @param server the agent's name, in whose place the form names an MCP server
 */
export function formOf(request: CreateElicitationRequest, server: string): FormContent | null {
  const { message } = request
  if (request.mode === 'form' && 'requestedSchema' in request)
    return {
      kind: 'elicitation',
      server,
      message,
      schema: { ...(request.requestedSchema as Record<string, unknown>) },
    }
  if (request.mode === 'url' && 'url' in request && typeof request.url === 'string')
    return { kind: 'elicitation-url', server, message, url: request.url }
  return null
}

/** The user's answer for an external agent. Fails if the values are not what it asked for. */
export function formResponse(form: FormContent, answer: FormAnswer): Result<CreateElicitationResponse> {
  if (answer.action !== 'accept') return ok({ action: answer.action })
  if (form.kind !== 'elicitation') return ok({ action: 'accept' })
  const values = elicitedValues(form.schema, answer.values)
  return values.ok ? ok({ action: 'accept', content: values.value as Record<string, string> }) : values
}
