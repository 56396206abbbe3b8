/** The pull request of a worktree: its state, checks and comments, and what can be done next. */
import {
  Check,
  CircleDashed,
  ExternalLink,
  GitMerge,
  GitPullRequest,
  GitPullRequestClosed,
  GitPullRequestDraft,
  RefreshCw,
  SkipForward,
  X,
} from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import {
  checksText,
  mergeWaits,
  type PullRequest,
  type PullRequestCheck,
  type PullRequestView,
} from '../../../shared/pull-requests/pull-request.ts'
import { openLink } from '../../stores/overlay-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { count, formatClock, formatDuration } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { PullRequestComments } from './pull-request-comments.tsx'
import {
  actOnCheck,
  loadLog,
  loadPullRequest,
  type PullRequestKey,
  pullKeyOf,
  showPush,
  usePullRequests,
  useWatchedPullRequest,
} from './pull-request-store.ts'

interface PanelProps extends PullRequestKey {
  /** Null: the panel can't be closed. */
  readonly onClose: (() => void) | null
  /** The key that closes it. */
  readonly closeKey?: string
}

/** Watches the pull request while it is shown. Any view can place it beside a worktree; `PushDialog` belongs to it. */
export function PullRequestPanel({ folder, id, onClose, closeKey = 'R' }: PanelProps) {
  const key = { folder, id }
  useWatchedPullRequest(key)
  const view = usePullRequests((state) => state.views[pullKeyOf(key)] ?? null)
  const failure = usePullRequests((state) => state.failures[pullKeyOf(key)] ?? null)
  const url = view?.pull?.url ?? null
  return (
    <aside
      aria-label="Pull request"
      className="flex h-full w-[23.25rem] flex-col border-line border-l bg-bg-1"
    >
      <div className="flex h-9 shrink-0 items-center gap-1 border-line border-b pr-2 pl-4">
        <h2 className="flex-1 font-semibold text-fg-0 text-md">Pull request</h2>
        <IconButton icon={RefreshCw} label="Ask again" onClick={() => void loadPullRequest(key, true)} />
        <IconButton
          icon={ExternalLink}
          label="Open in the browser"
          disabled={url === null}
          focusableWhenDisabled
          onClick={() => url !== null && void openLink(url)}
        />
        {onClose !== null && <IconButton icon={X} label="Close" keys={closeKey} onClick={onClose} />}
      </div>
      {view === null ? (
        failure === null ? (
          <p role="status" className="flex items-center gap-2 p-4 text-fg-1 text-sm">
            <Spinner /> Asking…
          </p>
        ) : (
          <p role="alert" className="p-4 text-fg-1 text-sm">
            {failure}
          </p>
        )
      ) : view.pull === null ? (
        <NoPullRequest pushKey={key} view={view} />
      ) : (
        <ShownPullRequest key={pullKeyOf(key)} pushKey={key} view={view} pull={view.pull} />
      )}
    </aside>
  )
}

interface NoPullRequestProps {
  readonly pushKey: PullRequestKey
  readonly view: PullRequestView
}

function NoPullRequest({ pushKey, view: { forge, problem, branch, pushedAt, toPush } }: NoPullRequestProps) {
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <EmptyState
        title={branch === null ? 'No pull request' : `Pushed to ${branch}`}
        actions={
          <Button
            variant="primary"
            disabled={forge === null && branch === null && problem !== null}
            focusableWhenDisabled
            onClick={() => showPush(pushKey)}
          >
            {branch === null ? 'Push and open…' : toPush > 0 ? `Push ${count(toPush, 'commit')}…` : 'Open…'}
          </Button>
        }
      >
        {problem ??
          (pushedAt === null
            ? 'You see everything that a push would send before it is sent.'
            : `Pushed ${formatClock(pushedAt)}. ${forge?.name ?? 'The remote'} has no pull request for it.`)}
      </EmptyState>
    </div>
  )
}

interface ShownProps extends NoPullRequestProps {
  readonly pull: PullRequest
}

function ShownPullRequest({ pushKey, view, pull }: ShownProps) {
  const { problem, sent, pushedAt, toPush, forge } = view
  const waits = mergeWaits(pull)
  const isOpen = pull.state === 'open' || pull.state === 'draft'
  const { url } = pull
  return (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto" data-selectable="">
        <header className="grid gap-1 border-line border-b px-4 py-3 text-sm">
          <p className="flex items-center gap-2">
            <StateMark state={pull.state} />
            <span className="font-mono text-fg-1 text-xs">#{pull.number}</span>
          </p>
          <h3 className="font-semibold text-fg-0 text-md wrap-anywhere" dir="auto">
            <VisibleText>{pull.title}</VisibleText>
          </h3>
          <p className="text-fg-1 text-xs wrap-anywhere">
            <code className="font-mono">
              <VisibleText>{pull.branch}</VisibleText>
            </code>{' '}
            into{' '}
            <code className="font-mono">
              <VisibleText>{pull.base}</VisibleText>
            </code>
          </p>
          <Size pull={pull} pushedAt={pushedAt} />
        </header>
        {problem !== null && (
          <p role="status" className="border-line border-b px-4 py-2 text-fg-1 text-sm">
            {problem} This is what was known before.
          </p>
        )}
        <Section title="Checks" aside={checksText(pull.checks)}>
          {pull.checks.length > 0 && (
            <ul className="grid gap-1">
              {pull.checks.map((check, index) => (
                <CheckRow
                  key={check.id}
                  pushKey={pushKey}
                  check={check}
                  wasSent={sent.includes(check.id)}
                  showsLog={index < MOST_LOGS}
                />
              ))}
            </ul>
          )}
        </Section>
        <PullRequestComments pushKey={pushKey} comments={pull.comments} forge={forge?.name ?? 'the forge'} />
      </div>
      <footer className="grid shrink-0 gap-2 border-line border-t px-4 py-3">
        <p className="text-fg-1 text-xs">{mergedText(view, waits)}</p>
        <div className="grid grid-cols-2 gap-1.5">
          <Button
            size="md"
            disabled={toPush === 0 || !isOpen}
            focusableWhenDisabled
            onClick={() => showPush(pushKey)}
          >
            {toPush === 0 ? 'Nothing to push' : `Push ${count(toPush, 'commit')}…`}
          </Button>
          <Button
            size="md"
            disabled={url === null || !isOpen || waits !== null}
            focusableWhenDisabled
            onClick={() => url !== null && void openLink(url)}
          >
            Merge at {forge?.name ?? 'the forge'}
            <ExternalLink size={12} aria-hidden="true" />
          </Button>
        </div>
      </footer>
    </>
  )
}

/** Logs of failed checks that are read without a press. */
const MOST_LOGS = 3

/** Above the buttons: why merging waits, or what becomes of the worktree. */
function mergedText({ pull, nothingMissing, toPush }: PullRequestView, waits: string | null): string {
  if (pull?.state !== 'merged') return waits ?? 'Nothing is in the way of merging, as far as is known here.'
  if (nothingMissing) return 'Merged, with everything of this worktree.'
  return toPush > 0
    ? `Merged. The worktree stays: ${count(toPush, 'commit')} of it ${toPush === 1 ? 'is' : 'are'} not in it.`
    : 'Merged. The worktree stays until you discard it.'
}

function Size({ pull, pushedAt }: { readonly pull: PullRequest; readonly pushedAt: number | null }) {
  const { commits, files, insertions, deletions } = pull
  const parts = [
    ...(commits === null ? [] : [count(commits, 'commit')]),
    ...(files === null ? [] : [count(files, 'file')]),
  ]
  return (
    <p className="text-fg-1 text-xs">
      {parts.join(' · ')}
      {insertions !== null && deletions !== null && (
        <>
          {' · '}
          <span className="text-ok">+{insertions}</span> <span className="text-bad">−{deletions}</span>
        </>
      )}
      {pushedAt !== null && `${parts.length > 0 ? ' · ' : ''}pushed ${formatClock(pushedAt)}`}
    </p>
  )
}

const STATES = {
  open: { icon: GitPullRequest, label: 'Open', tone: 'text-ok' },
  draft: { icon: GitPullRequestDraft, label: 'Draft', tone: 'text-fg-1' },
  merged: { icon: GitMerge, label: 'Merged', tone: 'text-ok' },
  closed: { icon: GitPullRequestClosed, label: 'Closed', tone: 'text-bad' },
} as const

function StateMark({ state }: { readonly state: PullRequest['state'] }) {
  const { icon: Icon, label, tone } = STATES[state]
  return (
    <span className="inline-flex h-5 items-center gap-1.5 rounded-full border border-line-strong px-2 text-fg-0 text-xs">
      <Icon size={12} className={tone} aria-hidden="true" />
      {label}
    </span>
  )
}

interface SectionProps {
  readonly title: string
  readonly aside: string
  readonly children: ReactNode
}

function Section({ title, aside, children }: SectionProps) {
  return (
    <section aria-label={title} className="grid gap-2 px-4 pt-3 pb-1 text-sm">
      <div className="flex items-baseline justify-between">
        <h3 className="font-semibold text-fg-0 text-sm">{title}</h3>
        <span className="text-fg-1 text-xs">{aside}</span>
      </div>
      {children}
    </section>
  )
}

function CheckMark({ state }: { readonly state: PullRequestCheck['state'] }) {
  if (state === 'running') return <Spinner size={12} />
  const Icon =
    state === 'passed' ? Check : state === 'failed' ? X : state === 'skipped' ? SkipForward : CircleDashed
  const tone = state === 'passed' ? 'text-ok' : state === 'failed' ? 'text-bad' : 'text-fg-2'
  return <Icon size={13} className={`shrink-0 ${tone}`} aria-hidden="true" />
}

interface CheckRowProps {
  readonly pushKey: PullRequestKey
  readonly check: PullRequestCheck
  readonly wasSent: boolean
  /** Whether the log of a failed check is read at once. */
  readonly showsLog: boolean
}

function CheckRow({ pushKey, check, wasSent, showsLog }: CheckRowProps) {
  const { name, state, ms, url } = check
  return (
    <li>
      <div className="flex h-6 items-center gap-2">
        <CheckMark state={state} />
        <span className="min-w-0 flex-1 truncate text-fg-0" title={name}>
          <VisibleText>{name}</VisibleText>
          <span className="sr-only">, {state}</span>
        </span>
        <span className="font-mono text-fg-1 text-xs">{ms === null ? '' : formatDuration(ms)}</span>
        {url !== null && (
          <IconButton
            icon={ExternalLink}
            label={`Open ${name} in the browser`}
            onClick={() => void openLink(url)}
          />
        )}
      </div>
      {state === 'failed' && <FailedCheck {...{ pushKey, check, wasSent, showsLog }} />}
    </li>
  )
}

/** Lines of a log that are shown at once. */
const SHORT = 8

function FailedCheck({ pushKey, check, wasSent, showsLog }: CheckRowProps) {
  const log = usePullRequests((state) => state.logs[`${pullKeyOf(pushKey)}\n${check.id}`])
  const [isWhole, setWhole] = useState(false)
  const { folder, id } = pushKey
  const wanted = check.hasLog && (showsLog || isWhole)
  useEffect(() => {
    if (wanted) void loadLog({ folder, id }, check.id)
  }, [wanted, folder, id, check.id])
  const lines = log?.text.split('\n') ?? []
  return (
    <div className="mt-1 mb-2 overflow-hidden rounded-md border border-bad/60 bg-bg-0">
      {check.hasLog && log !== undefined && (
        <pre className="max-h-40 overflow-hidden whitespace-pre-wrap px-2.5 py-2 font-mono text-fg-1 text-xs wrap-anywhere">
          {log === null
            ? 'Reading the log…'
            : lines
                .filter((line) => line.trim() !== '')
                .slice(-SHORT)
                .join('\n')}
        </pre>
      )}
      {!check.hasLog && (
        <p className="px-2.5 py-2 text-fg-1 text-xs">Its log can be read only on its own page.</p>
      )}
      <div className="flex flex-wrap gap-1.5 border-line border-t px-2 py-1.5">
        <Button onClick={(event) => event.detail < 2 && void actOnCheck(pushKey, 'sendCheck', check)}>
          {wasSent ? 'Send again' : 'Send to agent'}
        </Button>
        {check.hasLog && <Button onClick={() => setWhole(true)}>Full log</Button>}
        {check.hasLog && (
          <Button onClick={(event) => event.detail < 2 && void actOnCheck(pushKey, 'rerun', check)}>
            Run again
          </Button>
        )}
        {wasSent && <span className="self-center text-fg-1 text-xs">Sent</span>}
      </div>
      <Dialog open={isWhole} onClose={() => setWhole(false)} title={`Log of ${check.name}`} width={760}>
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
          tabIndex={0}
          aria-label="Log"
          data-selectable=""
          className="max-h-[50vh] overflow-y-auto rounded-md bg-bg-0 p-3"
        >
          <pre className="whitespace-pre-wrap font-mono text-fg-1 text-xs wrap-anywhere">
            {log?.text ?? 'Reading the log…'}
          </pre>
        </section>
      </Dialog>
    </div>
  )
}
