/** Handlers for unsent messages. */
import type { DraftStorage } from '../../../shared/draft.ts'
import { fail, messageOf, ok, sentence } from '../../../shared/result.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface DraftDeps {
  readonly drafts: DraftStorage
}

export function draftCommands({ drafts }: DraftDeps): HandlersOf<'draft'> {
  return {
    'draft.list': async () => ok(await drafts.list()),
    'draft.save': async (draft) => {
      try {
        return ok(await drafts.save(draft))
      } catch (error) {
        return fail({
          type: 'not-saved',
          message: `The unsent message can't be saved: ${sentence(messageOf(error))} It is kept until Troupe closes.`,
        })
      }
    },
  }
}
