/** The test bench in the Agents view: with the editor's drafts, and the rows of transcripts. */
import { type ReactNode, useCallback, useEffect, useSyncExternalStore } from 'react'
import type { CatalogEntry } from '../../../shared/agent-definition/agent-catalog.ts'
import { showBench, useBench } from '../../features/agent-tests/bench-store.ts'
import { TestBench } from '../../features/agent-tests/test-bench.tsx'
import {
  openedOf,
  showDialog,
  useEditor,
  useWritableSources,
} from '../../features/definitions/editor-store.ts'
import { keptDraft } from '../../features/definitions/kept-drafts.ts'
import { selectDefinition } from '../../features/definitions/open-definition.ts'
import { saveDefinition } from '../../features/definitions/save-definition.ts'
import { shownDefinitionPath } from '../../features/definitions/shown-path.ts'
import { YamlEditor } from '../../features/definitions/source/yaml-editor.tsx'
import { SingleRow } from '../../features/transcript/transcript-excerpt.tsx'
import { openConversation } from '../../stores/shown-conversation.ts'

export function TestBenchView({ lead }: { readonly lead: ReactNode }) {
  const agent = useBench((state) => state.agent)
  const file = useAgentFile(agent)
  const skills = useEditor((state) => state.catalog.skills)
  const [source = 'user'] = useWritableSources()
  useAgentOfEditor()
  return (
    <TestBench
      lead={lead}
      draft={file?.draft ?? null}
      path={file?.path ?? null}
      skills={skills.map(({ name }) => name)}
      editor={YamlEditor}
      row={SingleRow}
      onNewAgent={() => {
        showBench(false)
        showDialog({ kind: 'new', source })
      }}
      onEdit={() => {
        showBench(false)
        if (file !== null) void selectDefinition(file.id)
      }}
      onUse={async (text) => file !== null && saveText(file.id, text)}
      onShowTranscript={(conversationId) => void openConversation(conversationId)}
    />
  )
}

/** At first the bench shows the agent that the editor shows. */
function useAgentOfEditor(): void {
  const selected = useEditor(
    ({ catalog, selected }) => catalog.entries.find(({ id }) => id === selected)?.name,
  )
  useEffect(() => {
    if (selected !== undefined && useBench.getState().agent === null) showBench(true, selected)
  }, [selected])
}

// The definition of an agent, by its name.

interface EditedAgent {
  readonly id: string
  readonly entry: CatalogEntry
  /** The path as shown; null: this program can't change the file. */
  readonly path: string | null
  /** The unsaved text of the editor; null: the file says the same. */
  readonly draft: string | null
}

/** Null: no definition has this name. */
function useAgentFile(name: string | null): EditedAgent | null {
  const folder = useEditor((state) => state.folder ?? '')
  const entry = useEditor(({ catalog }) => entryOf(catalog.entries, name))
  const id = entry?.id ?? ''
  const document = useEditor((state) => state.opened.get(id)?.document)
  const base = useEditor((state) => state.opened.get(id)?.base ?? null)
  const isUnsaved = useEditor((state) => state.unsaved.has(id))
  const subscribe = useCallback(
    (listener: () => void) => document?.subscribe(listener) ?? (() => {}),
    [document],
  )
  const text = useSyncExternalStore(subscribe, () => document?.text ?? null)
  if (entry === undefined) return null
  const written = text ?? (isUnsaved ? (keptDraft(id)?.text ?? null) : null)
  const draft = isUnsaved && written !== base ? written : null
  return { id, entry, path: entry.locked ? null : shownDefinitionPath(entry, folder), draft }
}

/** The definition in use; where none is, the one that would be. */
function entryOf(entries: readonly CatalogEntry[], name: string | null): CatalogEntry | undefined {
  const named = entries.filter((entry) => entry.name === name)
  return named.find(({ state }) => state === 'offered' || state === 'hidden') ?? named[0]
}

/** Saves a text as the definition. The editor shows it as a change that can be undone. Resolves to whether it is saved. */
async function saveText(id: string, text: string): Promise<boolean> {
  if (openedOf(id) === undefined) await selectDefinition(id)
  const opened = openedOf(id)
  if (opened === undefined) return false
  if (opened.document.text !== text) opened.document.replaceWith(text)
  return saveDefinition(id)
}
