/** The agents of the conversation as a list of reports, beside the answer: what each found, changed and cost. */
import { type KeyboardEvent, memo, type ReactNode, useMemo, useState } from 'react'
import { changesTotalsOf } from '../../../shared/changes/changes-amounts.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { nameText } from '../../../shared/state/agent-names.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { ACTION_LABELS, actOn, useBusyAction, useOfferedActions } from '../../stores/agent-actions.ts'
import { openChanges, useChanges } from '../../stores/changes-store.ts'
import { useAgentName, useConversation, useMainAgentId, useTotals } from '../../stores/conversation-store.ts'
import { focusComposer } from '../../stores/draft-store.ts'
import { goToReview, useSnapshot, waitingIn } from '../../stores/review-store.ts'
import { revealAgent } from '../../stores/stage-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { useNow } from '../../ui/machine.ts'
import { SelectMenu } from '../../ui/menu.tsx'
import { agentElapsed, markOf } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatDuration, formatTokens, moneyText } from '../../ui/text/format.ts'
import {
  filesByAgent,
  orderedReports,
  type ReportedFile,
  type ReportOrder,
  sentenceOf,
  unfinishedText,
} from './report-entries.ts'

const ORDER_LABELS: Readonly<Record<ReportOrder, string>> = {
  start: 'By start',
  time: 'Longest first',
  cost: 'Most expensive first',
  problems: 'Unfinished first',
}

/** Files of one agent that are listed; more are behind a link. */
const LISTED_FILES = 4

/** @param lead shown first in the bar */
export function Reports({ lead }: { readonly lead?: ReactNode }) {
  const agents = useConversation((state) => state.agents)
  const list = useChanges((state) => state.list)
  const [order, setOrder] = useState<ReportOrder>('start')
  const isWorking = useMemo(() => [...agents.values()].some(isLive), [agents])
  const now = useNow(isWorking)
  const reports = useMemo(() => orderedReports(agents.values(), order, now), [agents, order, now])
  const files = useMemo(() => filesByAgent(list), [list])
  return (
    <section
      aria-label="Reports"
      onKeyDown={onKeyDown}
      className="flex min-h-0 min-w-0 flex-1 flex-col bg-bg-1"
    >
      <div className="flex h-9 shrink-0 items-center gap-2 border-line border-b px-3">
        {lead}
        <h2 className="font-semibold text-fg-0 text-sm">Reports</h2>
        <span className="font-mono text-fg-2 text-xs">{reports.length}</span>
        <span className="flex-1" />
        <SelectMenu
          label="Order of reports"
          value={order}
          options={(Object.keys(ORDER_LABELS) as ReportOrder[]).map((value) => ({
            value,
            label: ORDER_LABELS[value],
          }))}
          onChange={setOrder}
        />
      </div>
      <ul className="min-h-0 flex-1 overflow-y-auto">
        {reports.map((agent) => (
          <Report key={agent.id} agent={agent} files={files.get(agent.id) ?? NO_FILES} now={now} />
        ))}
      </ul>
      <TotalsFoot now={now} />
    </section>
  )
}

const NO_FILES: readonly ReportedFile[] = []

/** Up and down move between the reports; Escape goes to the composer. */
function onKeyDown(event: KeyboardEvent<HTMLElement>): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  if (event.key === 'Escape') focusComposer()
  else {
    const step = STEPS[event.key]
    if (step === undefined || !(event.target instanceof HTMLElement)) return
    const titles = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-report]')]
    const now = titles.findIndex((title) => title.closest('li')?.contains(event.target as Node))
    if (now === -1) return
    titles[Math.max(0, Math.min(titles.length - 1, now + step))]?.focus()
  }
  event.preventDefault()
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  j: 1,
  ArrowUp: -1,
  k: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

interface ReportProps {
  readonly agent: AgentState
  readonly files: readonly ReportedFile[]
  readonly now: number
}

const Report = memo(function Report({ agent, files, now }: ReportProps) {
  const name = useAgentName(agent.id)
  const problem = unfinishedText(agent)
  const listed = files.slice(0, LISTED_FILES)
  const more = files.length - listed.length
  return (
    <li
      style={agentStyle(agent.definition.color)}
      className="grid grid-cols-[14px_minmax(0,1fr)] gap-x-2 border-line border-b py-2.5 pr-3.5 pl-3 text-sm leading-[17px] [contain-intrinsic-height:56px] [content-visibility:auto] focus-within:bg-bg-2 hover:bg-bg-2"
    >
      <Dot status={markOf(agent)} className="mt-[5px] justify-self-center" />
      <div className="flex min-w-0 items-baseline gap-2">
        <h3 className="min-w-0 flex-1 font-semibold text-fg-0">
          <button
            type="button"
            data-report={agent.id}
            title="Open panel"
            onClick={() => revealAgent(agent.id)}
            className="w-full rounded-xs text-left [overflow-wrap:anywhere]"
          >
            {nameText(name)}
          </button>
        </h3>
        <span className="shrink-0 font-mono text-fg-2 text-xs">
          {formatDuration(agentElapsed(agent, now))}
          {agent.costUsd > 0 && ` · ${moneyText(agent.costUsd, agent.priced)}`}
        </span>
      </div>
      <p className="col-start-2 line-clamp-3 text-fg-1 [overflow-wrap:anywhere]">
        {problem !== null && (
          <span className={classNames(markOf(agent) === 'failed' ? 'text-bad' : 'text-fg-1')}>
            {problem}{' '}
          </span>
        )}
        {makeVisible(sentenceOf(agent))} {problem !== null && <TryAgain agent={agent} />}
      </p>
      {listed.length > 0 && (
        <ul aria-label="Changed files" className="col-start-2 mt-[3px] font-mono text-xs leading-[18px]">
          {listed.map((file) => (
            <FileLine key={file.path} file={file} />
          ))}
          {more > 0 && (
            <li>
              <LinkButton onClick={() => openChanges(files[LISTED_FILES]?.path ?? null)}>
                {count(more, 'more file')}
              </LinkButton>
            </li>
          )}
        </ul>
      )}
    </li>
  )
})

/** A path is cut at its beginning: the file's name always shows. */
function FileLine({ file }: { readonly file: ReportedFile }) {
  const { path, shown, added, removed } = file
  const folder = shown.slice(0, shown.lastIndexOf('/') + 1)
  return (
    <li>
      <button
        type="button"
        title={`Show the changes of ${shown}`}
        onClick={() => openChanges(path)}
        className="flex w-full min-w-0 items-baseline rounded-xs text-left text-fg-1 hover:text-fg-0"
      >
        <span className="min-w-0 truncate">{makeVisible(folder)}</span>
        <span className="shrink-0 whitespace-pre">{makeVisible(shown.slice(folder.length))}</span>
        <LineAmounts added={added} removed={removed} />
      </button>
    </li>
  )
}

function LineAmounts({ added, removed }: { readonly added: number; readonly removed: number }) {
  return (
    <span className="ml-auto shrink-0 pl-2">
      {added > 0 && <span className="text-ok">+{added}</span>}{' '}
      {removed > 0 && <span className="text-bad">−{removed}</span>}
    </span>
  )
}

function TryAgain({ agent }: { readonly agent: AgentState }) {
  const action = useOfferedActions(agent.id).find((one) => one === 'resume' || one === 'continue')
  const isBusy = useBusyAction(agent.id) !== null
  if (action === undefined || isBusy) return null
  return (
    <LinkButton onClick={() => void actOn(agent.id, action)}>
      {agent.status === 'failed' ? 'Try again' : ACTION_LABELS[action].label}
    </LinkButton>
  )
}

/** What all agents together changed, took and cost, and the way to what waits for the user. */
function TotalsFoot({ now }: { readonly now: number }) {
  const list = useChanges((state) => state.list)
  const mainAgentId = useMainAgentId()
  const agents = useConversation((state) => state.agents)
  const { tokens, costUsd, priced } = useTotals()
  const snapshot = useSnapshot()
  const waiting = useMemo(
    () => waitingIn(snapshot).filter(({ agentId }) => agents.has(agentId)),
    [snapshot, agents],
  )
  const main = mainAgentId === null ? undefined : agents.get(mainAgentId)
  const changes = list === null ? null : changesTotalsOf(list)
  const [first] = waiting
  return (
    <div className="grid shrink-0 gap-2.5 border-line-strong border-t px-3.5 py-3 text-sm">
      <dl className="grid grid-cols-[1fr_auto] gap-x-2.5 gap-y-[3px] [&_dd]:text-right [&_dd]:font-mono [&_dd]:text-xs [&_dd]:leading-[18px] [&_dt]:text-fg-2">
        {changes !== null && changes.files > 0 && (
          <>
            <dt>
              {count(changes.files, 'file')}
              {waiting.length > 0 && ` in ${count(waiting.length, 'worktree')}`}
            </dt>
            <dd>
              <LineAmounts added={changes.added} removed={changes.removed} />
            </dd>
          </>
        )}
        {main !== undefined && (
          <>
            <dt>Time</dt>
            <dd className="text-fg-0">{formatDuration(agentElapsed(main, now))}</dd>
          </>
        )}
        <dt>Total</dt>
        <dd className="text-fg-0">
          {formatTokens(tokens)} tokens{(costUsd > 0 || !priced) && ` · ${moneyText(costUsd, priced)}`}
        </dd>
      </dl>
      {first !== undefined && (
        <Button
          variant="primary"
          size="md"
          className="[&>span]:border-current [&>span]:text-inherit"
          onClick={() => goToReview(first.id)}
        >
          Review {count(waiting.length, 'worktree')}
          <Kbd keys="Mod 4" />
        </Button>
      )}
    </div>
  )
}
