/** What the record of a conversation keeps of its source, where another program wrote the conversation. */
import { z } from 'zod'
import { historyPrograms } from './history.ts'

export const historyProgram = z.enum(historyPrograms)

export const historyOrigin = z.object({
  program: historyProgram,
  /** The file or folder that the program keeps; absolute. */
  source: z.string(),
  /** The state of the files that were read. */
  stamp: z.string(),
  /** What was left out, as sentences for the user. */
  leftOut: z.array(z.string()),
})
