/** Opens definitions, follows what happens to their files, and keeps what is not saved. */
import type { DefinitionText, LibraryEntry } from '../../../shared/agent-library.ts'
import { command } from '../../bridge.ts'
import { createDefinitionDocument, type DefinitionDocument } from './definition-document.ts'
import {
  changeOpened,
  dropOpened,
  entryOf,
  entryWithoutFile,
  markUnsaved,
  type OpenDefinition,
  openedOf,
  putOpened,
  useEditor,
  type WritableSource,
} from './editor-store.ts'
import { forgetDraft, type KeptDraft, keepDraft, keptDraft } from './kept-drafts.ts'

const { getState: get, setState: set } = useEditor

/** So many texts without changes stay open, each with its history. */
const KEPT_OPEN = 30

const selectedKey = (folder: string) => `definition-selected:${folder}`

/** Shows an entry; null: none. */
export async function selectDefinition(id: string | null): Promise<void> {
  const { folder } = get()
  set({ selected: id, trouble: null, comparing: null })
  if (folder === null) return
  if (id === null) return localStorage.removeItem(selectedKey(folder))
  localStorage.setItem(selectedKey(folder), id)
  if (openedOf(id) !== undefined) await lookAtDisk(id)
  else await open(id, folder)
}

export function lastSelected(folder: string): string | null {
  return localStorage.getItem(selectedKey(folder))
}

async function open(id: string, folder: string): Promise<void> {
  const answer = await command('definition.open', { folder, id })
  const entry = entryOf(id)
  if (get().folder !== folder || openedOf(id) !== undefined || entry === undefined) return
  if (!answer.ok) {
    if (get().selected === id) set({ trouble: { id, kind: 'unreadable', message: answer.failure.message } })
    return
  }
  track(openText(entry, answer.value, keptDraft(id)))
  forgetOldest()
}

/** With what was kept of it unsaved, as a change that can be undone. */
function openText(entry: LibraryEntry, theirs: DefinitionText, draft: KeptDraft | null): OpenDefinition {
  const unsaved = draft !== null && draft.text !== theirs.text && !entry.locked ? draft : null
  const hasChanged = unsaved !== null && unsaved.base !== null && unsaved.base !== theirs.text
  const base = hasChanged ? (unsaved.base ?? '') : theirs.text
  const document = createDefinitionDocument(base)
  if (unsaved !== null) document.replaceWith(unsaved.text)
  return {
    id: entry.id,
    document,
    base,
    version: hasChanged ? unsaved.version : theirs.version,
    entry,
    onDisk: hasChanged ? { kind: 'changed', theirs } : { kind: 'same' },
    recovered: unsaved !== null,
  }
}

/** Opens a text that has no file yet. */
export function openWithoutFile(
  what: { readonly source: WritableSource; readonly path: string; readonly text: string },
  kept: { readonly id: string; readonly recovered: boolean } = {
    id: `new:${crypto.randomUUID()}`,
    recovered: false,
  },
): string {
  const { id, recovered } = kept
  track({
    id,
    document: createDefinitionDocument(what.text),
    base: null,
    version: null,
    entry: entryWithoutFile(id, what),
    onDisk: { kind: 'same' },
    recovered,
  })
  return id
}

const endings = new Map<string, () => void>()

/** From now on the list knows whether it is saved, and what is not is kept. */
export function track(definition: OpenDefinition): void {
  const { id, document } = definition
  putOpened(definition)
  endings.get(id)?.()
  endings.set(
    id,
    document.subscribe(() => noteChange(id, document)),
  )
  noteChange(id, document)
}

/** The list, and what is kept of it over a restart, after its text or the one on disk changed. */
export function noteChange(id: string, document: DefinitionDocument): void {
  const opened = openedOf(id)
  const { folder } = get()
  if (opened?.document !== document || folder === null) return
  const { base, version, entry } = opened
  const { text } = document
  const isUnsaved = text !== base
  markUnsaved(id, isUnsaved)
  if (!isUnsaved || (entry.source !== 'project' && entry.source !== 'user')) forgetDraft(id)
  else keepDraft({ id, folder, source: entry.source, path: entry.path, base, version, text })
}

/** Closes it. Its unsaved changes are forgotten, unless `keepDraft`. */
export function closeDefinition(id: string, { keepDraft: keep = false } = {}): void {
  endings.get(id)?.()
  endings.delete(id)
  dropOpened(id)
  if (keep) return
  markUnsaved(id, false)
  forgetDraft(id)
}

/** Ids of which a text is being written: what is on disk meanwhile is ours. */
export const beingSaved = new Set<string>()

/** Takes in what happened to the file of one that is open. */
export async function lookAtDisk(id: string): Promise<void> {
  const { folder } = get()
  const before = openedOf(id)
  if (folder === null || before === undefined || before.base === null || beingSaved.has(id)) return
  const answer = await command('definition.open', { folder, id })
  const opened = openedOf(id)
  if (opened?.document !== before.document || beingSaved.has(id)) return
  if (!answer.ok) return isListed(id) ? undefined : fileIsGone(opened)
  takeFromDisk(opened, answer.value)
}

function takeFromDisk(opened: OpenDefinition, theirs: DefinitionText): void {
  const { id, document, base } = opened
  if (theirs.version === opened.version && opened.onDisk.kind === 'same') return
  const isUnsaved = document.text !== base
  if (theirs.text === base || theirs.text === document.text || !isUnsaved) {
    changeOpened(id, { base: theirs.text, version: theirs.version, onDisk: { kind: 'same' } })
    if (!isUnsaved) document.replaceWith(theirs.text)
    noteChange(id, document)
  } else changeOpened(id, { onDisk: { kind: 'changed', theirs } })
}

function fileIsGone(opened: OpenDefinition): void {
  const { id, document, base, entry } = opened
  if (document.text !== base) {
    changeOpened(id, { onDisk: { kind: 'gone' } })
    return
  }
  closeDefinition(id)
  if (get().selected === id)
    set({
      trouble: {
        id,
        kind: 'gone',
        message: `${entry.path} was deleted, moved or renamed outside of Troupe.`,
      },
    })
}

function isListed(id: string): boolean {
  return get().library.entries.some((entry) => entry.id === id)
}

function forgetOldest(): void {
  const { opened, unsaved, selected } = get()
  const idle = [...opened.keys()].filter((id) => !unsaved.has(id) && id !== selected)
  for (const id of idle.slice(0, Math.max(0, idle.length - KEPT_OPEN))) closeDefinition(id)
}
