/** Handlers for the conversations in the trash. */
import type { DraftStorage } from '../../../shared/messages/draft.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface TrashDeps {
  readonly program: () => Promise<Program>
  readonly drafts: DraftStorage
}

export function trashCommands({ program, drafts }: TrashDeps): HandlersOf<'trash'> {
  return {
    'trash.list': async () => (await program()).trash.list(),
    'trash.delete': async ({ conversationIds }) => {
      const deleted = await (await program()).trash.delete(conversationIds)
      if (deleted.ok)
        for (const place of conversationIds)
          await drafts
            .save({ place, text: '', recipientId: null, attachments: [], added: [] })
            .catch(() => undefined)
      return deleted
    },
  }
}
