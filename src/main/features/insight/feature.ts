/** What work cost, over all conversations: composes what reads the logs, for the window and the command line. */
import { type InsightQuery, insightOf } from '../../../shared/insight/insight.ts'
import { ok } from '../../../shared/kernel/result.ts'
import { createConversationTrash } from '../../platform/transcripts/conversation-trash.ts'
import { dataPaths } from '../../platform/transcripts/data-paths.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { createInsightReader, type InsightReader } from './insight-reader.ts'

interface InsightParts {
  readonly dataFolder: string
  readonly store: Pick<TranscriptStore, 'list' | 'drain'>
  /** ms, for durations. */
  readonly elapsed: () => number
  readonly onProblem: (message: string) => void
}

/** ms. An answer to the window comes after about this time, with what is read by then. */
const PATIENCE = 200

export function composeInsight(parts: InsightParts): InsightReader {
  const { dataFolder } = parts
  const trash = createConversationTrash(dataFolder)
  return createInsightReader({ ...parts, zone: timeZone, trash, paths: dataPaths(dataFolder) })
}

/** Asked for only when it is needed: the first answer takes 10 ms. */
const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

export const insightHandlers = (reader: InsightReader) => ({
  'insight.read': async ({ query }: { readonly query: InsightQuery }) => {
    const { conversations, ...more } = await reader.read(PATIENCE)
    return ok({ report: insightOf(conversations, query), ...more })
  },
})
