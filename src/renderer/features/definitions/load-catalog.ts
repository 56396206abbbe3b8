/** Loads a folder's agent catalog and follows its changes. */
import type { WindowDelta } from '../../../shared/ipc/window-delta.ts'
import { command, LatestAnswer, onDeltas } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { newKey } from '../../ui/machine.ts'
import { firstEntry } from './catalog-rows.ts'
import { NO_EDITOR, openedOf, useEditor } from './editor-store.ts'
import { findMoved, lookAlikes } from './find-moved.ts'
import { forgetDraft, keepDraft, keptDraft, keptDrafts } from './kept-drafts.ts'
import {
  closeDefinition,
  followLost,
  lastSelected,
  listedIds,
  openWithoutFile,
  selectDefinition,
  syncWithDisk,
} from './open-definition.ts'

const { getState: get, setState: set } = useEditor

/** Loads a folder's agents and follows changes until the returned function is called. Open definitions stay open. */
export function enterEditor(folder: string): () => void {
  if (get().folder !== folder) {
    // Unsaved text is stored and returns with its folder.
    for (const id of [...get().opened.keys()]) closeDefinition(id, { keepDraft: true })
    // A dialog that was asked for before the first folder loaded opens in it.
    const dialog = get().folder === null ? get().dialog : null
    set({ ...NO_EDITOR, folder, dialog }, true)
  }
  void loadCatalog()
  return onDeltas((deltas) => {
    if (deltas.some((delta) => isAbout(delta, folder))) void loadCatalog()
  })
}

/** Settings and servers decide which tools the agents have. */
const isAbout = (delta: WindowDelta, folder: string): boolean =>
  (delta.type === 'definitions' && delta.folder === folder) ||
  delta.type === 'settings' ||
  delta.type === 'mcp'

const requests = new LatestAnswer()

export async function loadCatalog(): Promise<void> {
  const { folder, phase } = get()
  if (folder === null) return
  const isLatest = requests.begin()
  const answer = await command('definition.catalog', { folder })
  if (!isLatest() || get().folder !== folder) return
  if (!answer.ok) {
    // A loaded catalog is more useful than an error in its place.
    if (phase !== 'ready') set({ phase: 'failed', failure: answer.failure.message })
    return
  }
  const known = listedIds()
  set({ catalog: answer.value, phase: 'ready', failure: null })
  updateEntries()
  await followDrafts(folder)
  if (get().folder !== folder) return
  recoverDrafts(folder)
  await followLost()
  const { opened, unsaved, selected } = get()
  if (selected === null || entryIsMissing(selected)) await selectFirst(folder)
  else if (!opened.has(selected)) await selectDefinition(selected)
  await Promise.all(
    [...opened.keys()]
      .filter((id) => unsaved.has(id) || id === selected)
      .map((id) => syncWithDisk(id, known)),
  )
}

/** Selects the last or the first agent, unless the selection has a problem to show. */
async function selectFirst(folder: string): Promise<void> {
  if (get().selectionProblem !== null) return
  const last = lastSelected(folder)
  const isListed = last !== null && !entryIsMissing(last)
  const first = isListed ? last : firstEntry(get().catalog.entries)?.id
  if (first !== undefined) await selectDefinition(first)
}

function entryIsMissing(id: string): boolean {
  return openedOf(id) === undefined && !get().catalog.entries.some((entry) => entry.id === id)
}

/** Gives open definitions their latest entries. */
function updateEntries(): void {
  const { catalog, opened } = get()
  const byId = new Map(catalog.entries.map((entry) => [entry.id, entry]))
  const next = new Map(
    [...opened].map(([id, definition]) => {
      const entry = byId.get(id)
      return [id, entry === undefined ? definition : { ...definition, entry }] as const
    }),
  )
  set({ opened: next })
}

/** Drafts of renamed files become drafts of the files with the new names. */
async function followDrafts(folder: string): Promise<void> {
  const { entries } = get().catalog
  const listed = listedIds()
  const lost = keptDrafts().filter(
    ({ id, base, folder: own }) =>
      base !== null && own === folder && !listed.has(id) && openedOf(id) === undefined,
  )
  for (const draft of lost) {
    const free = entries.filter(({ id }) => keptDraft(id) === null && openedOf(id) === undefined)
    const moved = await findMoved(
      folder,
      { source: draft.source, text: draft.base ?? '', version: draft.version },
      lookAlikes(draft.base ?? '', free),
    )
    // Another load may have been faster.
    if (moved === null || keptDraft(draft.id) === null) continue
    const { id, path } = moved.entry
    forgetDraft(draft.id)
    keepDraft({ ...draft, id, path, movedFrom: draft.path })
  }
}

/** Restores drafts: marks files with a draft as unsaved, opens drafts without a file. */
function recoverDrafts(folder: string): void {
  const { catalog, unsaved } = get()
  const locked = new Map(catalog.entries.map((entry) => [entry.id, entry.locked]))
  const marked = new Set(unsaved)
  const isTrusted = useSession.getState().folder?.trusted === true
  for (const draft of keptDrafts()) {
    // The agents of an untrusted folder are not loaded, so their files are unknown.
    if (openedOf(draft.id) !== undefined || (draft.source === 'project' && !isTrusted)) continue
    const isLocked = locked.get(draft.id)
    if (isLocked === false) marked.add(draft.id)
    else if (isLocked === undefined && draft.folder === folder) {
      const id = draft.base === null ? draft.id : `new:${newKey()}`
      if (id !== draft.id) forgetDraft(draft.id)
      openWithoutFile(draft, { id, recovered: true })
      marked.add(id)
    }
  }
  set({ unsaved: marked })
}
