/** The test bench: agents and runs at the left, the results of the chosen agent, the attempts of the chosen cell. */
import { CircleAlert, FlaskConical, GitBranch, ShieldQuestion } from 'lucide-react'
import { type ComponentType, type ReactNode, useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { AgentVersion } from '../../../shared/agent-tests/agent-tests.ts'
import { showFailure, showNotice, useStatusText } from '../../stores/overlay-store.ts'
import { askAboutTrust } from '../../stores/session-feed.ts'
import { useRoom, useSession } from '../../stores/session-store.ts'
import { useStoredState } from '../../stores/stored-state.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { Splitter } from '../../ui/splitter.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { AddVersionDialog } from './add-version-dialog.tsx'
import { AttemptComparison, type AttemptRowProps } from './attempt-comparison.tsx'
import { BenchHeader, canBeUsed } from './bench-header.tsx'
import { useBenchKeys } from './bench-keys.ts'
import { BenchSide } from './bench-side.tsx'
import { addVersion, loadBench, startRun, useBench, useBenchOfFolder } from './bench-store.ts'
import { CaseEditor, type CaseSource, type CaseTextProps, deleteCase } from './case-editor.tsx'
import { ResultsGrid } from './results-grid.tsx'
import { type BenchView, useBenchView } from './use-bench.ts'
import { UseVersionDialog } from './use-version-dialog.tsx'

export interface TestBenchProps {
  /** Above the left column. */
  readonly lead: ReactNode
  /** The text in the editor that is not the definition in use; null: there is none. */
  readonly draft: string | null
  /** The file of the chosen agent's definition, as shown; null: it has none that can be changed. */
  readonly path: string | null
  readonly skills: readonly string[]
  readonly editor: ComponentType<CaseTextProps>
  readonly row: ComponentType<AttemptRowProps>
  readonly onNewAgent: () => void
  /** Shows the definition of the chosen agent in the editor. */
  readonly onEdit: () => void
  /** Saves a text as the definition. Resolves to whether it is saved. */
  readonly onUse: (text: string) => Promise<boolean>
  readonly onShowTranscript: (conversationId: string) => void
}

type BenchDialog =
  | { readonly kind: 'case'; readonly source: CaseSource }
  | { readonly kind: 'version' }
  | { readonly kind: 'use'; readonly version: AgentVersion; readonly busy: boolean }

export function TestBench(props: TestBenchProps) {
  useBenchOfFolder()
  const { lead, draft, path, skills, editor, onNewAgent, onUse } = props
  const bench = useBenchView(draft)
  const folder = useSession((state) => state.folder?.path ?? '')
  const snapshot = useBench((state) => state.snapshot)
  const room = useRoom()
  const [dialog, setDialog] = useState<BenchDialog | null>(null)
  const close = useCallback(() => setDialog(null), [])
  const editCase = (source: CaseSource) => setDialog({ kind: 'case', source })
  const newCase = () => bench !== null && editCase({ kind: 'new', agent: bench.agent })
  const agents = snapshot?.agents.map(({ name }) => name) ?? []
  const top = useBenchKeys(bench, { onNewCase: newCase, onAddVersion: () => setDialog({ kind: 'version' }) })
  useStatusText({ start: bench === null ? null : statusText(bench), end: null })
  const use = async (version: AgentVersion) => {
    setDialog({ kind: 'use', version, busy: true })
    if (await onUse(version.text ?? '')) {
      setDialog(null)
      showNotice({ level: 'info', text: `“${version.title}” is in use now.` })
    } else setDialog({ kind: 'use', version, busy: false })
  }
  return (
    <div ref={top} className="contents">
      <aside
        aria-label="Agents, runs and cases"
        className="flex shrink-0 flex-col border-line border-r bg-bg-1"
        style={{ width: room === 'wide' ? 220 : 216 }}
      >
        {lead}
        {bench !== null && (
          <BenchSide
            bench={bench}
            onNewAgent={onNewAgent}
            onNewCase={newCase}
            onOpenCase={(file, line) => editCase({ kind: 'file', agent: bench.agent, file, line })}
          />
        )}
      </aside>
      <main className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg-1">
        {bench === null ? (
          <NoBench onNewAgent={onNewAgent} />
        ) : (
          <Bench
            {...props}
            bench={bench}
            onNewCase={newCase}
            onEditCase={(file) => editCase({ kind: 'file', agent: bench.agent, file, line: null })}
            onAddVersion={() => setDialog({ kind: 'version' })}
            onAskToUse={(version) => setDialog({ kind: 'use', version, busy: false })}
          />
        )}
      </main>
      {dialog?.kind === 'case' && (
        <CaseEditor
          folder={folder}
          source={dialog.source}
          agents={agents}
          editor={editor}
          onClose={close}
          onSaved={() => void loadBench(folder)}
        />
      )}
      {dialog?.kind === 'version' && bench !== null && (
        <AddVersionDialog
          folder={folder}
          agent={bench.agent}
          agents={agents}
          skills={skills}
          draft={draft}
          onClose={close}
        />
      )}
      {dialog?.kind === 'use' && bench !== null && (
        <UseVersionDialog
          version={dialog.version}
          grid={bench.grid}
          path={path ?? bench.agent}
          busy={dialog.busy}
          onClose={close}
          onUse={() => void use(dialog.version)}
        />
      )}
    </div>
  )
}

function statusText({ cases, grid, agent }: BenchView): string {
  const known = grid.totals.reduce((sum, { counted }) => sum + counted, 0)
  return `${agent}: ${count(cases.length, 'case')} · ${count(known, 'attempt')}`
}

/** Before the folder is read, where it can't be read, and where it has no agents. */
function NoBench({ onNewAgent }: { readonly onNewAgent: () => void }) {
  const failure = useBench((state) => state.failure)
  const isEmpty = useBench((state) => state.snapshot?.agents.length === 0)
  const folder = useSession((state) => state.folder?.path ?? null)
  if (failure !== null)
    return (
      <EmptyState
        icon={CircleAlert}
        title="The test bench can’t be shown"
        actions={<Button onClick={() => folder !== null && void loadBench(folder)}>Try again</Button>}
      >
        <span data-selectable="">{failure}</span>
      </EmptyState>
    )
  if (isEmpty)
    return (
      <EmptyState
        icon={FlaskConical}
        title="No agents yet"
        actions={
          <Button variant="primary" size="md" onClick={onNewAgent}>
            New agent
          </Button>
        }
      >
        The test bench runs an agent at saved tasks, and shows whether a change of its definition makes it
        better.
      </EmptyState>
    )
  return (
    <p role="status" className="m-auto flex items-center gap-2 text-fg-2 text-sm">
      <Spinner /> Loading
    </p>
  )
}

type BenchProps = TestBenchProps & {
  readonly bench: BenchView
  readonly onNewCase: () => void
  readonly onEditCase: (file: string) => void
  readonly onAddVersion: () => void
  readonly onAskToUse: (version: AgentVersion) => void
}

/** Px of the attempts. */
const ATTEMPTS = { usual: 412, min: 220, max: 900 }
/** Attempts of less height have no room for the changed lines. */
const SHORT = 360
/** Of the grid: its head, three rows and the sum. */
const GRID = 50 + 3 * 46 + 46

function Bench(props: BenchProps) {
  const { bench, path, row, onNewCase, onEdit, onEditCase, onAddVersion, onAskToUse, onShowTranscript } =
    props
  const { cases, versions, wanted, running } = bench
  const folder = useSession((state) => state.folder?.path ?? '')
  const refusal = useBench((state) => state.snapshot?.refusal ?? null)
  const place = useBench((state) => (state.isOpen ? state.place : null))
  // A draft that was changed, or a case that was deleted, has no cell any more.
  const isOpen =
    versions.some(({ id }) => id === place?.versionId) && cases.some(({ file }) => file === place?.caseFile)
  const versionProblem = useBench((state) => state.versionProblem)
  const box = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useStoredState<number | null>('agent-tests-height', null, isHeight)
  const most = useMost(box)
  const attemptsHeight = Math.max(ATTEMPTS.min, Math.min(height ?? ATTEMPTS.usual, most))
  const canRun = running === null && refusal === null && wanted !== null
  const usable = (version: AgentVersion) =>
    path !== null && canBeUsed(version, bench) ? () => onAskToUse(version) : null
  const tryWithout = async (of: AgentVersion, text: string, name: string) => {
    const { model, effort, skill } = of.ref
    const added = await addVersion({ base: { type: 'draft', text, name }, model, effort, skill })
    if (!added.ok) return showFailure(added.failure)
    const run = { folder, agent: bench.agent, versions: [added.value.ref], caseFiles: [] }
    showNotice({
      level: 'info',
      text: `Added “${name}” as a version.`,
      action: { label: 'Run it', run: () => void startRun(run) },
    })
  }
  return (
    <>
      <BenchHeader {...props} />
      {refusal !== null && <Refusal text={refusal} />}
      {versionProblem !== null && <Banner text={versionProblem} />}
      {cases.length === 0 ? (
        <EmptyState
          icon={FlaskConical}
          title={`${bench.agent} has no cases`}
          actions={
            <Button variant="primary" size="md" onClick={onNewCase}>
              New case
            </Button>
          }
        >
          A case is a saved task with checks. “Save as a case” in the menu of an agent that has worked makes
          one, too.
        </EmptyState>
      ) : (
        <div ref={box} className="flex min-h-0 flex-1 flex-col">
          <div className={classNames('min-h-0', isOpen ? 'flex-1' : 'shrink')}>
            <ResultsGrid
              bench={bench}
              onAddVersion={onAddVersion}
              onEdit={onEditCase}
              onDelete={(one) => void deleteCase(folder, one).then(() => loadBench(folder))}
              onRunCase={canRun ? (file) => void startRun({ ...wanted, caseFiles: [file] }) : null}
              onUse={usable}
            />
          </div>
          {isOpen ? (
            <div className="relative shrink-0 border-line-strong border-t" style={{ height: attemptsHeight }}>
              <Splitter
                label="Height of the attempts"
                edge="top"
                size={attemptsHeight}
                min={ATTEMPTS.min}
                max={most}
                onResize={setHeight}
                onReset={() => setHeight(null)}
              />
              <AttemptComparison
                bench={bench}
                row={row}
                isShort={attemptsHeight < SHORT}
                onShowTranscript={onShowTranscript}
                onTryWithout={(...wish) => void tryWithout(...wish)}
              />
            </div>
          ) : (
            <p className="flex flex-wrap items-center gap-3 border-line border-t px-4 py-3 text-fg-2 text-sm">
              {versions.length < 2 ? (
                <>
                  Only one version. Change the definition to compare a draft with it, or add a version.
                  <Button onClick={onEdit}>Edit definition</Button>
                  <Button onClick={onAddVersion}>Add version…</Button>
                </>
              ) : (
                'A click on a result shows its attempts beside those of the version in use.'
              )}
            </p>
          )}
        </div>
      )}
    </>
  )
}

const isHeight = (value: unknown): value is number | null =>
  value === null || (typeof value === 'number' && value >= 100 && value <= 2000)

/** Px that the attempts may have. */
function useMost(box: { readonly current: HTMLElement | null }): number {
  const [most, setMost] = useState(ATTEMPTS.max)
  useLayoutEffect(() => {
    const { current } = box
    if (current === null) return
    const measure = () => {
      const { clientHeight } = current
      if (clientHeight > 0) setMost(Math.max(ATTEMPTS.min, clientHeight - GRID))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [box])
  return most
}

/** Why nothing can be run in the folder, with the one step that changes it. */
function Refusal({ text }: { readonly text: string }) {
  const folder = useSession((state) => state.folder)
  const isUntrusted = folder !== null && !folder.trusted
  const Icon = isUntrusted ? ShieldQuestion : GitBranch
  return (
    <div
      role="note"
      className="flex shrink-0 items-center gap-3 border-line border-b bg-bg-2 px-4 py-2 text-fg-1 text-sm"
    >
      <Icon size={14} aria-hidden="true" className="shrink-0 text-fg-2" />
      <span className="min-w-0 flex-1">{text}</span>
      {isUntrusted && <Button onClick={() => askAboutTrust(folder.path)}>Trust folder…</Button>}
    </div>
  )
}

function Banner({ text }: { readonly text: string }) {
  return (
    <p
      role="alert"
      data-selectable=""
      className="flex shrink-0 items-center gap-3 border-line border-b bg-bg-2 px-4 py-2 text-fg-1 text-sm"
    >
      <CircleAlert size={14} aria-hidden="true" className="shrink-0 text-bad" />
      {text}
    </p>
  )
}
