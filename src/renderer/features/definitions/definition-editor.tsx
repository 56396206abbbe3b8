/** The selected definition: bar, form, source, and the panels below. */
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import type { Diagnostic, Fix } from '../../../shared/agent-definition/agent-definition.ts'
import { readDefinition } from '../../../shared/agent-definition/read-definition.ts'
import { toolFacts } from '../../../shared/tools/tool-facts.ts'
import { useSession } from '../../stores/session-store.ts'
import { useModels } from '../../stores/settings-store.ts'
import { useStoredState } from '../../stores/stored-state.ts'
import { isMac } from '../../ui/platform.ts'
import { Splitter } from '../../ui/splitter.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { useWidth } from '../../ui/use-width.ts'
import { ApprovalCard } from './approval-card.tsx'
import { ThreeWay } from './compare/three-way.tsx'
import { type DefinitionDocument, useDocumentText } from './definition-document.ts'
import { EditorBanners, NothingToEdit } from './definition-editor-banners.tsx'
import { EditorBar, type EditorView } from './definition-editor-bar.tsx'
import { type OpenDefinition, showDialog, stemOfFile, useEditor } from './editor-store.ts'
import { DefinitionForm } from './form/definition-form.tsx'
import { PanelsBelow } from './panels/panels-below.tsx'
import { saveDefinition, takeChoice } from './save-definition.ts'
import { type DefinitionSurroundings, toolsOfAgent } from './surroundings.ts'
import { startTryOut } from './try-out-store.ts'

/** Below this width in px the default is not the side-by-side view. */
const BOTH_MIN = 780
const FORM_MIN = 360

interface DefinitionEditorProps {
  /** Shows the test bench with the agent of this name. */
  readonly onTest: (name: string) => void
}

export function DefinitionEditor({ onTest }: DefinitionEditorProps) {
  const opened = useEditor((state) =>
    state.selected === null ? undefined : state.opened.get(state.selected),
  )
  if (opened === undefined) return <NothingToEdit />
  return <Opened key={opened.id} opened={opened} onTest={onTest} />
}

function Opened({ opened, onTest }: DefinitionEditorProps & { readonly opened: OpenDefinition }) {
  const { id, document, entry } = opened
  const root = useRef<HTMLDivElement>(null)
  const width = useWidth(root)
  const isNarrow = width < BOTH_MIN
  const [view, setView] = useView(isNarrow)
  const surroundings = useSurroundings(opened)
  const comparing = useEditor((state) => state.comparing?.id === id)
  const readOnly = entry.locked
  useEditorKeys(opened)

  const reveal = (range: { readonly from: number; readonly to: number }) => {
    if (view === 'form') setView(isNarrow ? 'source' : 'both')
    document.reveal(range.from, range.to)
  }
  if (comparing && opened.onDisk.kind === 'changed')
    return (
      <Compare
        opened={opened}
        theirs={opened.onDisk.theirs.text}
        onChoose={(text) => void takeChoice(id, text)}
        onCancel={() => useEditor.setState({ comparing: null })}
      />
    )
  return (
    <div ref={root} className="flex h-full min-h-0 min-w-0 flex-col bg-bg-0">
      <EditorBar
        opened={opened}
        view={view}
        isNarrow={isNarrow}
        onView={setView}
        onTest={() => onTest(entry.name)}
        onTryOut={() =>
          void startTryOut({
            id,
            hasFile: opened.base !== null,
            name: entry.name,
            text: document.text,
            worktree: prefersWorktree(document.text, surroundings),
          })
        }
      />
      <EditorBanners opened={opened} onReveal={reveal} />
      {entry.state === 'waits' && <ApprovalCard key={opened.version} opened={opened} />}
      <Panes
        view={view}
        width={width}
        form={
          <DefinitionForm
            document={document}
            surroundings={surroundings}
            readOnly={readOnly}
            onReveal={() => view === 'form' && setView(isNarrow ? 'source' : 'both')}
          />
        }
        source={<SourcePane document={document} surroundings={surroundings} readOnly={readOnly} />}
      />
      <PanelsBelow document={document} surroundings={surroundings} readOnly={readOnly} onReveal={reveal} />
    </div>
  )
}

interface PanesProps {
  readonly view: EditorView
  /** Px of both. */
  readonly width: number
  readonly form: ReactNode
  readonly source: ReactNode
}

function Panes({ view, width, form, source }: PanesProps) {
  const [share, setShare] = useStoredState('definition-form-share', 0.49, isShare)
  const most = Math.max(FORM_MIN, width - FORM_MIN)
  const formWidth = Math.min(most, Math.max(FORM_MIN, Math.round(width * share)))
  return (
    <div className="flex min-h-0 min-w-0 flex-1">
      {view !== 'source' && (
        <section
          aria-label="Form"
          data-editor-pane=""
          className={classNames(
            'relative min-h-0',
            view === 'both' ? 'shrink-0 border-line border-r' : 'min-w-0 flex-1',
          )}
          style={view === 'both' ? { width: formWidth } : undefined}
        >
          {form}
          {view === 'both' && (
            <Splitter
              label="Width of the form"
              size={formWidth}
              min={FORM_MIN}
              max={most}
              onResize={(next) => setShare(next / Math.max(1, width))}
              onReset={() => setShare(0.49)}
            />
          )}
        </section>
      )}
      {view !== 'form' && (
        <section aria-label="Source" data-editor-pane="" className="min-h-0 min-w-0 flex-1">
          {source}
        </section>
      )}
    </div>
  )
}

interface CompareProps {
  readonly opened: OpenDefinition
  readonly theirs: string
  readonly onChoose: (text: string) => void
  readonly onCancel: () => void
}

function Compare({ opened, theirs, onChoose, onCancel }: CompareProps) {
  const mine = useDocumentText(opened.document)
  return <ThreeWay id={opened.id} base={opened.base ?? ''} {...{ mine, theirs, onChoose, onCancel }} />
}

/** The chosen view, stored separately for wide and narrow editors. */
function useView(isNarrow: boolean): readonly [EditorView, (view: EditorView) => void] {
  const [wide, setWide] = useStoredState<EditorView>('definition-view', 'both', isView)
  const [narrow, setNarrow] = useStoredState<EditorView>('definition-view-narrow', 'form', isView)
  return isNarrow ? [narrow, setNarrow] : [wide, setWide]
}

function useSurroundings(opened: OpenDefinition): DefinitionSurroundings {
  const { id, document, entry, notUtf8 } = opened
  const catalog = useEditor((state) => state.catalog)
  const models = useModels((state) => state.models)
  return useMemo(
    () => ({
      ...{ entry, stem: stemOfFile(entry.path), catalog, models, notUtf8 },
      showFix: (problem: Diagnostic, fix: Fix) =>
        showDialog({ kind: 'fix', id, text: document.text, problem, fix }),
    }),
    [id, document, entry, catalog, models, notUtf8],
  )
}

const isView = (value: unknown): value is EditorView =>
  value === 'form' || value === 'both' || value === 'source'
const isShare = (value: unknown): value is number => typeof value === 'number' && value > 0.1 && value < 0.9

/** Whether a definition is tried in a worktree by default: it can change files, and the folder is on a git branch. */
function prefersWorktree(text: string, surroundings: DefinitionSurroundings): boolean {
  const { folder } = useSession.getState()
  const { stem, entry } = surroundings
  const { definition } = readDefinition(text, { stem, source: entry.source })
  if (definition === null || !folder?.trusted || folder.gitBranch === null) return false
  if (definition.isolation === 'worktree') return true
  if (definition.readOnly || definition.permissionMode === 'plan') return false
  const { allowed } = toolsOfAgent({ definition, offered: true }, surroundings)
  return allowed.some((tool) => WRITING.includes(toolFacts(tool)?.group ?? ''))
}

const WRITING: readonly string[] = ['Change', 'Run']

/** Save, undo and redo anywhere in the agents view. */
function useEditorKeys({ id, document, entry }: OpenDefinition): void {
  const { locked } = entry
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(isMac ? event.metaKey : event.ctrlKey) || event.altKey || event.defaultPrevented) return
      const key = event.key.toLowerCase()
      if (key === 's' && !event.shiftKey) {
        event.preventDefault()
        if (!event.repeat) void saveDefinition(id)
        return
      }
      // Fields, dialogs and the source have their own undo.
      if (locked || hasOwnUndo(event.target)) return
      if (key === 'z' && !event.shiftKey) document.undo()
      else if (key === 'z' || (key === 'y' && !isMac)) document.redo()
      else return
      event.preventDefault()
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [id, document, locked])
}

function hasOwnUndo(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, [contenteditable="true"], [role="dialog"]') !== null
  )
}

interface SourcePaneProps {
  readonly document: DefinitionDocument
  readonly surroundings: DefinitionSurroundings

  readonly readOnly: boolean
}

/** Fills its parent. Selection and scroll position stay with the document. */
export function SourcePane({ document, surroundings, readOnly }: SourcePaneProps) {
  const host = useRef<HTMLDivElement>(null)
  const detach = useRef(() => {})
  const label = `Source of ${surroundings.entry.path}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is detached with the document, not when options change
  useEffect(() => () => detach.current(), [document])
  useEffect(() => {
    if (host.current === null) return
    detach.current = document.attach(host.current, { surroundings, readOnly, label })
  }, [document, surroundings, readOnly, label])
  return <div ref={host} className="h-full min-h-0 min-w-0" />
}
