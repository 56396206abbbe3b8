/** How much a model thinks and writes: the API's effort setting. */
import { z } from 'zod'

export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

/** Null: the model's own default. */
export const effort = z.enum(efforts).nullable()
