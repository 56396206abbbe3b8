/** The stored form of forms and their answers. */
import { z } from 'zod'

export const formQuestion = z.object({
  question: z.string(),
  /** One to three words for the tab of the question. */
  header: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string() })),
  multiSelect: z.boolean(),
})

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

export const formAnswer = z.discriminatedUnion('action', [
  z.object({ action: z.literal('accept'), values: z.record(z.string(), z.unknown()) }),
  /** The user refuses, with feedback for the agent. */
  z.object({ action: z.literal('decline'), feedback: z.string().max(10_000).nullable() }),
  /** Closed without a decision: by the user, because the agent stopped, or because no user can be asked. */
  z.object({ action: z.literal('cancel'), reason: z.enum(['user', 'stopped', 'unattended']) }),
])
