/**
 * Forms: what an agent asks the user beyond a permission. The questions of AskUserQuestion, the plan of ExitPlanMode,
 * and the input that an MCP server asks for (elicitation). The form waits in the panel of the agent whose call needs it.
 */
import { z } from 'zod'

export const formQuestion = z.object({
  question: z.string(),
  /** One to three words for the tab of the question. */
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  multiSelect: z.boolean(),
})
export type FormQuestion = z.infer<typeof formQuestion>

export const formContent = z.discriminatedUnion('kind', [
  /** Answered with a value for each `question`: a label, text of the user's own, or a list of them. */
  z.object({ kind: z.literal('questions'), questions: z.array(formQuestion) }),
  /** Answered with the `plan`, which the user may have edited, and the permission `mode` to continue in. */
  z.object({ kind: z.literal('plan'), plan: z.string() }),
  /** Answered with a value for each property of the JSON Schema, which is a flat object. */
  z.object({
    kind: z.literal('elicitation'),
    server: z.string(),
    message: z.string(),
    schema: z.record(z.string(), z.unknown()),
  }),
  /** The user does something on a page of the server, and confirms. */
  z.object({ kind: z.literal('elicitation-url'), server: z.string(), message: z.string(), url: z.string() }),
])
export type FormContent = z.infer<typeof formContent>

export const formAnswer = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), values: z.record(z.string(), z.unknown()) }),
  /** The user refuses, with feedback for the agent. */
  z.object({ action: z.literal('decline'), feedback: z.string().max(10_000).nullable() }),
  /** Closed without a decision: by the user, because the agent stopped, or because no user can be asked. */
  z.object({ action: z.literal('cancel'), reason: z.enum(['user', 'stopped', 'unattended']) }),
])
export type FormAnswer = z.infer<typeof formAnswer>

/** What an agent does with the form, after its name: "asks you 2 questions". */
export function formAction(form: FormContent): string {
  switch (form.kind) {
    case 'questions':
      return form.questions.length === 1 ? 'asks you' : `asks you ${form.questions.length} questions`
    case 'plan':
      return 'has a plan for you to approve'
    case 'elicitation':
      return 'needs input'
    case 'elicitation-url':
      return 'asks you to open a page'
  }
}

/** The form on one line: the first question, the first line of the plan, the message of the server. */
export function formLine(form: FormContent): string {
  const text =
    form.kind === 'questions'
      ? form.questions.map(({ question }) => question).join(' · ')
      : form.kind === 'plan'
        ? (form.plan.split('\n').find((line) => line.trim() !== '') ?? '').replace(/^[#>*\-\s]+/, '')
        : `${form.server}: ${form.message}`
  return text.replace(/\s+/g, ' ').trim()
}

/** A form that waits for the user. */
export interface PendingForm {
  readonly formId: string
  readonly toolUseId: string
  readonly toolName: string
  readonly form: FormContent
  /** ms since the epoch. */
  readonly openedAt: number
}
