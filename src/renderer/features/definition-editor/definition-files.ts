/** New files, copies, other names, and the trash with its way back. */
import { applyEdits } from '../../../shared/agent-definition/agent-definition.ts'
import { setField } from '../../../shared/agent-definition/write-definition.ts'
import type { DefinitionText, LibraryEntry } from '../../../shared/agent-library.ts'
import type { Answer } from '../../../shared/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/notice-store.ts'
import { entryOf, focusList, openedOf, showDialog, useEditor, type WritableSource } from './editor-store.ts'
import { loadLibrary } from './load-library.ts'
import { closeDefinition, openWithoutFile, selectDefinition, track } from './open-definition.ts'
import { closeWithUndo, saveDefinition } from './save-definition.ts'

const { getState: get } = useEditor

export interface NewFile {
  readonly source: WritableSource
  /** Below the agents folder. */
  readonly path: string
  readonly text: string
}

/** Writes a new file and shows it. The failure's words are for the dialog. */
export async function createDefinition(file: NewFile): Promise<Answer<DefinitionText>> {
  const answer = await command('definition.create', { folder: get().folder ?? '', ...file })
  if (answer.ok) {
    await loadLibrary()
    await selectDefinition(answer.value.id)
    focusList()
  }
  return answer
}

/** Shows a text that is not saved yet. */
export async function openDraft(file: NewFile): Promise<void> {
  await selectDefinition(openWithoutFile(file))
  focusList()
}

/** The text of an entry as it is in the editor, or on disk. */
export async function textOf(id: string): Promise<Answer<string>> {
  const opened = openedOf(id)
  if (opened !== undefined) return { ok: true, value: opened.document.text }
  const answer = await command('definition.open', { folder: get().folder ?? '', id })
  return answer.ok ? { ok: true, value: answer.value.text } : answer
}

/** The same agent under another name. */
export function renamed(text: string, name: string): string {
  return applyEdits(text, setField(text, 'name', name))
}

/** Opens the dialog, or says why there is none. */
export function askToRename(id: string): void {
  const entry = entryOf(id)
  if (entry === undefined) return
  if (entry.locked)
    showNotice({ level: 'info', text: `${entry.name} can’t be renamed here: ${whyLocked(entry)}` })
  else showDialog({ kind: 'rename', id })
}

interface Renaming {
  /** Null: the text stays as it is. */
  readonly name: string | null
  /** Null: the file stays where it is. */
  readonly path: string | null
}

/** Gives an agent another name, in its text, of its file, or both. What was unsaved stays unsaved. */
export async function renameDefinition(id: string, { name, path }: Renaming): Promise<Answer<void>> {
  if (openedOf(id) === undefined) await selectDefinition(id)
  const opened = openedOf(id)
  if (opened === undefined)
    return {
      ok: false,
      failure: { type: 'unreadable', message: 'The file can’t be read, so it was not renamed.' },
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
  const answer = await command('definition.move', { folder, id, path })
  if (!answer.ok) return answer
  closeDefinition(id)
  track({
    ...opened,
    id: answer.value.id,
    base: answer.value.text,
    version: answer.value.version,
    entry: { ...opened.entry, id: answer.value.id, path, file: answer.value.id },
  })
  await loadLibrary()
  if (selected === id) await selectDefinition(answer.value.id)
  return { ok: true, value: undefined }
}

/** Moves the file to the trash and offers to take that back, with what was unsaved of it. */
export async function trashDefinition(id: string): Promise<void> {
  const entry = entryOf(id)
  const { folder, selected } = get()
  if (entry === undefined || folder === null) return
  if (entry.locked)
    return showNotice({ level: 'info', text: `${entry.name} can’t be removed here: ${whyLocked(entry)}` })
  const opened = openedOf(id)
  if (opened?.base === null) return closeWithUndo(opened)
  const answer = await command('definition.trash', { folder, id })
  if (!answer.ok) return showFailure(answer.failure)
  const next = neighbourOf(id)
  const unsaved = opened !== undefined && opened.document.text !== opened.base ? opened : null
  closeDefinition(id)
  if (selected === id) await selectDefinition(next)
  await loadLibrary()
  focusList()
  showNotice({
    level: 'info',
    text: `${entry.path} is in the trash.`,
    action: { label: 'Undo', run: () => void restore(answer.value.trashId, unsaved?.document.text ?? null) },
  })
}

async function restore(trashId: string, unsaved: string | null): Promise<void> {
  const answer = await command('definition.restore', { trashId })
  if (!answer.ok) return showFailure(answer.failure)
  await loadLibrary()
  await selectDefinition(answer.value.id)
  if (unsaved !== null) openedOf(answer.value.id)?.document.replaceWith(unsaved)
  focusList()
}

/** In words that go on after a colon. */
export function whyLocked({ source, plugin }: LibraryEntry): string {
  switch (source) {
    case 'built-in':
      return 'it comes with Troupe. Duplicate it to change it.'
    case 'plugin':
      return `it belongs to the plugin ${plugin ?? ''}. Duplicate it to change it.`
    case 'managed':
      return 'it is managed by your organisation. Duplicate it to have one of your own under another name.'
    case 'command-line':
      return 'it was given on the command line. Duplicate it to keep it.'
    case 'project':
    case 'user':
      return 'its folder can’t be written to. Duplicate it to change it.'
  }
}

function neighbourOf(id: string): string | null {
  const { entries } = get().library
  const at = entries.findIndex((entry) => entry.id === id)
  return (entries[at + 1] ?? entries[at - 1])?.id ?? null
}
