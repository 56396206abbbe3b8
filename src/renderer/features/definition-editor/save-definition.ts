/** Writes a text to its file, or takes back what was changed. Nothing that is on disk is written over unseen. */
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import type { DefinitionText } from '../../../shared/agent-library.ts'
import type { Answer } from '../../../shared/ipc-contract.ts'
import { command } from '../../bridge.ts'
import { showFailure, showNotice } from '../../stores/notice-store.ts'
import { changeOpened, type OpenDefinition, openedOf, stemOf, useEditor } from './editor-store.ts'
import { loadLibrary } from './load-library.ts'
import {
  beingSaved,
  closeDefinition,
  lookAtDisk,
  noteChange,
  openWithoutFile,
  selectDefinition,
  track,
} from './open-definition.ts'

const { getState: get, setState: set } = useEditor

/** True where the text is on disk afterwards. A file that was changed meanwhile opens the choice. */
export async function saveDefinition(id: string): Promise<boolean> {
  const opened = openedOf(id)
  if (opened === undefined || opened.entry.locked || beingSaved.has(id)) return false
  if (opened.base !== null && opened.document.text === opened.base && opened.onDisk.kind === 'same')
    return true
  if (opened.onDisk.kind === 'changed') {
    set({ comparing: { id, thenSave: true } })
    return false
  }
  const mends = makeValid(opened)
  beingSaved.add(id)
  const text = opened.document.text
  const isNew = opened.base === null || opened.onDisk.kind === 'gone'
  const answer = await (isNew ? create(opened, text) : overwrite(opened, text))
  beingSaved.delete(id)
  if (!answer.ok) {
    await couldNotSave(id, answer.failure)
    return false
  }
  if (answer.value.id !== id) moveOpened(opened, answer.value)
  else {
    changeOpened(id, { base: answer.value.text, version: answer.value.version, onDisk: { kind: 'same' } })
    noteChange(id, opened.document)
  }
  changeOpened(answer.value.id, { recovered: false })
  if (mends.length > 0)
    showNotice({ level: 'info', text: `Saved as valid YAML: ${mends.join(', ').toLowerCase()}.` })
  await loadLibrary()
  return true
}

/** Back to what is on disk, as a change that can be undone; a text without a file is closed. */
export async function revertDefinition(id: string): Promise<void> {
  const opened = openedOf(id)
  if (opened === undefined) return
  const { document, base, onDisk } = opened
  if (base === null || onDisk.kind === 'gone') return closeWithUndo(opened)
  changeOpened(id, { recovered: false })
  document.replaceWith(onDisk.kind === 'changed' ? onDisk.theirs.text : base)
  noteChange(id, document)
  if (onDisk.kind === 'changed') await lookAtDisk(id)
}

/** What was chosen where the file was changed meanwhile. */
export async function takeChoice(id: string, text: string): Promise<void> {
  const opened = openedOf(id)
  const { comparing } = get()
  set({ comparing: null })
  if (opened === undefined || opened.onDisk.kind !== 'changed') return
  const { theirs } = opened.onDisk
  changeOpened(id, { base: theirs.text, version: theirs.version, onDisk: { kind: 'same' }, recovered: false })
  opened.document.replaceWith(text)
  noteChange(id, opened.document)
  if (comparing?.thenSave) await saveDefinition(id)
}

/** The text goes on without its file: saving writes that anew. */
export async function keepWithoutFile(id: string): Promise<void> {
  const opened = openedOf(id)
  if (opened === undefined) return
  const { source, path } = opened.entry
  if (source !== 'project' && source !== 'user') return
  const kept = openWithoutFile({ source, path, text: opened.document.text })
  closeDefinition(id)
  await selectDefinition(kept)
}

/** With a way back: nothing is lost by a wrong click. */
export async function closeWithUndo({ id, document, entry }: OpenDefinition): Promise<void> {
  const { source, path } = entry
  const { text } = document
  closeDefinition(id)
  await selectDefinition(get().library.entries[0]?.id ?? null)
  if (source !== 'project' && source !== 'user') return
  showNotice({
    level: 'info',
    text: `${path} was closed without being saved.`,
    action: {
      label: 'Undo',
      run: () => void selectDefinition(openWithoutFile({ source, path, text })),
    },
  })
}

/** What the first save mends of a file that was read in spite of not being valid: what was done, in words. */
function makeValid({ document, entry }: OpenDefinition): readonly string[] {
  const { rescued, diagnostics } = readDefinition(document.text, {
    stem: stemOf(entry.path),
    source: entry.source,
  })
  const mends = diagnostics
    .filter(({ code }) => rescued.includes(code))
    .flatMap((diagnostic) => diagnostic.mends[0] ?? [])
  document.edit(mends.flatMap((mend) => mend.edits).sort((a, b) => a.from - b.from))
  return mends.map((mend) => mend.label)
}

async function create(opened: OpenDefinition, text: string): Promise<Answer<DefinitionText>> {
  const { folder } = get()
  const { source, path } = opened.entry
  if (folder === null || (source !== 'project' && source !== 'user'))
    return { ok: false, failure: { type: 'locked', message: `${path} can’t be changed here.` } }
  return command('definition.create', { folder, source, path, text })
}

async function overwrite({ id, version }: OpenDefinition, text: string): Promise<Answer<DefinitionText>> {
  return command('definition.save', { folder: get().folder ?? '', id, text, version })
}

/** A text that has got its file is the same document under another id. */
function moveOpened(opened: OpenDefinition, written: DefinitionText): void {
  const isSelected = get().selected === opened.id
  closeDefinition(opened.id)
  track({ ...opened, id: written.id, base: written.text, version: written.version, onDisk: { kind: 'same' } })
  if (isSelected) void selectDefinition(written.id)
}

async function couldNotSave(id: string, failure: { type: string; message: string }): Promise<void> {
  // The file may have been changed or deleted, and the window not told yet.
  await loadLibrary()
  const now = openedOf(id)
  if (now?.onDisk.kind === 'changed') set({ comparing: { id, thenSave: true } })
  // The bar above the text says that the file is gone.
  else if (now?.onDisk.kind !== 'gone') showFailure(failure)
}
