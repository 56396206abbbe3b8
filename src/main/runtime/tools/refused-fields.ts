/** Fields that other programs have and this one lacks, with an explanation for the model. */
import { z } from 'zod'

/** By the tool's schema: the field's name, and the text after it: "`x` is not supported: …". */
export const refusedFields = z.registry<Readonly<Record<string, string>>>()
