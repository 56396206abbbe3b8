/**
 * Forms: what an agent asks the user beyond a permission. The questions of AskUserQuestion, the plan of ExitPlanMode,
 * and the input that an MCP server asks for (elicitation). The form waits in the panel of the agent whose call needs it.
 */
import type { z } from 'zod'
import type { formAnswer, formContent, formQuestion } from './form-schema.ts'

export type FormQuestion = z.infer<typeof formQuestion>
export type FormContent = z.infer<typeof formContent>
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
