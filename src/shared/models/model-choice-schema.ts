/** What a user or a definition chooses beside the model. */
import { z } from 'zod'
import { efforts } from './effort.ts'
import { thinkings } from './thinking.ts'

/** Null: the model's own default. */
export const effort = z.enum(efforts).nullable()

/** Null: the model's own default. */
export const thinking = z.enum(thinkings).nullable()
