/** The command that asks what work cost. */
import { z } from 'zod'
import { command, path } from '../kernel/command.ts'
import { type InsightReport, insightGroups } from './insight.ts'

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/)

const insightQuery = z.object({
  by: z.enum(insightGroups),
  since: day.nullable(),
  until: day.nullable(),
  folder: path.nullable(),
  rehearsal: z.boolean(),
  within: z
    .array(z.object({ by: z.enum(insightGroups), key: z.string().max(10_000) }))
    .max(6)
    .readonly(),
})

/** What the logs say that were read so far. */
export interface InsightAnswer {
  readonly report: InsightReport
  /** Bytes of the logs that changed since they were last read. Null: all are read. Otherwise ask again for the rest. */
  readonly reading: { readonly done: number; readonly all: number } | null
  /** Conversations in the trash: they do not count. */
  readonly trashed: number
  /** Transcripts that could be read only in part: damaged ones, and those with events of a newer version. */
  readonly damaged: number
  readonly newer: number
}

export const insightContract = {
  /** Reads logs for a part of a second, and answers with what is read. What is read stays known. */
  'insight.read': command<InsightAnswer>()(() => z.object({ query: insightQuery })),
} as const
