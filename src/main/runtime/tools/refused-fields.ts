/** Fields that other programs offer and this one does not, with what to say to a call that has them. */
import { z } from 'zod'

/** By the tool's schema: the field's name, and words that follow it: "`x` is not offered: …". */
export const refusedFields = z.registry<Readonly<Record<string, string>>>()
