/** An answer that an external agent offers to its request, besides those of Troupe. */
import { z } from 'zod'

export const programChoice = z.object({
  id: z.string(),
  /** As the program calls it: "Yes, and auto-accept edits". */
  name: z.string(),
  /** `once` and `always` allow the call. What `always` covers, the program keeps: it is no rule of Troupe. */
  kind: z.enum(['once', 'always', 'deny']),
})
export type ProgramChoice = z.infer<typeof programChoice>

/** The offered choice that an answer names. Undefined: it names none, or one that says the opposite of its decision. */
export const chosenOf = (
  choices: readonly ProgramChoice[],
  answer: { readonly decision: string; readonly choice?: string | undefined },
): ProgramChoice | undefined =>
  choices.find(({ id, kind }) => id === answer.choice && (kind === 'deny') === (answer.decision === 'deny'))
