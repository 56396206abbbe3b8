/** The cells of an attempt: the result of its check, the size of its change, cost and time, and its report. */
import { CircleCheck, CircleHelp, CircleX, Clock } from 'lucide-react'
import { useId, useState } from 'react'
import { needsUser } from '../../../shared/state/agent-state.ts'
import type { AttemptRow } from '../../../shared/state/comparison-rows.ts'
import { mergeCheckText } from '../../../shared/worktrees/format-work.ts'
import type { ReviewFile } from '../../../shared/worktrees/review.ts'
import { useAgent } from '../../stores/conversation-store.ts'
import { goToReview, selectPath } from '../../stores/review-store.ts'
import { Button } from '../../ui/button.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { agentText } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatDuration, formatMoney, formatTokens } from '../../ui/text/format.ts'
import { PathText } from '../../ui/text/visible-text.tsx'
import { attemptStatusText, checkText } from './attempt-text.ts'

interface CellProps {
  readonly row: AttemptRow
}

/** What the agent does, or how it ended. */
export function StateText({ row }: CellProps) {
  const agent = useAgent(row.agentId)
  const isAsking = row.isLive && agent !== undefined && needsUser(agent)
  return (
    <span className={classNames('mt-1 block truncate text-xs', isAsking ? 'text-needs-you' : 'text-fg-1')}>
      {row.isLive && agent !== undefined ? agentText(agent) : attemptStatusText(row)}
    </span>
  )
}

const SIGNS = {
  passed: { icon: CircleCheck, color: 'text-ok' },
  failed: { icon: CircleX, color: 'text-bad' },
  waiting: { icon: Clock, color: 'text-fg-2' },
  'not-run': { icon: CircleHelp, color: 'text-fg-1' },
} as const

/** The command with its result, and the output on request; that of a failed check at once. */
export function Checks({ row, command }: CellProps & { readonly command: string | null }) {
  const { check } = row
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isOpen = chosen ?? check?.state === 'failed'
  const id = useId()
  if (command === null) return <p className="text-fg-2">not checked</p>
  const hasOutput = check !== null && check.output !== ''
  return (
    <div className="grid gap-1">
      <p className="flex min-w-0 items-center gap-2">
        <code className="min-w-0 flex-1 truncate font-mono text-fg-1 text-xs" title={command}>
          {command}
        </code>
        <Result row={row} />
      </p>
      {check === null && <p className="text-fg-2 text-xs">{whyNoResult(row)}</p>}
      {check !== null && check.because !== null && (
        <p className="text-fg-1 text-xs wrap-anywhere">{check.because}</p>
      )}
      {check?.changedFiles === true && (
        <p className="text-needs-you text-xs">
          The check changed files in the worktree. A merge takes them along.
        </p>
      )}
      {hasOutput && (
        <div>
          <Button
            variant="quiet"
            className="-ml-2"
            aria-expanded={isOpen}
            aria-controls={id}
            onClick={() => setChosen(!isOpen)}
          >
            {isOpen ? 'Hide output' : 'Show output'}
            {check.ms > 0 && <span className="text-fg-2">{formatDuration(check.ms)}</span>}
          </Button>
          <pre
            id={id}
            hidden={!isOpen}
            // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls must be reachable from the keyboard
            tabIndex={0}
            data-selectable=""
            className="max-h-36 overflow-y-auto whitespace-pre-wrap rounded-sm bg-bg-2 px-2 py-1 font-mono text-fg-1 text-xs wrap-anywhere"
          >
            {check.isCut ? '…\n' : ''}
            {check.output}
          </pre>
        </div>
      )}
    </div>
  )
}

/** The result of the check, with a sign that does not need the color. */
function Result({ row }: CellProps) {
  const text = checkText(row)
  const state = row.check?.state
  if (text === null) return <span className="text-fg-2">–</span>
  if (state === undefined) return <span className="shrink-0 text-fg-2">{text}</span>
  const { icon: Icon, color } = SIGNS[state === 'running' ? 'waiting' : state]
  return (
    <span
      className={classNames(
        'inline-flex shrink-0 items-center gap-1.5',
        state === 'running' ? 'text-fg-1' : color,
      )}
    >
      {state === 'running' ? (
        <Spinner size={11} />
      ) : (
        <Icon size={13} strokeWidth={1.75} aria-hidden="true" className="shrink-0" />
      )}
      {text}
    </span>
  )
}

function whyNoResult({ isLive, work }: AttemptRow): string {
  if (isLive) return 'It runs when the agent has ended.'
  return work?.files === 0 ? 'The agent changed nothing to check.' : 'It was not run.'
}

/** A fact that speaks for an attempt. */
function Tag({ children }: { readonly children: string }) {
  return <span className="rounded-[4px] border border-ok/50 px-1.5 text-ok text-xs">{children}</span>
}

interface SizeProps extends CellProps {
  /** Empty until they are loaded. */
  readonly files: readonly ReviewFile[]
  readonly isSmallest: boolean
}

/** Files that are listed; Review has all of them. */
const MOST_FILES = 5

export function Size({ row: { agentId, work, isLive, isMerged }, files, isSmallest }: SizeProps) {
  const agent = useAgent(agentId)
  const check = agent?.work?.check ?? null
  const worktreeId = agent?.worktree?.id ?? null
  const open = (path: string) => {
    if (worktreeId === null) return
    selectPath(worktreeId, path)
    goToReview(worktreeId)
  }
  if (work === null) return <p className="text-fg-2">{isLive ? 'Counted at the end.' : '–'}</p>
  if (work.files === 0) return <p className="text-fg-2">No changes</p>
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-1">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-mono text-xs">
        <span className="font-sans font-semibold text-fg-0 text-sm">{count(work.files, 'file')}</span>
        {work.insertions > 0 && <span className="text-ok">+{work.insertions}</span>}
        {work.deletions > 0 && <span className="text-bad">−{work.deletions}</span>}
        {isSmallest && <Tag>smallest</Tag>}
      </p>
      {files.length > 0 && (
        <ul aria-label="Changed files" className="font-mono text-xs leading-[18px]">
          {files.slice(0, MOST_FILES).map(({ path, insertions, deletions }) => (
            <li key={path}>
              <button
                type="button"
                title={`Open ${path} in Review`}
                onClick={() => open(path)}
                className="flex w-full gap-2 rounded-xs text-left text-fg-1 hover:text-fg-0"
              >
                <PathText path={path} />
                <span className="ml-auto shrink-0">
                  {(insertions ?? 0) > 0 && <span className="text-ok">+{insertions}</span>}{' '}
                  {(deletions ?? 0) > 0 && <span className="text-bad">−{deletions}</span>}
                </span>
              </button>
            </li>
          ))}
          {files.length > MOST_FILES && (
            <li className="text-fg-2">{count(files.length - MOST_FILES, 'more file')}</li>
          )}
        </ul>
      )}
      {!isMerged && check !== null && <p className="text-fg-2 text-xs">{mergeCheckText(check)}</p>}
    </div>
  )
}

export function CostAndTime({ row, isCheapest }: CellProps & { readonly isCheapest: boolean }) {
  const { ms, tokens, costUsd } = row
  const turns = useAgent(row.agentId)?.turns ?? 0
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 font-mono text-fg-1 text-xs">
      <Amount name="Cost">{costUsd === null ? null : formatMoney(costUsd)}</Amount>
      <span aria-hidden="true">·</span>
      <Amount name="Time">{ms === 0 ? null : formatDuration(ms)}</Amount>
      <span aria-hidden="true">·</span>
      <Amount name="Turns">{turns === 0 ? null : count(turns, 'turn')}</Amount>
      <span aria-hidden="true">·</span>
      <Amount name="Tokens">{tokens === null ? null : `${formatTokens(tokens)} tokens`}</Amount>
      {isCheapest && <Tag>cheapest</Tag>}
    </p>
  )
}

/** Null: not told. */
function Amount({ name, children }: { readonly name: string; readonly children: string | null }) {
  return children === null ? (
    <span title={`${name}: not reported`}>–</span>
  ) : (
    <span title={name}>{children}</span>
  )
}

/** Longer reports are cut until the user asks for all. */
const LONG_REPORT = 420

export function Approach({ row: { failure, report, isLive } }: CellProps) {
  const [isWhole, setWhole] = useState(false)
  if (failure !== null)
    return (
      <p className="text-bad wrap-anywhere" data-selectable="">
        {failure}
      </p>
    )
  if (report === '')
    return <p className="text-fg-2">{isLive ? 'The report comes at the end.' : 'There is no report.'}</p>
  const isLong = report.length > LONG_REPORT
  return (
    <>
      <p className="whitespace-pre-wrap text-fg-1 wrap-anywhere" dir="auto" data-selectable="">
        {isLong && !isWhole ? `${report.slice(0, LONG_REPORT).trimEnd()}…` : report}
      </p>
      {isLong && (
        <Button variant="quiet" className="-ml-2" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : 'Show all'}
        </Button>
      )}
    </>
  )
}
