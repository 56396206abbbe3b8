/** The Environments view: the worktrees of the folder with their set-up, ports and servers, and the log of one. */
import { Server, Square, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { ENVIRONMENT_PATH } from '../../../shared/environments/environment.ts'
import type { FolderCommands, WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import type { Overlap } from '../../../shared/environments/overlaps.ts'
import { WaitingCommands } from '../../features/environments/environment-commands.tsx'
import { EnvironmentLog } from '../../features/environments/environment-log.tsx'
import { COLUMNS, EnvironmentRow } from '../../features/environments/environment-row.tsx'
import { OverlapLines } from '../../features/environments/overlap-line.tsx'
import { PreviewPane } from '../../features/preview/preview-pane.tsx'
import { togglePreview, usePreview } from '../../features/preview/preview-store.ts'
import { PullRequestPanel } from '../../features/pull-requests/pull-request-panel.tsx'
import { usePullRequestMarks } from '../../features/pull-requests/pull-request-store.ts'
import { PushDialog } from '../../features/pull-requests/push-dialog.tsx'
import { OverlapComparison } from '../../features/worktrees/side-by-side/overlap-comparison.tsx'
import { focusComposer } from '../../stores/draft-store.ts'
import {
  actOnEnvironment,
  isActive,
  loadEnvironments,
  selectEnvironment,
  stopAllEnvironments,
  useEnvironments,
  useEnvironmentsOfFolder,
} from '../../stores/environments-store.ts'
import { openFile, useStatusText } from '../../stores/overlay-store.ts'
import { useSnapshot } from '../../stores/review-store.ts'
import { setView, useRoom, useSession } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import type { DotStatus } from '../../ui/dot.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { useViewKeys } from '../../ui/use-focus.ts'

const KEY_HINTS =
  'J K move · R runs or stops · S sets up · O opens · P previews · G pull request · C compares · L log'

export function EnvironmentsView() {
  useEnvironmentsOfFolder()
  const folder = useSession((state) => state.folder?.path ?? null)
  const snapshot = useEnvironments((state) => state.snapshot)
  const failure = useEnvironments((state) => state.failure)
  const selectedId = useEnvironments((state) => state.selectedId)
  const worktrees = snapshot?.worktrees ?? []
  const selected = worktrees.find(({ id }) => id === selectedId) ?? worktrees[0] ?? null
  const statusOf = useAgentStatuses()
  const wanted = usePreview((state) => state.wanted)
  // The page of another worktree ends, and begins again where it was.
  const previewed = wanted !== null && wanted.id === selected?.id ? wanted : null
  const room = useRoom()
  const marks = usePullRequestMarks(folder)
  const [wantsPull, setWantsPull] = useState<boolean | null>(null)
  const isPullShown =
    selected !== null && (wantsPull ?? (room === 'wide' && marks[selected.id] !== undefined))
  const [compared, setCompared] = useState<Overlap | null>(null)
  const overlaps = snapshot?.overlaps ?? []
  const togglePull = () => setWantsPull(!isPullShown)
  useStatusText({ start: null, end: room === 'wide' && selected !== null ? KEY_HINTS : null })
  const top = useViewKeys(({ key, target }) => {
    if (
      selected === null ||
      (target instanceof Element && target.closest('[role="log"],[role="radio"],[type="checkbox"]'))
    )
      return false
    const overlap = overlaps.find(({ ids }) => ids.includes(selected.id)) ?? overlaps[0]
    const compare = overlap && (() => setCompared(overlap))
    const run = { ...keysFor(worktrees, selected), g: togglePull, c: compare }[key.toLowerCase()]
    run?.()
    return run !== undefined
  })
  if (folder === null) return null
  const commands = snapshot?.commands ?? null
  return (
    <div ref={top} className="relative flex h-full min-h-0 min-w-0">
      <main
        aria-busy={snapshot === null && failure === null}
        className="flex h-full min-h-0 min-w-0 flex-1 flex-col"
      >
        <Header commands={commands} worktrees={worktrees} folder={folder} />
        {commands !== null && <WaitingCommands found={commands} />}
        {failure !== null || (snapshot !== null && snapshot.problem !== null) ? (
          <EmptyState
            icon={TriangleAlert}
            title="Can’t list the environments"
            actions={<Button onClick={() => void loadEnvironments(folder)}>Retry</Button>}
          >
            <span data-selectable="">{failure ?? snapshot?.problem}</span>
          </EmptyState>
        ) : selected === null ? (
          snapshot !== null && <NoEnvironments commands={commands} />
        ) : (
          <>
            <OverlapLines overlaps={overlaps} worktrees={worktrees} onCompare={setCompared} />
            <div
              className={`${COLUMNS} h-7 shrink-0 border-line border-b bg-bg-1 text-fg-2 text-xs`}
              aria-hidden="true"
            >
              <span>Worktree</span>
              <span>Set-up</span>
              <span>Ports</span>
            </div>
            <ul
              aria-label="Worktrees"
              className={classNames(
                'min-h-[62px] shrink overflow-y-auto',
                previewed === null ? 'max-h-[55%]' : 'max-h-[126px]',
              )}
            >
              {worktrees.map((worktree) => (
                <EnvironmentRow
                  key={worktree.id}
                  worktree={worktree}
                  commands={commands}
                  isSelected={worktree.id === selected.id}
                  status={statusOf(worktree.id)}
                  isPreviewed={worktree.id === previewed?.id}
                  pull={marks[worktree.id] ?? null}
                  onPreview={() => preview(worktree)}
                />
              ))}
            </ul>
            {previewed === null ? (
              <EnvironmentLog worktree={selected} />
            ) : (
              <PreviewPane
                folder={folder}
                worktree={selected}
                name={previewed.name}
                onRun={() => void actOnEnvironment('run', selected)}
              />
            )}
          </>
        )}
      </main>
      {isPullShown && (
        <div className={room === 'wide' ? 'shrink-0' : 'absolute inset-y-0 right-0 z-20 shadow-popup'}>
          <PullRequestPanel folder={folder} id={selected.id} onClose={togglePull} closeKey="G" />
        </div>
      )}
      <PushDialog />
      <OverlapComparison
        folder={folder}
        overlap={compared}
        worktrees={worktrees}
        onClose={() => setCompared(null)}
      />
    </div>
  )
}

interface HeaderProps {
  readonly folder: string
  readonly commands: FolderCommands | null
  readonly worktrees: readonly WorktreeEnvironment[]
}

function Header({ folder, commands, worktrees }: HeaderProps) {
  const file = commands?.sources[0] ?? null
  return (
    <div className="flex h-[52px] shrink-0 items-center gap-2.5 border-line border-b bg-bg-1 px-4">
      <div className="min-w-0 flex-1">
        <h1 className="font-semibold text-base text-fg-0">Environments</h1>
        <p className="truncate text-fg-2 text-sm">
          {count(worktrees.length, 'worktree')}.{commands !== null && ` ${aboutCommands(commands)}`}
        </p>
      </div>
      {file !== null && (
        <Button onClick={() => void openFile(commands?.folder ?? folder, file)}>
          {file === ENVIRONMENT_PATH ? 'Edit commands' : `Open ${file}`}
        </Button>
      )}
      <Button
        disabled={!worktrees.some(isActive)}
        focusableWhenDisabled
        onClick={() => void stopAllEnvironments()}
      >
        <Square size={11} strokeWidth={1.75} aria-hidden="true" />
        Stop all
      </Button>
    </div>
  )
}

function aboutCommands({ approval, sources, isProposed }: FolderCommands): string {
  const from = isProposed ? `Proposed from ${sources.join(', ')}` : `Commands from ${sources.join(', ')}`
  switch (approval.state) {
    case 'none':
      return 'No commands for worktrees.'
    case 'invalid':
      return 'The commands have a mistake.'
    case 'approved':
      return `${from}, approved.`
    case 'refused':
      return `${from}, refused.`
    default:
      return `${from}, not approved yet.`
  }
}

function NoEnvironments({ commands }: { readonly commands: FolderCommands | null }) {
  const ask = () => {
    setView('stage')
    focusComposer()
  }
  return (
    <EmptyState
      icon={Server}
      title="No worktrees yet"
      actions={
        <Button variant="primary" onClick={ask}>
          Ask an agent
        </Button>
      }
    >
      Each worktree of an agent is set up here, with ports and servers of its own.
      {commands?.approval.state === 'none' && ` The commands for that are in ${ENVIRONMENT_PATH}.`}
    </EmptyState>
  )
}

/** The states of the agents by their worktree, as Review knows them. */
function useAgentStatuses(): (id: string) => DotStatus {
  const review = useSnapshot()
  const states = new Map(review?.worktrees.map(({ id, state }) => [id, state]))
  return (id) => (states.get(id) === 'working' ? 'running' : 'completed')
}

function preview(worktree: WorktreeEnvironment): void {
  selectEnvironment(worktree.id)
  togglePreview(worktree)
}

function keysFor(
  worktrees: readonly WorktreeEnvironment[],
  selected: WorktreeEnvironment,
): Readonly<Record<string, (() => void) | undefined>> {
  const at = worktrees.findIndex(({ id }) => id === selected.id)
  const go = (by: number) => () => {
    const next = worktrees[Math.min(Math.max(at + by, 0), worktrees.length - 1)]
    if (next === undefined) return
    selectEnvironment(next.id)
    document.querySelector<HTMLElement>(`[data-row="${CSS.escape(next.id)}"]`)?.focus()
  }
  const act = (action: Parameters<typeof actOnEnvironment>[0]) => () =>
    void actOnEnvironment(action, selected)
  const runs = isActive(selected)
  return {
    j: go(1),
    k: go(-1),
    arrowdown: go(1),
    arrowup: go(-1),
    r: act(runs ? 'stop' : 'run'),
    s: runs ? undefined : act('setUp'),
    o: act('open'),
    p: () => preview(selected),
    l: () => document.querySelector<HTMLElement>('[role="log"]')?.focus(),
  }
}
