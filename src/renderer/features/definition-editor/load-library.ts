/** Asks for the agents of a folder, and follows what changes among them. */
import { command, onDeltas } from '../../bridge.ts'
import { useSession } from '../../stores/session-store.ts'
import { NO_EDITOR, openedOf, useEditor } from './editor-store.ts'
import { forgetDraft, keptDrafts } from './kept-drafts.ts'
import {
  closeDefinition,
  lastSelected,
  lookAtDisk,
  openWithoutFile,
  selectDefinition,
} from './open-definition.ts'

const { getState: get, setState: set } = useEditor

/** Shows the agents of a folder and follows them until the returned function is called. What was open stays open. */
export function enterEditor(folder: string): () => void {
  if (get().folder !== folder) {
    // What is not saved is kept, and comes back with the folder.
    for (const id of [...get().opened.keys()]) closeDefinition(id, { keepDraft: true })
    set({ ...NO_EDITOR, folder }, true)
  }
  void loadLibrary()
  return onDeltas((deltas) => {
    if (deltas.some((delta) => delta.type === 'definitions' && delta.folder === folder)) void loadLibrary()
  })
}

/** Counts the libraries that were asked for, so that a late answer is dropped. */
let wish = 0

export async function loadLibrary(): Promise<void> {
  const { folder, phase } = get()
  if (folder === null) return
  wish += 1
  const mine = wish
  const answer = await command('definition.library', { folder })
  if (mine !== wish || get().folder !== folder) return
  if (!answer.ok) {
    // What is there already is of more use than a message in its place.
    if (phase !== 'ready') set({ phase: 'failed', failure: answer.failure.message })
    return
  }
  set({ library: answer.value, phase: 'ready', failure: null })
  updateEntries()
  recoverDrafts(folder)
  const { opened, unsaved, selected } = get()
  if (selected === null || entryIsMissing(selected)) await selectFirst(folder)
  else if (!opened.has(selected)) await selectDefinition(selected)
  await Promise.all([...opened.keys()].filter((id) => unsaved.has(id) || id === selected).map(lookAtDisk))
}

/** Where it was last, or at the first agent. One that vanished under somebody's eyes says so instead. */
async function selectFirst(folder: string): Promise<void> {
  if (get().trouble !== null) return
  const { entries } = get().library
  const last = lastSelected(folder)
  const isThere = last !== null && !entryIsMissing(last)
  const first = isThere ? last : entries[0]?.id
  if (first !== undefined) await selectDefinition(first)
}

function entryIsMissing(id: string): boolean {
  return openedOf(id) === undefined && !get().library.entries.some((entry) => entry.id === id)
}

/** What is open has its entry as it is now. */
function updateEntries(): void {
  const { library, opened } = get()
  const byId = new Map(library.entries.map((entry) => [entry.id, entry]))
  const next = new Map(
    [...opened].map(([id, definition]) => {
      const entry = byId.get(id)
      return [id, entry === undefined ? definition : { ...definition, entry }] as const
    }),
  )
  set({ opened: next })
}

/** Unsaved texts of another time: those of files are marked, those without one are opened. */
function recoverDrafts(folder: string): void {
  const { library, unsaved } = get()
  const locked = new Map(library.entries.map((entry) => [entry.id, entry.locked]))
  const marked = new Set(unsaved)
  const isTrusted = useSession.getState().folder?.trusted === true
  for (const draft of keptDrafts()) {
    // The agents of a folder without trust are not read, so nothing is known of their files.
    if (openedOf(draft.id) !== undefined || (draft.source === 'project' && !isTrusted)) continue
    const isLocked = locked.get(draft.id)
    if (isLocked === false) marked.add(draft.id)
    else if (isLocked === undefined && draft.folder === folder) {
      const id = draft.base === null ? draft.id : `new:${crypto.randomUUID()}`
      if (id !== draft.id) forgetDraft(draft.id)
      openWithoutFile(draft, { id, recovered: true })
      marked.add(id)
    }
  }
  set({ unsaved: marked })
}
