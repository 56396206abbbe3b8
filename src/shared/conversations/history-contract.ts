/** The commands about the histories of other agent programs. */
import { z } from 'zod'
import type { HistorySource } from '../histories/history.ts'
import { historyProgram } from '../histories/history-schema.ts'
import { command, id, path } from '../kernel/command.ts'
import type { ConversationSummary } from '../state/conversation-summary.ts'

export const historyContract = {
  /** The sources in their order; with a program only this one. Entries only where the user lets Troupe read. */
  'history.list': command<readonly HistorySource[]>()(z.object({ program: historyProgram.optional() })),
  /**
   * A new conversation that begins with this history, in its folder or the one given. Fails with `not-found`,
   * `folder-gone` or `off`, or if the history can't be read.
   */
  'history.continue': command<ConversationSummary>()(
    z.object({ conversationId: id, folder: path.optional() }),
  ),
} as const
