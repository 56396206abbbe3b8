/** The Agents view: the list of definitions, the editor, and the conversation that tries a definition out. */
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef } from 'react'
import { showBench, useBench } from '../../features/agent-tests/bench-store.ts'
import { CatalogList } from '../../features/definitions/catalog-list.tsx'
import { allEntries, catalogText } from '../../features/definitions/catalog-rows.ts'
import { DefinitionEditor } from '../../features/definitions/definition-editor.tsx'
import { EditorDialogs } from '../../features/definitions/dialogs/editor-dialogs.tsx'
import { useEditor } from '../../features/definitions/editor-store.ts'
import { enterEditor } from '../../features/definitions/load-catalog.ts'
import { useTryOut } from '../../features/definitions/try-out-store.ts'
import { useStatusText } from '../../stores/overlay-store.ts'
import { useRoom, useSession } from '../../stores/session-store.ts'
import { loadModels } from '../../stores/settings-store.ts'
import { useStoredState } from '../../stores/stored-state.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { ViewHeader } from '../../ui/view-header.tsx'
import { TryOutPanel } from './try-out-panel.tsx'

const TestBenchView = lazy(async () => ({
  default: (await import('./test-bench-view.tsx')).TestBenchView,
}))

const LIST = { usual: 264, narrow: 216, min: 180, max: 440 }
const TRY = { usual: 400, min: 340, max: 640 }

export function AgentsView() {
  const folder = useSession((state) => state.folder?.path ?? null)
  const isTrusted = useSession((state) => state.folder?.trusted === true)
  const isBench = useBench((state) => state.isShown)
  // Trusting the folder changes its agents.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as the line above says
  useEffect(() => (folder === null ? undefined : enterEditor(folder)), [folder, isTrusted])
  useEffect(() => void loadModels(), [])
  return (
    <div className="flex h-full min-h-0 min-w-0">
      {isBench ? (
        <Suspense fallback={null}>
          <TestBenchView lead={<Lead />} />
        </Suspense>
      ) : (
        <Editing />
      )}
      <EditorDialogs />
    </div>
  )
}

/** The title, and the switch to the other side of the view. */
function Lead() {
  const isBench = useBench((state) => state.isShown)
  return (
    <ViewHeader title="Agents">
      <Segmented
        className="ml-auto"
        label="Editor or test bench"
        value={isBench ? 'bench' : 'editor'}
        options={SIDES}
        onChange={(side) => showBench(side === 'bench')}
      />
    </ViewHeader>
  )
}

/** The list, the editor, and the conversation beside it. */
function Editing() {
  const room = useRoom()
  const editor = useRef<HTMLElement>(null)
  const tryOut = useTryOut((state) => state.tryOut)
  const [listWidth, setListWidth] = useStoredState<number | null>('definition-list-width', null, isWidth)
  const [tryWidth, setTryWidth] = useStoredState('definition-try-width', TRY.usual, isWidth)
  const usual = room === 'wide' ? LIST.usual : LIST.narrow
  const list = Math.max(LIST.min, Math.min(LIST.max, listWidth ?? usual))
  useAgentsStatus()
  const enter = useCallback(() => {
    const pane = editor.current?.querySelector('[data-editor-pane]')
    pane?.querySelector<HTMLElement>('input, textarea, .cm-content, button')?.focus()
  }, [])
  const hasList = tryOut === null || room === 'wide'
  return (
    <>
      {/* In a narrow window the try-out replaces the list. */}
      {hasList && (
        <aside
          aria-label="Agents"
          className="relative flex shrink-0 flex-col border-line border-r bg-bg-1"
          style={{ width: list }}
        >
          <Lead />
          <div className="min-h-0 flex-1">
            <CatalogList onEnter={enter} />
          </div>
          <Splitter
            label="List width"
            size={list}
            min={LIST.min}
            max={LIST.max}
            onResize={setListWidth}
            onReset={() => setListWidth(null)}
          />
        </aside>
      )}
      <main ref={editor} className="min-w-0 flex-1">
        {!hasList && <h1 className="sr-only">Agents</h1>}
        <DefinitionEditor onTest={(name) => showBench(true, name)} />
      </main>
      {tryOut !== null && (
        <aside
          aria-label="Try it"
          className="relative shrink-0 border-line border-l bg-bg-1"
          style={{ width: tryWidth }}
        >
          <Splitter
            label="Width of the conversation"
            edge="left"
            size={tryWidth}
            min={TRY.min}
            max={TRY.max}
            onResize={setTryWidth}
            onReset={() => setTryWidth(TRY.usual)}
          />
          <TryOutPanel tryOut={tryOut} />
        </aside>
      )}
    </>
  )
}

const SIDES = [
  { value: 'editor', label: 'Editor' },
  { value: 'bench', label: 'Test bench' },
] as const

function useAgentsStatus(): void {
  const catalog = useEditor((state) => state.catalog)
  const opened = useEditor((state) => state.opened)
  const unsaved = useEditor((state) => state.unsaved)
  const isReady = useEditor((state) => state.phase === 'ready')
  const statusText = useMemo(
    () => catalogText(allEntries({ catalog, opened, unsaved })),
    [catalog, opened, unsaved],
  )
  const watched = catalog.watched.length === 0 ? null : `watching ${catalog.watched.join(', ')}`
  useStatusText({ start: isReady ? statusText : null, end: watched })
}

const isWidth = (value: unknown): value is number =>
  typeof value === 'number' && value >= 100 && value <= 2000
