/** Composes the journal of changes and the undo. */
import { join } from 'node:path'
import type { Settings } from '../shared/settings.ts'
import { createChangeJournal, type DiskJournal } from './adapters/changes/change-journal.ts'
import { createChanges } from './adapters/changes/changes-service.ts'
import type { Git } from './adapters/git/git-client.ts'
import type { Changes } from './runtime/changes.ts'
import type { Ports } from './runtime/ports.ts'
import type { Runtime } from './runtime/runtime.ts'

export interface ChangesParts {
  readonly journal: DiskJournal
  /** The runtime that the journal was made for. */
  of(runtime: Runtime, store: Ports['store']): Changes
}

export function composeChanges({
  dataFolder,
  git,
  settings,
  onProblem,
}: {
  readonly dataFolder: string
  readonly git: Git
  readonly settings: { readonly current: Settings }
  readonly onProblem: (message: string) => void
}): ChangesParts {
  const folder = join(dataFolder, 'changes')
  const journal = createChangeJournal({ git, folderOf: (conversationId) => join(folder, conversationId) })
  const limits = () => ({
    days: settings.current.changesDays,
    megabytes: settings.current.changesMegabytes,
  })
  return {
    journal,
    of: (runtime, store) => createChanges({ git, store, runtime, journal, folder, limits, onProblem }),
  }
}
