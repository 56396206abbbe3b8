/** The choice of a model: which one, with how much effort, and whether it thinks before it answers. */
import { z } from 'zod'
import { efforts } from './effort.ts'
import { thinkings } from './thinking.ts'

/** Null: the model's own default. */
export const effort = z.enum(efforts).nullable()

/** Null: the model's own default. */
export const thinking = z.enum(thinkings).nullable()

/** What is missing stays as it is, or is as the settings say. */
export const modelChoice = z.object({
  /** An alias or a full id. */
  model: z.string().min(1).max(200).optional(),
  effort: effort.optional(),
  thinking: thinking.optional(),
})
export type ModelChoice = z.infer<typeof modelChoice>
