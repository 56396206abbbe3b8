/** Whether a model thinks before it answers, where the model leaves the choice. */
import { z } from 'zod'

export const thinkings = ['on', 'off'] as const
export type Thinking = (typeof thinkings)[number]

/** Null: the model's own default. */
export const thinking = z.enum(thinkings).nullable()
