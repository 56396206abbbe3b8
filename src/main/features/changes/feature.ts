/** Composes the journal of changes and the undo. */
import { join } from 'node:path'
import type { Settings } from '../../../shared/settings/settings.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Changes } from '../../runtime/ports/changes.ts'
import type { Ports } from '../../runtime/ports/ports.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import { createChangeJournal, type DiskJournal } from './change-journal.ts'
import { createChanges } from './changes-service.ts'

/** Kept content is cleaned each time that it has grown by this part of the limit. */
const PARTS = 16

interface ChangesParts {
  readonly journal: DiskJournal
  /** The files that agents changed since, in ms, by the path below their folder. Null: not known. */
  changedByAgents(conversationId: string, since: number): Promise<ReadonlySet<string> | null>
  /** The runtime that the journal was made for. */
  of(runtime: Runtime, store: Ports['store']): Changes
}

export function composeChanges({
  dataFolder,
  git,
  settings,
  isPlaceholder,
  now,
  newKey,
  onProblem,
}: Pick<Platform, 'now' | 'newKey'> & {
  readonly dataFolder: string
  readonly git: Git
  readonly settings: { readonly current: Settings }
  readonly isPlaceholder: (path: string) => boolean
  readonly onProblem: (message: string) => void
}): ChangesParts {
  const folder = join(dataFolder, 'changes')
  const limits = () => ({
    days: settings.current.changesDays,
    megabytes: settings.current.changesMegabytes,
  })
  let changes: Changes | null = null
  let sinceClean = 0
  const journal = createChangeJournal({
    git,
    now,
    isPlaceholder,
    folderOf: (conversationId) => join(folder, conversationId),
    onKept(bytes) {
      sinceClean += bytes
      if (sinceClean < (limits().megabytes * 1024 * 1024) / PARTS) return
      sinceClean = 0
      void changes?.clean()
    },
  })
  return {
    journal,
    async changedByAgents(conversationId, since) {
      const found = await changes?.changedSince(conversationId, since)
      return found?.ok ? found.value : null
    },
    of(runtime, store) {
      changes = createChanges({ git, store, runtime, journal, folder, limits, now, newKey, onProblem })
      return changes
    },
  }
}
