/** The commands about sharing a conversation. */
import { z } from 'zod'
import { command, id, none } from '../kernel/command.ts'
import type { ConversationSummary } from '../state/conversation-summary.ts'
import { type Imported, type SharePreview, shareFormats } from './sharing.ts'

/** What is shared of a conversation, and how. */
const share = z.object({
  conversationId: id,
  format: z.enum(shareFormats),
  /** Agents to leave out, with all below them. */
  without: z.array(id).max(10_000),
  /** Whether the home folder stays in paths, instead of `~`. */
  keepPaths: z.boolean(),
})

/** Longer addresses are none. */
const address = z.string().max(2000)

const ofConversation = z.object({ conversationId: id })

export const sharingContract = {
  /** What a file would have in it. Reads the whole conversation; ends the work before for the same conversation. */
  'sharing.preview': command<SharePreview>()(() => share),
  /** How far the work for a conversation is, from 0 to 1; null: nothing is done for it. */
  'sharing.progress': command<number | null>()(() => ofConversation),
  /** Ends the work for a conversation, which fails with `canceled`. */
  'sharing.cancel': command<void>()(() => ofConversation),
  /** Asks for a file and writes it. Null: no file was chosen. Fails with `canceled` or as the disk does. */
  'system.saveShared': command<{ readonly path: string; readonly bytes: number } | null>()(() => share),
  /**
   * Asks the user, and sends the spans of a conversation to a receiver of OpenTelemetry. Null: the user said no. Fails with
   * `bad-address`, `not-sent` or `canceled`.
   */
  'system.sendShared': command<{ readonly spans: number; readonly receiver: string } | null>()(() =>
    share.omit({ format: true }).extend({ address }),
  ),
  /** Asks for a file of exported JSON Lines and makes a conversation of it. Null: none was chosen. Fails as the import does. */
  'system.importConversation': command<
    (Omit<Imported, 'conversationId'> & { readonly summary: ConversationSummary }) | null
  >()(() => none),
} as const
