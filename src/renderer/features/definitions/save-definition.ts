/** Saves or reverts a definition. Changes that another program made to the file are never overwritten unseen. */

import type { DefinitionText } from '../../../shared/agent-definition/agent-catalog.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/overlay-store.ts'
import { forgetMerges } from './compare/merge-fields.ts'
import { takeFromDisk } from './compare/take-from-disk.ts'
import {
  changeOpened,
  type OpenDefinition,
  openedOf,
  showDialog,
  stemOfFile,
  useEditor,
} from './editor-store.ts'
import { loadCatalog } from './load-catalog.ts'
import {
  closeDefinition,
  noteChange,
  openWithoutFile,
  savingIds,
  selectDefinition,
  syncWithDisk,
  track,
} from './open-definition.ts'

const { getState: get, setState: set } = useEditor

/** Returns true when the text is on disk. A file changed by another program opens the comparison instead. */
export async function saveDefinition(
  id: string,
  /** The user has seen what it means to save a file as UTF-8 that has another encoding. */
  { converts = false }: { readonly converts?: boolean } = {},
): Promise<boolean> {
  const opened = openedOf(id)
  if (opened === undefined || opened.entry.locked || savingIds.has(id)) return false
  const { notUtf8, base, document, onDisk } = opened
  if (base !== null && document.text === base && onDisk.kind === 'same' && notUtf8 === null) return true
  if (notUtf8 !== null && onDisk.kind === 'same' && !converts) {
    showDialog({ kind: 'convert', id })
    return false
  }
  if (opened.onDisk.kind === 'changed') {
    // The user may have made the fields equal meanwhile.
    if (!settleConflicts(opened, opened.onDisk.theirs)) {
      set({ comparing: { id, thenSave: true } })
      return false
    }
    return saveDefinition(id)
  }
  const fixes = makeValid(opened)
  savingIds.add(id)
  const text = opened.document.text
  const isNew = opened.base === null || opened.onDisk.kind === 'gone'
  const answer = await (isNew ? create(opened, text) : overwrite(opened, text))
  savingIds.delete(id)
  if (!answer.ok) return (await showSaveFailure(opened, answer.failure)) && saveDefinition(id)
  if (answer.value.id !== id) moveOpened(opened, answer.value)
  else {
    changeOpened(id, {
      ...{ base: answer.value.text, version: answer.value.version, notUtf8: null },
      onDisk: { kind: 'same' },
    })
    noteChange(id, opened.document)
  }
  forgetMerges(id)
  changeOpened(answer.value.id, { recovered: false, fromDisk: null })
  if (fixes.length > 0)
    showNotice({ level: 'info', text: `Saved as valid YAML: ${fixes.join(', ').toLowerCase()}.` })
  if (notUtf8 !== null) tellConverted(opened, answer.value)
  await loadCatalog()
  return true
}

function tellConverted({ id, entry }: OpenDefinition, { version }: DefinitionText): void {
  showNotice({
    level: 'info',
    text: `Saved ${entry.path} as UTF-8.`,
    action: { label: 'Undo', run: () => void unconvert(id, version) },
  })
}

/** Brings the bytes of a file back that was converted. */
async function unconvert(id: string, version: string | null): Promise<void> {
  const answer = await command('definition.unconvert', { folder: get().folder ?? '', id, version })
  if (!answer.ok) return showFailure(answer.failure)
  await loadCatalog()
  await syncWithDisk(id)
}

/** Restores the file's text as a change that can be undone; closes a definition without a file. */
export async function revertDefinition(id: string): Promise<void> {
  const opened = openedOf(id)
  if (opened === undefined) return
  const { document, base, onDisk } = opened
  if (base === null || onDisk.kind === 'gone') return closeWithUndo(opened)
  forgetMerges(id)
  changeOpened(id, { recovered: false, fromDisk: null })
  document.replaceWith(onDisk.kind === 'changed' ? onDisk.theirs.text : base)
  noteChange(id, document)
  if (onDisk.kind === 'changed') await syncWithDisk(id)
}

/** Applies the version chosen in the comparison. */
export async function takeChoice(id: string, text: string): Promise<void> {
  const opened = openedOf(id)
  const { comparing } = get()
  set({ comparing: null })
  if (opened === undefined || opened.onDisk.kind !== 'changed') return
  forgetMerges(id)
  const { theirs } = opened.onDisk
  changeOpened(id, {
    base: theirs.text,
    version: theirs.version,
    onDisk: { kind: 'same' },
    recovered: false,
    fromDisk: null,
  })
  opened.document.replaceWith(text)
  noteChange(id, opened.document)
  if (comparing?.thenSave) await saveDefinition(id)
}

/** Keeps the text of a deleted file as a definition without a file. */
export async function keepWithoutFile(id: string): Promise<void> {
  const opened = openedOf(id)
  if (opened === undefined) return
  const { source, path } = opened.entry
  if (source !== 'project' && source !== 'user') return
  const kept = openWithoutFile({ source, path, text: opened.document.text })
  closeDefinition(id)
  await selectDefinition(kept)
}

/** Closes a definition and offers Undo. */
export async function closeWithUndo({ id, document, entry }: OpenDefinition): Promise<void> {
  const { source, path } = entry
  const { text } = document
  closeDefinition(id)
  await selectDefinition(get().catalog.entries[0]?.id ?? null)
  if (source !== 'project' && source !== 'user') return
  showNotice({
    level: 'info',
    text: `Closed ${path} without saving.`,
    action: {
      label: 'Undo',
      run: () => void selectDefinition(openWithoutFile({ source, path, text })),
    },
  })
}

/** Applies the fixes without which the file is not valid YAML. Returns the labels of the fixes. */
function makeValid({ document, entry }: OpenDefinition): readonly string[] {
  const { recovered, diagnostics } = readDefinition(document.text, {
    stem: stemOfFile(entry.path),
    source: entry.source,
  })
  const needed = diagnostics.filter(({ code }) => recovered.includes(code))
  // The closing dashes may be missing: then a rewrite would put the body into the fields, so the user decides.
  if (needed.some(({ fixes }) => fixes.some(({ isShownFirst }) => isShownFirst))) return []
  const fixes = needed.flatMap((diagnostic) => diagnostic.fixes[0] ?? [])
  document.edit(fixes.flatMap((fix) => fix.edits).sort((a, b) => a.from - b.from))
  return fixes.map((fix) => fix.label)
}

async function create(opened: OpenDefinition, text: string): Promise<Answer<DefinitionText>> {
  const { folder } = get()
  const { source, path } = opened.entry
  if (folder === null || (source !== 'project' && source !== 'user'))
    return { ok: false, failure: { type: 'locked', message: `${path} can’t be changed here.` } }
  return command('definition.create', { folder, source, path, text })
}

async function overwrite(
  { id, version, notUtf8 }: OpenDefinition,
  text: string,
): Promise<Answer<DefinitionText>> {
  const folder = get().folder ?? ''
  return command('definition.save', { folder, id, text, version, ...(notUtf8 && { converts: true }) })
}

/** Moves the document of a newly created file to the file's id. */
function moveOpened(opened: OpenDefinition, written: DefinitionText): void {
  const isSelected = get().selected === opened.id
  closeDefinition(opened.id)
  track({ ...opened, id: written.id, base: written.text, version: written.version, onDisk: { kind: 'same' } })
  if (isSelected) void selectDefinition(written.id)
}

/** Resolves to true if the file had changed and its changes are taken over: then another save is safe. */
async function showSaveFailure(
  { id, version }: OpenDefinition,
  failure: { type: string; message: string },
): Promise<boolean> {
  // The file may have changed without a notice to the window yet.
  await loadCatalog()
  const now = openedOf(id)
  if (now?.onDisk.kind === 'changed') set({ comparing: { id, thenSave: true } })
  else if (failure.type === 'changed' && now?.onDisk.kind === 'same' && now.version !== version) return true
  // A banner shows that the file was deleted.
  else if (now?.onDisk.kind !== 'gone') showFailure(failure)
  return false
}

/** False: a field is still different on both sides. */
function settleConflicts(opened: OpenDefinition, theirs: DefinitionText): boolean {
  const { text, ...change } = takeFromDisk(opened, theirs)
  if (change.onDisk.kind === 'changed') return false
  changeOpened(opened.id, change)
  opened.document.takeOver(text)
  noteChange(opened.id, opened.document)
  return true
}
