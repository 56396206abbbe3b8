/** The status bar: connection, usage and pending questions. */
import { useEffect } from 'react'
import type { AccessInfo } from '../../shared/models/model-access.ts'
import { untilText } from '../../shared/state/limit-wait.ts'
import { isWaiting, useHooks, useHooksOfFolder } from '../features/hooks/hooks-store.ts'
import { SandboxStatus } from '../features/sandbox/sandbox-status.tsx'
import { Spending } from '../features/status-bar/spending.tsx'
import { StatusLine } from '../features/status-bar/status-line.tsx'
import { UpdateNotice } from '../features/updates/update-notice.tsx'
import { useConversation, useTotals } from '../stores/conversation-store.ts'
import { isActive, useEnvironments, useEnvironmentsOfFolder } from '../stores/environments-store.ts'
import { useKeysOf } from '../stores/keys-store.ts'
import { useLimited } from '../stores/limits-store.ts'
import { MARKED, showServer, useMcp, useMcpOfFolder } from '../stores/mcp-store.ts'
import { showFailure, useViewStatus } from '../stores/overlay-store.ts'
import { useAsked } from '../stores/requests-store.ts'
import { goToReview, useSnapshot, waitingIn } from '../stores/review-store.ts'
import { loadDefinitions, setView, useSession } from '../stores/session-store.ts'
import { PACE_LABELS, setRehearsalPace, showSettingsPart } from '../stores/settings-store.ts'
import { Dot } from '../ui/dot.tsx'
import { shortcutText } from '../ui/kbd.tsx'
import { timeNow, useNow } from '../ui/machine.ts'
import { Segmented } from '../ui/segmented.tsx'
import { classNames } from '../ui/text/class-names.ts'
import { count, formatTokens } from '../ui/text/format.ts'
import { NoticeSlot } from './toasts.tsx'

interface StatusBarProps {
  /** Shows the pending questions. */
  readonly onShowRequests: () => void
}

export function StatusBar({ onShowRequests }: StatusBarProps) {
  const view = useSession((state) => state.view)
  const { start, end } = useViewStatus()
  return (
    <footer className="flex items-center gap-4 overflow-hidden whitespace-nowrap border-line border-t bg-bg-1 px-3 font-medium font-mono text-fg-2 text-xs">
      {start !== null && <span>{start}</span>}
      {view === 'review' && <RepositoryStatus />}
      <Connection />
      <RehearsalPaceControl />
      <Tokens />
      <Spending />
      <StatusLine />
      <span className="flex-1" />
      <McpStatus />
      <HooksStatus />
      <AgentsStatus />
      <TextsStatus />
      <SandboxStatus />
      {end !== null && <span className="min-w-0 truncate">{end}</span>}
      {view !== 'environments' && <FolderEnvironments />}
      {view !== 'review' && <WaitingWorktrees />}
      <UpdateNotice />
      <NoticeSlot />
      <RequestPill onShow={onShowRequests} />
    </footer>
  )
}

/** What waits for the user in all conversations: always at the right end. */
function RequestPill({ onShow }: { readonly onShow: () => void }) {
  const amount = useAsked().length
  const keysOf = useKeysOf()
  if (amount === 0) return null
  return (
    <button
      type="button"
      onClick={onShow}
      className="flex h-[1.1875rem] shrink-0 items-center gap-1.5 rounded-full bg-needs-you/18 px-2.5 font-sans font-semibold text-needs-you hover:bg-needs-you/28 focus-visible:-outline-offset-2"
    >
      <Dot status="needs-you" />
      {count(amount, 'request')}
      <span className="max-[899px]:hidden" aria-hidden="true">
        <span className="rounded-[4px] border border-needs-you/40 px-1 font-medium font-mono text-2xs">
          {shortcutText(keysOf('requests') ?? '')}
        </span>
      </span>
    </button>
  )
}

function Connection() {
  const access = useSession((state) => state.access)
  const retries = useConversation((state) => [...state.agents.values()].some((agent) => agent.retry !== null))
  const rehearsed = useConversation((state) => state.record?.rehearsal === true)
  const rehearsal = rehearsed || access.kind === 'rehearsal'
  const refused = rehearsal ? undefined : access.refused
  const source = rehearsal ? 'rehearsal: a script, not a model' : connectionText(access)
  const limited = useLimited()
  const now = useNow(limited !== null)
  const start =
    limited !== null
      ? limitText(limited, now)
      : retries
        ? 'retrying'
        : refused === undefined
          ? source
          : `${source}: access refused`
  return (
    <button
      type="button"
      onClick={() => showSettingsPart('access')}
      title={
        refused === undefined ? 'Model access settings' : `${refused} Open the settings of model access.`
      }
      className="flex min-w-0 items-center gap-1.5 truncate hover:text-fg-0 focus-visible:-outline-offset-2"
    >
      <span
        aria-hidden="true"
        className={classNames(
          'size-1.5 shrink-0 rounded-full',
          retries || refused !== undefined
            ? 'bg-bad'
            : rehearsal || access.kind === 'none'
              ? 'border border-fg-2'
              : 'bg-ok',
        )}
      />
      <span className="truncate">{start}</span>
    </button>
  )
}

function limitText({ agents, until }: NonNullable<ReturnType<typeof useLimited>>, now: number): string {
  return `Rate limited until ${untilText(until, Math.max(now, timeNow()))} · ${count(agents, 'agent')}`
}

function connectionText(access: AccessInfo): string {
  switch (access.kind) {
    case 'api':
      return access.baseUrl === '' ? 'Anthropic API' : hostOf(access.baseUrl)
    case 'rehearsal':
      return 'rehearsal: a script, not a model'
    case 'none':
      return 'no model access'
  }
}

function Tokens() {
  const { tokens, cachedShare } = useTotals()
  if (tokens === 0) return null
  return (
    <span>
      {formatTokens(tokens)} tokens{cachedShare !== null && ` · cache ${Math.round(cachedShare * 100)}%`}
    </span>
  )
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** MCP servers that failed or wait for the user, as buttons that show them. */
function McpStatus() {
  useMcpOfFolder()
  const servers = useMcp((store) => store.state?.servers)
  if (servers === undefined) return null
  const failed = servers.filter(MARKED.failed)
  const waiting = servers.filter(MARKED.waiting)
  const [firstFailed] = failed
  const [firstWaiting] = waiting
  return (
    <>
      {firstFailed !== undefined && (
        <button
          type="button"
          onClick={() => showServer(firstFailed.name)}
          className="max-w-72 truncate text-bad hover:underline focus-visible:-outline-offset-2"
        >
          {failed.length === 1 ? `${firstFailed.name} failed` : `${failed.length} servers failed`}
        </button>
      )}
      {firstWaiting !== undefined && (
        <button
          type="button"
          onClick={() => showServer(firstWaiting.name)}
          className="text-needs-you hover:underline focus-visible:-outline-offset-2"
        >
          {count(waiting.length, 'server waits', 'servers wait')} for you
        </button>
      )}
    </>
  )
}

/** Agents of the project that wait for the user, as a button that shows them. */
function AgentsStatus() {
  const waiting = useSession((state) => state.definitionProblems.filter(({ waits }) => waits).length)
  if (waiting === 0) return null
  return (
    <button
      type="button"
      onClick={() => setView('agents')}
      className="text-needs-you hover:underline focus-visible:-outline-offset-2"
    >
      {count(waiting, 'agent waits', 'agents wait')} for you
    </button>
  )
}

/** Hooks that wait for the user, as a button that shows them. */
function HooksStatus() {
  useHooksOfFolder()
  const waiting = useHooks((store) => store.state?.entries.filter(isWaiting).length ?? 0)
  if (waiting === 0) return null
  return (
    <button
      type="button"
      onClick={() => showSettingsPart('hooks')}
      className="text-needs-you hover:underline focus-visible:-outline-offset-2"
    >
      {count(waiting, 'hook waits', 'hooks wait')} for you
    </button>
  )
}

/** Instructions that changed and wait for the user, as a button that shows them. */
function TextsStatus() {
  const waiting = useSession((state) => state.waitingTexts)
  const folder = useSession((state) => state.folder?.path ?? null)
  useEffect(() => {
    if (folder === null) return
    // Another program, such as git, may have changed the files.
    const load = () => void loadDefinitions(folder)
    window.addEventListener('focus', load)
    return () => window.removeEventListener('focus', load)
  }, [folder])
  if (waiting === 0) return null
  return (
    <button
      type="button"
      onClick={() => showSettingsPart('permissions')}
      className="text-needs-you hover:underline focus-visible:-outline-offset-2"
    >
      {count(waiting, 'instruction waits', 'instructions wait')} for you
    </button>
  )
}

/** Where the folder has worktrees, their environments are followed. */
function FolderEnvironments() {
  const hasWorktrees = (useSnapshot()?.worktrees.length ?? 0) > 0
  return hasWorktrees && <RunningEnvironments />
}

/** Opens Environments; renders nothing while none runs. */
function RunningEnvironments() {
  useEnvironmentsOfFolder()
  const running = useEnvironments(({ snapshot }) => snapshot?.worktrees.filter(isActive).length ?? 0)
  if (running === 0) return null
  return (
    <button
      type="button"
      title="Open Environments"
      onClick={() => setView('environments')}
      className="hover:text-fg-0 hover:underline focus-visible:-outline-offset-2"
    >
      {count(running, 'environment')} running
    </button>
  )
}

/** Opens Review; renders nothing without unmerged worktrees. */
function WaitingWorktrees() {
  const waiting = waitingIn(useSnapshot()).length
  if (waiting === 0) return null
  return (
    <button
      type="button"
      title="Open Review"
      onClick={() => goToReview(null)}
      className="hover:text-fg-0 hover:underline focus-visible:-outline-offset-2"
    >
      {count(waiting, 'worktree')} to review
    </button>
  )
}

function RepositoryStatus() {
  const snapshot = useSnapshot()
  if (snapshot === null || snapshot.problem !== null) return null
  const { worktrees, current, ahead } = snapshot
  return (
    <>
      <span>{count(worktrees.length, 'worktree')}</span>
      {current === null ? (
        <span>no branch checked out</span>
      ) : (
        ahead !== null &&
        ahead > 0 && (
          <span className="min-w-0 truncate">
            {current} is {count(ahead, 'commit')} ahead of origin
          </span>
        )
      )}
    </>
  )
}

/** The pace of the rehearsal, which takes effect at once. */
function RehearsalPaceControl() {
  const isPaced = useSession((state) => state.access.isPaced === true)
  const rehearsed = useConversation((state) => state.record?.rehearsal)
  const pace = useSession((state) => state.settings.rehearsalPace)
  if (!isPaced || rehearsed === false) return null
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      pace
      <Segmented
        label="Pace of the rehearsal"
        value={pace}
        options={PACE_LABELS}
        onChange={(next) =>
          void setRehearsalPace(next).then((answer) => {
            if (!answer.ok) showFailure(answer.failure)
          })
        }
        className="[&>*]:px-1.5 [&>*]:text-xs [&>*]:leading-[1.125rem]"
      />
    </span>
  )
}
