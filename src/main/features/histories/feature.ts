/** Composes the histories of other agent programs: the list, the reading, and the copies that go on here. */
import type { HandlersOf } from '../../../shared/ipc/handlers.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { Platform } from '../../platform/platform.ts'
import { createTranscriptStore } from '../../platform/transcripts/create-transcript-store.ts'
import type { Ports } from '../../runtime/ports/ports.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { createHistories, type Histories } from './histories.ts'
import { withHistories } from './history-store.ts'

/** The platform with a store that reads histories too. */
export function composeHistories(platform: Platform): {
  readonly base: Platform
  readonly histories: Histories
} {
  const { clock, onProblem } = platform
  const histories = createHistories({
    ...platform,
    cache: (dataFolder) =>
      createTranscriptStore({ dataFolder, clock, onProblem: ({ message }) => onProblem(message) }),
  })
  return { base: { ...platform, store: withHistories(platform.store, histories) }, histories }
}

export function historyHandlers(
  histories: Histories,
  { files, runtime }: { readonly files: Ports['files']; readonly runtime: Pick<Runtime, 'dispatch'> },
): HandlersOf<'history'> {
  return {
    'history.list': ({ program }) => histories.list({ program }),
    'history.progress': async ({ conversationId }) => ok(histories.progress(conversationId)),
    'history.cancel': async ({ conversationId }) => ok(histories.cancel(conversationId)),
    'history.continue': async ({ conversationId, folder }) => {
      const found = await histories.find(conversationId)
      if (!found.ok) return found
      const where = folder ?? found.value.folder
      const real = where === '' ? null : await files.realPath(where)
      const state = real?.ok ? await files.stat(real.value) : null
      if (!real?.ok || !state?.ok || state.value.kind !== 'folder') return fail(folderGone(where))
      return runtime.dispatch({
        type: 'conversation.branch',
        conversationId: found.value.id,
        seq: null,
        content: null,
        folder: real.value,
      })
    },
  }
}

const folderGone = (folder: string) => ({
  type: 'folder-gone',
  message:
    folder === ''
      ? 'The history does not say in which folder it was. Open a folder, and continue the copy there.'
      : `${folder} is not a readable folder any more. Open another folder, and continue the copy there.`,
})
