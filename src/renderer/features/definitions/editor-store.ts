/** The state of the definition editor: a folder's agent catalog, the open definitions, the selection. */
import { create } from 'zustand'
import {
  type AgentCatalog,
  type CatalogEntry,
  contentOf,
  type DefinitionText,
  type NotUtf8,
} from '../../../shared/agent-definition/agent-catalog.ts'
import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import type { Diagnostic, Fix } from '../../../shared/agent-definition/agent-definition.ts'
import { openConditions } from '../../../shared/agent-definition/effective-tools.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { useSession } from '../../stores/session-store.ts'
import type { DefinitionDocument } from './definition-document.ts'

export type WritableSource = 'project' | 'user'

const BOTH: readonly WritableSource[] = ['project', 'user']
const USER: readonly WritableSource[] = ['user']

/** Sources for new agents. The project is excluded without trust, because its agents would not be loaded. */
export function useWritableSources(): readonly WritableSource[] {
  return useSession((state) => (state.folder?.trusted === true ? BOTH : USER))
}

export interface OpenDefinition {
  /** The entry's id, or `new:…` without a file. */
  readonly id: string
  readonly document: DefinitionDocument
  /** The text on disk when editing began; null without a file. */
  readonly base: string | null
  readonly version: string | null
  /** The latest catalog entry, or a substitute without a file. */
  readonly entry: CatalogEntry
  readonly onDisk:
    | { readonly kind: 'same' }
    /** Another program changed the file. */
    | { readonly kind: 'changed'; readonly theirs: DefinitionText }
    /** `known`: the ids of the catalog in which the file was still listed. */
    | { readonly kind: 'gone'; readonly known: ReadonlySet<string> }
  /** The encoding of a file that is not UTF-8. */
  readonly notUtf8: NotUtf8 | null
  /** What was taken from the file since the user confirmed the last note; null: nothing. */
  readonly fromDisk: FromDisk | null
  /** Unsaved text was restored after a restart, and the user has not confirmed the notice yet. */
  readonly recovered: boolean
}

/** Changes of the file that are in the editor without a question. */
export interface FromDisk {
  /** The names of fields, and `the body`. */
  readonly taken: readonly string[]
  /** The file or the agent has another name, as a sentence; null: the same name. */
  readonly renamed: string | null
}

export type EditorDialog =
  /** `template`: the name of the one that is chosen at first. */
  | { readonly kind: 'new'; readonly source: WritableSource; readonly template?: string }
  | { readonly kind: 'duplicate'; readonly id: string; readonly source: WritableSource }
  | { readonly kind: 'rename'; readonly id: string }
  | { readonly kind: 'trash' }
  /** Shows the change of a fix before it is made. `text`: the text that the fix is for. */
  | {
      readonly kind: 'fix'
      readonly id: string
      readonly text: string
      readonly problem: Diagnostic
      readonly fix: Fix
    }
  /** Saves a file that is not UTF-8 as UTF-8. */
  | { readonly kind: 'convert'; readonly id: string }

export interface EditorState {
  /** The folder of the catalog; null before any was loaded. */
  readonly folder: string | null
  readonly phase: 'loading' | 'ready' | 'failed'
  readonly failure: string | null
  readonly catalog: AgentCatalog
  readonly opened: ReadonlyMap<string, OpenDefinition>
  /** Ids of definitions with unsaved text, open or stored as a draft. */
  readonly unsaved: ReadonlySet<string>
  readonly selected: string | null
  /** The ids in the list, in the order shown: filtered, or found by the search. */
  readonly listed: readonly string[]
  /** Why the selected definition can't be shown. */
  readonly selectionProblem: {
    readonly id: string
    readonly kind: 'gone' | 'unreadable'
    readonly message: string
    /** A deleted file that may return under another name. */
    readonly lost?: { readonly definition: OpenDefinition; readonly known: ReadonlySet<string> }
  } | null
  /** The definition compared with its file; `thenSave` saves it after the choice. */
  readonly comparing: { readonly id: string; readonly thenSave: boolean } | null
  readonly dialog: EditorDialog | null
  /** Increases with each request to focus the selected row of the list. */
  readonly listFocusRequests: number
}

const EMPTY_CATALOG: AgentCatalog = {
  entries: [],
  problems: [],
  tools: [],
  conditions: openConditions,
  skills: [],
  servers: [],
  watched: [],
}

export const NO_EDITOR: EditorState = {
  folder: null,
  phase: 'loading',
  failure: null,
  catalog: EMPTY_CATALOG,
  opened: new Map(),
  unsaved: new Set(),
  selected: null,
  listed: [],
  selectionProblem: null,
  comparing: null,
  dialog: null,
  listFocusRequests: 0,
}

export const useEditor = create<EditorState>()(() => NO_EDITOR)

export function openedOf(id: string): OpenDefinition | undefined {
  return useEditor.getState().opened.get(id)
}

/** Changes an open definition; does nothing when it has been closed. */
export function changeOpened(id: string, change: Partial<Omit<OpenDefinition, 'id' | 'document'>>): void {
  const current = openedOf(id)
  if (current !== undefined) putOpened({ ...current, ...change })
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
  useEditor.setState(({ listFocusRequests }) => ({ listFocusRequests: listFocusRequests + 1 }))
}

/** The catalog entry of an id, or the substitute of a definition without a file. */
export function catalogEntryOf(id: string | null): CatalogEntry | undefined {
  if (id === null) return undefined
  const { catalog, opened } = useEditor.getState()
  return catalog.entries.find((entry) => entry.id === id) ?? opened.get(id)?.entry
}

/** A list entry for a definition without a file. */
export function entryWithoutFile(
  id: string,
  { source, path, text }: { readonly source: WritableSource; readonly path: string; readonly text: string },
): CatalogEntry {
  const { definition } = readDefinition(text, { stem: stemOfFile(path), source })
  const name = definition?.name ?? stemOfFile(path)
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
    shadowedBy: null,
    overrides: [],
    diagnostics: [],
    content: definition === null ? null : contentOf(definition),
  }
}

/** The file's name without `.md`. */
export function stemOfFile(path: string): string {
  return (path.split('/').at(-1) ?? path).replace(/\.md$/i, '')
}
