/** One worktree: its task and branch, its set-up, its ports, and what can be done with it. */
import {
  Check,
  ExternalLink,
  GitPullRequest,
  PanelBottom,
  Play,
  RotateCw,
  SkipForward,
  Square,
  SquareTerminal,
  X,
} from 'lucide-react'
import type { ReactNode } from 'react'
import type { WorktreeSetup } from '../../../shared/environments/environment.ts'
import type { FolderCommands, WorktreeEnvironment } from '../../../shared/environments/environments.ts'
import { sharedText } from '../../../shared/environments/shareable-setup.ts'
import { actOnEnvironment, selectEnvironment, useEnvironments } from '../../stores/environments-store.ts'
import { openTerminal } from '../../stores/overlay-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Dot, type DotStatus } from '../../ui/dot.tsx'
import { useNow } from '../../ui/machine.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { formatDuration } from '../../ui/text/format.ts'

/** The columns of the table, also of its head. */
export const COLUMNS =
  'grid grid-cols-[minmax(0,1fr)_220px_156px_236px] items-center gap-x-3.5 px-4 max-[1199px]:grid-cols-[minmax(0,1fr)_160px_136px_222px] max-[1199px]:gap-x-2.5'

interface EnvironmentRowProps {
  readonly worktree: WorktreeEnvironment
  readonly commands: FolderCommands | null
  readonly isSelected: boolean
  /** Of its agent; null: it is not loaded. */
  readonly status: DotStatus
  /** Whether its preview is open. */
  readonly isPreviewed: boolean
  readonly onPreview: () => void
  /** Its pull request, such as `#482 3/5`; null: none is known. */
  readonly pull: string | null
}

export function EnvironmentRow(props: EnvironmentRowProps) {
  const { worktree, commands, isSelected, status, pull } = props
  const { id, task, branch, color, path } = worktree
  return (
    <li
      aria-label={task}
      className={classNames(
        COLUMNS,
        'h-[62px] border-line border-b text-sm leading-[18px]',
        isSelected ? 'bg-bg-2 shadow-[inset_2px_0_var(--accent)]' : 'bg-bg-1',
      )}
    >
      <button
        type="button"
        data-row={id}
        aria-current={isSelected}
        onClick={() => selectEnvironment(id)}
        onFocus={() => selectEnvironment(id)}
        className="grid min-w-0 grid-cols-[14px_minmax(0,1fr)] items-center gap-x-2 text-left focus-visible:-outline-offset-2"
        style={agentStyle(color)}
      >
        <Dot status={status} className="justify-self-center" />
        <span className="flex min-w-0 items-center gap-2">
          <b className="truncate font-semibold text-base text-fg-0">{task}</b>
          {pull !== null && (
            <Chip icon={GitPullRequest} mono>
              {pull}
            </Chip>
          )}
        </span>
        <small className="col-start-2 truncate font-mono text-fg-2 text-xs" title={path}>
          {branch}
          {!worktree.isThere && ' · folder is gone'}
        </small>
      </button>
      <Setup worktree={worktree} commands={commands} />
      <Ports worktree={worktree} />
      <Actions {...props} />
    </li>
  )
}

function Setup({ worktree, commands }: Pick<EnvironmentRowProps, 'worktree' | 'commands'>) {
  const { setup } = worktree.state
  const now = useNow(setup.kind === 'running')
  const { icon, label, more, detail } = setupParts(setup, { commands, now })
  return (
    <div className="min-w-0">
      <p className="flex min-w-0 items-center gap-1.5">
        {icon}
        <span className={classNames('truncate', setup.kind === 'failed' ? 'text-bad' : 'text-fg-0')}>
          {label}
        </span>
        {more !== '' && <span className="shrink-0 font-mono text-fg-2 text-xs">{more}</span>}
      </p>
      <p className="truncate font-mono text-fg-2 text-xs" title={detail}>
        {detail}
      </p>
    </div>
  )
}

interface SetupParts {
  readonly icon: ReactNode
  readonly label: string
  readonly more: string
  readonly detail: string
}

function setupParts(
  setup: WorktreeSetup,
  { commands, now }: { readonly commands: FolderCommands | null; readonly now: number },
): SetupParts {
  switch (setup.kind) {
    case 'running':
      return {
        icon: <Spinner size={11} />,
        label: `Running ${setup.command ?? 'set-up'}`,
        more: formatDuration(Math.max(0, now - setup.since)),
        detail: setup.of > 1 ? `Step ${setup.index + 1} of ${setup.of}` : '',
      }
    case 'ready':
      return {
        icon: <Check size={13} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-ok" />,
        label: setup.shared === undefined ? 'Ready' : 'Ready, shared',
        more: '',
        detail: `${setup.shared === undefined ? (setup.last ?? 'Set up') : sharedText(setup.shared)} ${formatDuration(setup.tookMs)}`,
      }
    case 'failed':
      return {
        icon: <X size={13} strokeWidth={1.75} aria-hidden="true" className="shrink-0 text-bad" />,
        label: 'Set-up failed',
        more: setup.exitCode === null ? '' : `exit ${setup.exitCode}`,
        detail: setup.error,
      }
    case 'skipped':
      return { icon: null, label: 'Skipped', more: '', detail: 'Not set up' }
    case 'none':
      return { icon: null, label: noSetup(commands), more: '', detail: commands?.commands.setup[0] ?? '' }
  }
}

function noSetup(commands: FolderCommands | null): string {
  if (commands === null || commands.commands.setup.length === 0) return 'No set-up'
  return commands.approval.state === 'approved' ? 'Not set up' : 'Waits for you'
}

/** Rows that fit. */
const MOST_PORTS = 2

function Ports({ worktree: { ports, state } }: Pick<EnvironmentRowProps, 'worktree'>) {
  if (ports.length === 0)
    return (
      <p className="font-mono text-fg-2 text-xs">
        {state.base === null ? '' : `${state.base} to ${state.base + 9}`}
      </p>
    )
  const shown = ports.slice(0, ports.length > MOST_PORTS ? MOST_PORTS - 1 : MOST_PORTS)
  const more = ports.length - shown.length
  return (
    <div className="min-w-0 font-mono text-fg-1 text-xs leading-[19px]">
      {shown.map(({ name, port }) => {
        const run = state.runs[name]
        return (
          <p key={name} className="grid grid-cols-[36px_44px_minmax(0,1fr)] items-center">
            <span className="truncate text-fg-2" title={name}>
              {name}
            </span>
            <span>{port}</span>
            {run?.kind === 'running' ? (
              <span className={classNames('flex items-center gap-1.5', run.isUp ? 'text-ok' : 'text-fg-2')}>
                <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
                {run.isUp ? 'up' : 'starting'}
              </span>
            ) : (
              <span className={run?.error == null ? 'text-fg-2' : 'text-bad'} title={run?.error ?? ''}>
                {run?.error == null ? 'reserved' : 'ended'}
              </span>
            )}
          </p>
        )
      })}
      {more > 0 && <p className="text-fg-2">{more} more</p>}
    </div>
  )
}

function Actions({ worktree, commands, isPreviewed, onPreview }: EnvironmentRowProps) {
  const isBusy = useEnvironments((state) => state.busy.has(worktree.id))
  const { setup, runs } = worktree.state
  const isApproved = commands?.approval.state === 'approved'
  const runsNow = Object.values(runs).some(({ kind }) => kind === 'running')
  const isUp = Object.values(runs).some((run) => run.kind === 'running' && run.isUp)
  const first =
    setup.kind === 'running'
      ? { icon: Square, label: 'Stop', action: 'stop' as const, can: true }
      : setup.kind === 'failed' && !runsNow
        ? { icon: RotateCw, label: 'Try again', action: 'setUp' as const, can: isApproved }
        : setup.kind === 'none' && (commands?.commands.setup.length ?? 0) > 0 && !runsNow
          ? { icon: Play, label: 'Set up', action: 'setUp' as const, can: isApproved && worktree.isThere }
          : runsNow
            ? { icon: Square, label: 'Stop', action: 'stop' as const, can: true }
            : {
                ...{ icon: Play, label: 'Run', action: 'run' as const },
                can: isApproved && worktree.isThere && worktree.ports.length > 0,
              }
  const canSkip = (setup.kind === 'none' && first.label === 'Set up') || setup.kind === 'running'
  return (
    <div className="grid grid-cols-[88px_76px_26px_26px] justify-end gap-1.5 max-[1199px]:grid-cols-[86px_66px_26px_26px]">
      <Button
        className="px-0"
        disabled={!first.can || isBusy}
        focusableWhenDisabled
        onClick={() => void actOnEnvironment(first.action, worktree)}
      >
        <first.icon size={12} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
        {first.label}
      </Button>
      {canSkip ? (
        <Button
          className="px-0"
          disabled={isBusy}
          focusableWhenDisabled
          onClick={() => void actOnEnvironment('skip', worktree)}
        >
          <SkipForward size={12} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
          Skip
        </Button>
      ) : (
        <Button
          className="px-0"
          disabled={!isUp}
          focusableWhenDisabled
          onClick={() => void actOnEnvironment('open', worktree)}
        >
          <ExternalLink size={12} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
          Open
        </Button>
      )}
      <IconButton
        label="Preview"
        icon={PanelBottom}
        size={26}
        pressed={isPreviewed}
        disabled={worktree.ports.length === 0 || !worktree.isThere}
        focusableWhenDisabled
        onClick={onPreview}
      />
      <IconButton
        label="Open a terminal"
        icon={SquareTerminal}
        size={26}
        onClick={() => void openTerminal(worktree.path)}
      />
    </div>
  )
}
