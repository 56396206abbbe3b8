/** Opens definitions, follows changes of their files, and stores unsaved text. */
import type { CatalogEntry, DefinitionText } from '../../../shared/agent-definition/agent-catalog.ts'
import { command } from '../../bridge.ts'
import { newKey } from '../../ui/machine.ts'
import { takeFromDisk } from './compare/take-from-disk.ts'
import { createDefinitionDocument, type DefinitionDocument } from './definition-document.ts'
import {
  catalogEntryOf,
  changeOpened,
  dropOpened,
  entryWithoutFile,
  markUnsaved,
  type OpenDefinition,
  openedOf,
  putOpened,
  useEditor,
  type WritableSource,
} from './editor-store.ts'
import { findMoved, type MovedFile, movedText } from './find-moved.ts'
import { forgetDraft, type KeptDraft, keepDraft, keptDraft } from './kept-drafts.ts'

const { getState: get, setState: set } = useEditor

/** How many saved definitions stay open with their undo history. */
const MAX_IDLE = 30

const selectedKey = (folder: string) => `definition-selected:${folder}`

/** Null selects nothing. */
export async function selectDefinition(id: string | null): Promise<void> {
  const { folder } = get()
  set({ selected: id, selectionProblem: null, comparing: null })
  if (folder === null) return
  if (id === null) return localStorage.removeItem(selectedKey(folder))
  localStorage.setItem(selectedKey(folder), id)
  if (openedOf(id) !== undefined) await syncWithDisk(id)
  else await open(id, folder)
}

export function lastSelected(folder: string): string | null {
  return localStorage.getItem(selectedKey(folder))
}

async function open(id: string, folder: string): Promise<void> {
  const answer = await command('definition.open', { folder, id })
  const entry = catalogEntryOf(id)
  if (get().folder !== folder || openedOf(id) !== undefined || entry === undefined) return
  if (!answer.ok) {
    if (get().selected === id)
      set({ selectionProblem: { id, kind: 'unreadable', message: answer.failure.message } })
    return
  }
  track(openText(entry, answer.value, keptDraft(id)))
  closeOldest()
}

/** Applies the stored draft as a change that can be undone. */
function openText(entry: CatalogEntry, theirs: DefinitionText, draft: KeptDraft | null): OpenDefinition {
  const unsaved = draft !== null && draft.text !== theirs.text && !entry.locked ? draft : null
  const hasChanged = unsaved !== null && unsaved.base !== null && unsaved.base !== theirs.text
  const base = hasChanged ? (unsaved.base ?? '') : theirs.text
  const document = createDefinitionDocument(base)
  if (unsaved !== null) document.replaceWith(unsaved.text)
  const opened: OpenDefinition = {
    id: entry.id,
    document,
    base,
    version: hasChanged ? unsaved.version : theirs.version,
    entry,
    onDisk: { kind: 'same' },
    notUtf8: theirs.notUtf8 ?? null,
    fromDisk:
      unsaved?.movedFrom === undefined
        ? null
        : { taken: [], renamed: movedText(unsaved.movedFrom, entry.path) },
    recovered: unsaved !== null,
  }
  if (!hasChanged) return opened
  const { text, ...change } = takeFromDisk(opened, theirs)
  document.takeOver(text)
  return { ...opened, ...change }
}

/** Opens a definition without a file; returns its id. */
export function openWithoutFile(
  file: { readonly source: WritableSource; readonly path: string; readonly text: string },
  kept: { readonly id: string; readonly recovered: boolean } = {
    id: `new:${newKey()}`,
    recovered: false,
  },
): string {
  const { id, recovered } = kept
  track({
    id,
    document: createDefinitionDocument(file.text),
    base: null,
    version: null,
    entry: entryWithoutFile(id, file),
    onDisk: { kind: 'same' },
    notUtf8: null,
    fromDisk: null,
    recovered,
  })
  return id
}

const unsubscribers = new Map<string, () => void>()

/** Adds an open definition; marks it in the list and stores its draft while it is unsaved. */
export function track(definition: OpenDefinition): void {
  const { id, document } = definition
  putOpened(definition)
  unsubscribers.get(id)?.()
  unsubscribers.set(
    id,
    document.subscribe(() => noteChange(id, document)),
  )
  noteChange(id, document)
}

/** Updates the unsaved mark and the stored draft after the text or the file changed. */
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

/** Deletes the draft unless `keepDraft`. */
export function closeDefinition(id: string, { keepDraft: keep = false } = {}): void {
  unsubscribers.get(id)?.()
  unsubscribers.delete(id)
  dropOpened(id)
  if (keep) return
  markUnsaved(id, false)
  forgetDraft(id)
}

/** Definitions that are being saved; changes of their files are our own. */
export const savingIds = new Set<string>()

/** The ids of the listed entries. */
export const listedIds = (): ReadonlySet<string> => new Set(get().catalog.entries.map(({ id }) => id))

/**
 * Updates an open definition after its file changed, was renamed or was deleted.
 * @param known the ids of the catalog before: a file with another one may be the renamed file
 */
export async function syncWithDisk(id: string, known: ReadonlySet<string> = listedIds()): Promise<void> {
  const { folder } = get()
  const before = openedOf(id)
  if (folder === null || before === undefined || before.base === null || savingIds.has(id)) return
  const answer = await command('definition.open', { folder, id })
  const opened = openedOf(id)
  if (opened?.document !== before.document || savingIds.has(id)) return
  // The answer is older than a save.
  if (opened.version !== before.version) return
  if (answer.ok) return applyFileText(opened, answer.value)
  if (isListed(id)) return
  const since = opened.onDisk.kind === 'gone' ? opened.onDisk.known : known
  const moved = await movedFileOf(folder, opened, since)
  if (openedOf(id)?.document !== before.document || savingIds.has(id) || isListed(id)) return
  if (moved === null) onFileGone(opened, since)
  else await follow(openedOf(id) ?? opened, moved)
}

async function movedFileOf(
  folder: string,
  { base, version, entry }: OpenDefinition,
  known: ReadonlySet<string>,
): Promise<MovedFile | null> {
  const appeared = get().catalog.entries.filter(({ id }) => !known.has(id) && openedOf(id) === undefined)
  if (appeared.length === 0) return null
  return findMoved(folder, { source: entry.source, text: base ?? '', version }, appeared)
}

/** The document goes on with the renamed file: unsaved text, history and selection stay. */
async function follow(opened: OpenDefinition, { entry, file }: MovedFile): Promise<void> {
  const isSelected = get().selected === opened.id
  closeDefinition(opened.id)
  track({
    ...opened,
    ...{ id: entry.id, entry, onDisk: { kind: 'same' } },
    fromDisk: { taken: opened.fromDisk?.taken ?? [], renamed: movedText(opened.entry.path, entry.path) },
  })
  const moved = openedOf(entry.id)
  if (moved !== undefined) applyFileText(moved, file)
  if (isSelected) await selectDefinition(entry.id)
}

/** Shows a deleted file again that was found under another name. */
export async function followLost(): Promise<void> {
  const { folder, selectionProblem } = get()
  const lost = selectionProblem?.lost
  if (folder === null || lost === undefined) return
  const moved = await movedFileOf(folder, lost.definition, lost.known)
  if (moved === null || get().selectionProblem !== selectionProblem) return
  set({ selected: lost.definition.id, selectionProblem: null })
  await follow(lost.definition, moved)
}

/** What only the file changed is taken over; the user decides about fields that both changed. */
function applyFileText(opened: OpenDefinition, theirs: DefinitionText): void {
  const { id, document, base, onDisk } = opened
  if (
    theirs.version === (onDisk.kind === 'changed' ? onDisk.theirs : opened).version &&
    onDisk.kind !== 'gone'
  )
    return
  const isUnsaved = document.text !== base
  const { text, ...change } = takeFromDisk(opened, theirs)
  changeOpened(id, change)
  if (change.onDisk.kind === 'same' && get().comparing?.id === id) set({ comparing: null })
  if (isUnsaved) document.takeOver(text)
  else document.replaceWith(text)
  noteChange(id, document)
}

function onFileGone(opened: OpenDefinition, known: ReadonlySet<string>): void {
  const { id, document, base, entry } = opened
  if (document.text !== base) {
    changeOpened(id, { onDisk: { kind: 'gone', known } })
    return
  }
  closeDefinition(id)
  if (get().selected === id)
    set({
      selectionProblem: {
        id,
        kind: 'gone',
        message: `${entry.path} was deleted or moved outside Troupe.`,
        lost: { definition: opened, known },
      },
    })
}

function isListed(id: string): boolean {
  return get().catalog.entries.some((entry) => entry.id === id)
}

function closeOldest(): void {
  const { opened, unsaved, selected } = get()
  const idle = [...opened.keys()].filter((id) => !unsaved.has(id) && id !== selected)
  for (const id of idle.slice(0, Math.max(0, idle.length - MAX_IDLE))) closeDefinition(id)
}
