/** What the definition editor knows: the library of a folder, the texts that are open, and what is shown. */
import { create } from 'zustand'
import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import type { AgentLibrary, DefinitionText, LibraryEntry } from '../../../shared/agent-library.ts'
import type { DefinitionDocument } from './definition-document.ts'

export type WritableSource = 'project' | 'user'

export interface OpenDefinition {
  /** The entry's, or `new:…` where there is no file yet. */
  readonly id: string
  readonly document: DefinitionDocument
  /** The text on disk that editing began from; null: there is no file. */
  readonly base: string | null
  readonly version: string | null
  /** The entry as it was last in the library, or what stands for it. */
  readonly entry: LibraryEntry
  readonly onDisk:
    | { readonly kind: 'same' }
    /** Somebody else wrote this meanwhile. */
    | { readonly kind: 'changed'; readonly theirs: DefinitionText }
    | { readonly kind: 'gone' }
  /** Its unsaved text was found again after a restart, and the person was not told yet. */
  readonly recovered: boolean
}

export type EditorDialog =
  | { readonly kind: 'new'; readonly source: WritableSource }
  | { readonly kind: 'duplicate'; readonly id: string; readonly source: WritableSource }
  | { readonly kind: 'rename'; readonly id: string }

export interface EditorState {
  /** Whose agents these are; null: none was asked for. */
  readonly folder: string | null
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly failure: string | null
  readonly library: AgentLibrary
  readonly opened: ReadonlyMap<string, OpenDefinition>
  /** The ids of those whose text is not what is on disk, open or kept from before. */
  readonly unsaved: ReadonlySet<string>
  readonly selected: string | null
  /** Why the one that is selected can't be shown. */
  readonly trouble: {
    readonly id: string
    readonly kind: 'gone' | 'unreadable'
    readonly message: string
  } | null
  /** What is compared with the text on disk; `thenSave`: somebody wanted to save it. */
  readonly comparing: { readonly id: string; readonly thenSave: boolean } | null
  readonly dialog: EditorDialog | null
  /** Grows each time the list should take the focus, at the entry that is selected. */
  readonly listWish: number
}

const EMPTY_LIBRARY: AgentLibrary = {
  entries: [],
  problems: [],
  tools: [],
  skills: [],
  servers: [],
  watched: [],
}

export const NO_EDITOR: EditorState = {
  folder: null,
  phase: 'loading',
  failure: null,
  library: EMPTY_LIBRARY,
  opened: new Map(),
  unsaved: new Set(),
  selected: null,
  trouble: null,
  comparing: null,
  dialog: null,
  listWish: 0,
}

export const useEditor = create<EditorState>()(() => NO_EDITOR)

export function openedOf(id: string): OpenDefinition | undefined {
  return useEditor.getState().opened.get(id)
}

/** Changes one that is open; nothing where it is no longer. */
export function changeOpened(id: string, change: Partial<Omit<OpenDefinition, 'id' | 'document'>>): void {
  const there = openedOf(id)
  if (there !== undefined) putOpened({ ...there, ...change })
}

export function putOpened(definition: OpenDefinition): void {
  useEditor.setState(({ opened }) => ({ opened: new Map(opened).set(definition.id, definition) }))
}

export function dropOpened(id: string): void {
  useEditor.setState(({ opened }) => {
    const rest = new Map(opened)
    rest.delete(id)
    return { opened: rest }
  })
}

export function markUnsaved(id: string, isUnsaved: boolean): void {
  const { unsaved } = useEditor.getState()
  if (unsaved.has(id) === isUnsaved) return
  const next = new Set(unsaved)
  if (isUnsaved) next.add(id)
  else next.delete(id)
  useEditor.setState({ unsaved: next })
}

export function showDialog(dialog: EditorDialog | null): void {
  useEditor.setState({ dialog })
}

/** Moves the focus to the selected entry of the list, once dialogs have closed. */
export function focusList(): void {
  useEditor.setState(({ listWish }) => ({ listWish: listWish + 1 }))
}

/** The entry of an id: of the library, or what stands for a file that is not there. */
export function entryOf(id: string | null): LibraryEntry | undefined {
  if (id === null) return undefined
  const { library, opened } = useEditor.getState()
  return library.entries.find((entry) => entry.id === id) ?? opened.get(id)?.entry
}

/** What stands in the list for a text that has no file. */
export function entryWithoutFile(
  id: string,
  { source, path, text }: { readonly source: WritableSource; readonly path: string; readonly text: string },
): LibraryEntry {
  const { definition } = readDefinition(text, { stem: stemOf(path), source })
  const name = definition?.name ?? stemOf(path)
  return {
    id,
    name,
    source,
    plugin: null,
    file: null,
    path,
    color: stableColor(definition?.color ?? null, name),
    description: definition?.description ?? '',
    state: definition === null ? 'no-agent' : 'offered',
    locked: false,
    overriddenBy: null,
    overrides: [],
    diagnostics: [],
  }
}

/** The file's name without `.md`. */
export function stemOf(path: string): string {
  return (path.split('/').at(-1) ?? path).replace(/\.md$/i, '')
}
