/** Creates, copies, renames, trashes and restores definition files. */

import type {
  CatalogEntry,
  DefinitionText,
  RestoredDefinition,
} from '../../../shared/agent-definition/agent-catalog.ts'
import { applyEdits } from '../../../shared/agent-definition/agent-definition.ts'
import { setField } from '../../../shared/agent-definition/write-definition.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import {
  catalogEntryOf,
  focusList,
  openedOf,
  showDialog,
  useEditor,
  type WritableSource,
} from './editor-store.ts'
import { loadCatalog } from './load-catalog.ts'
import { closeDefinition, openWithoutFile, savingIds, selectDefinition, track } from './open-definition.ts'
import { closeWithUndo, saveDefinition } from './save-definition.ts'

const { getState: get } = useEditor

interface NewFile {
  readonly source: WritableSource
  /** Below the agents folder. */
  readonly path: string
  readonly text: string
}

/** Creates a file and selects it. The dialog shows a failure. */
export async function createDefinition(file: NewFile): Promise<Answer<DefinitionText>> {
  const answer = await command('definition.create', { folder: get().folder ?? '', ...file })
  if (answer.ok) {
    await loadCatalog()
    await selectDefinition(answer.value.id)
    focusList()
  }
  return answer
}

/** Selects a new definition that is not saved yet. */
export async function openDraft(file: NewFile): Promise<void> {
  await selectDefinition(openWithoutFile(file))
  focusList()
}

/** The text of an entry: from the editor if open, otherwise from disk. */
export async function readDefinitionText(id: string): Promise<Answer<string>> {
  const opened = openedOf(id)
  if (opened !== undefined) return { ok: true, value: opened.document.text }
  const answer = await command('definition.open', { folder: get().folder ?? '', id })
  return answer.ok ? { ok: true, value: answer.value.text } : answer
}

/** The text with another name. */
export function withName(text: string, name: string): string {
  return applyEdits(text, setField(text, 'name', name))
}

/** Opens the rename dialog, or shows why the agent can't be renamed. */
export function startRename(id: string): void {
  const entry = catalogEntryOf(id)
  if (entry === undefined) return
  if (entry.locked)
    showNotice({ level: 'info', text: `${entry.name} can’t be renamed here: ${lockReason(entry)}` })
  else showDialog({ kind: 'rename', id })
}

interface Renaming {
  /** Null: the name in the text stays. */
  readonly name: string | null
  /** Null: the file is not moved. */
  readonly path: string | null
}

/** Renames an agent in its text, its file, or both. Unsaved changes stay unsaved. */
export async function renameDefinition(id: string, { name, path }: Renaming): Promise<Answer<void>> {
  if (openedOf(id) === undefined) await selectDefinition(id)
  const opened = openedOf(id)
  if (opened === undefined)
    return {
      ok: false,
      failure: { type: 'unreadable', message: 'The file was not renamed because it can’t be read.' },
    }
  const wasSaved = opened.document.text === opened.base
  if (name !== null) opened.document.edit(setField(opened.document.text, 'name', name))
  if (name !== null && wasSaved && !(await saveDefinition(id)))
    return { ok: false, failure: { type: 'unsaved', message: 'The new name could not be saved.' } }
  return path === null ? { ok: true, value: undefined } : moveFile(id, path)
}

async function moveFile(id: string, path: string): Promise<Answer<void>> {
  const opened = openedOf(id)
  const { folder, selected } = get()
  if (opened === undefined || folder === null) return { ok: true, value: undefined }
  if (opened.base === null) {
    closeDefinition(id)
    const moved = { ...opened.entry, path }
    track({ ...opened, entry: moved })
    return { ok: true, value: undefined }
  }
  savingIds.add(id)
  const answer = await command('definition.move', { folder, id, path })
  savingIds.delete(id)
  if (!answer.ok) return answer
  closeDefinition(id)
  track({
    ...opened,
    id: answer.value.id,
    base: answer.value.text,
    version: answer.value.version,
    entry: { ...opened.entry, id: answer.value.id, path, file: answer.value.id },
  })
  await loadCatalog()
  if (selected === id) await selectDefinition(answer.value.id)
  return { ok: true, value: undefined }
}

/** Moves a file to the trash and offers Undo, which also restores unsaved changes. */
export async function trashDefinition(id: string): Promise<void> {
  const entry = catalogEntryOf(id)
  const { folder, selected } = get()
  if (entry === undefined || folder === null) return
  if (entry.locked)
    return showNotice({ level: 'info', text: `${entry.name} can’t be removed here: ${lockReason(entry)}` })
  const opened = openedOf(id)
  if (opened?.base === null) return closeWithUndo(opened)
  const unsaved = opened !== undefined && opened.document.text !== opened.base ? opened.document.text : null
  const answer = await command('definition.trash', { folder, id, unsaved })
  if (!answer.ok) return showFailure(answer.failure)
  const next = neighborOf(id)
  closeDefinition(id)
  if (selected === id) await selectDefinition(next)
  await loadCatalog()
  focusList()
  showNotice({
    level: 'info',
    text: `Moved ${entry.path} to the trash.`,
    action: { label: 'Undo', run: () => void undoTrash(answer.value.trashId) },
  })
}

async function undoTrash(trashId: string): Promise<void> {
  const answer = await restoreDefinition(trashId)
  if (!answer.ok) showFailure(answer.failure)
}

/**
 * Restores a definition from the trash to its file, with the changes that were not saved, and selects it. Fails if
 * another file is there now.
 */
export async function restoreDefinition(trashId: string): Promise<Answer<RestoredDefinition>> {
  const answer = await command('definition.restore', { trashId })
  if (!answer.ok) return answer
  const { id, unsaved } = answer.value
  await loadCatalog()
  await selectDefinition(id)
  if (unsaved !== null) openedOf(id)?.document.replaceWith(unsaved)
  focusList()
  return answer
}

/** Why an entry is locked; continues a sentence after a colon. */
export function lockReason({ source, plugin }: CatalogEntry): string {
  switch (source) {
    case 'built-in':
      return 'built in. Duplicate it to change it.'
    case 'plugin':
      return `part of the plugin ${plugin ?? ''}. Duplicate it to change it.`
    case 'managed':
      return 'managed by your organization. Duplicate it under another name to change it.'
    case 'command-line':
      return 'defined on the command line. Duplicate it to keep it.'
    case 'project':
    case 'user':
      return 'its folder is not writable. Duplicate it to change it.'
  }
}

/** The next agent of the list, or the previous one at its end. */
function neighborOf(id: string): string | null {
  const { listed } = get()
  const at = listed.indexOf(id)
  return (at === -1 ? listed[0] : (listed[at + 1] ?? listed[at - 1])) ?? null
}
