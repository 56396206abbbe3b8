/** One row for each attempt: state, check, time, tokens, cost and changes. */
import { CircleCheck, CircleHelp, CircleX, Clock } from 'lucide-react'
import { needsUser } from '../../../shared/state/agent-state.ts'
import type { AttemptRow } from '../../../shared/state/comparison-rows.ts'
import { selectAttempt } from '../../stores/comparison-store.ts'
import { useAgent, useAgentName } from '../../stores/conversation-store.ts'
import { modelLabel } from '../../stores/settings-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { LetterBadge } from '../../ui/text/agent-name.tsx'
import { agentText, markOf } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { formatDuration, formatMoney, formatTokens } from '../../ui/text/format.ts'
import { attemptStatusText, checkText } from './attempt-text.ts'

interface AttemptTableProps {
  readonly rows: readonly AttemptRow[]
  /** The id of its agent. */
  readonly selected: string | null
  /** Null: nothing is checked. */
  readonly command: string | null
}

export function AttemptTable({ rows, selected, command }: AttemptTableProps) {
  return (
    <table aria-label="Attempts" className="w-full border-collapse text-sm">
      <thead className="sticky top-0 z-10 bg-bg-1 text-fg-2 text-xs">
        <tr>
          <Head>Agent</Head>
          <Head>State</Head>
          {command !== null && <Head>Check</Head>}
          <Head right>Time</Head>
          <Head right wide>
            Tokens
          </Head>
          <Head right>Cost</Head>
          <Head right>Changes</Head>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row
            key={row.agentId}
            row={row}
            isSelected={row.agentId === selected}
            hasCheck={command !== null}
          />
        ))}
      </tbody>
    </table>
  )
}

/** Hidden where the stage is narrow. */
const WIDE = '@max-[600px]:hidden'
const CELL = 'px-2 py-1.5 align-middle first:pl-3 last:pr-3'

function Head({
  children,
  right = false,
  wide = false,
}: {
  readonly children: string
  readonly right?: boolean
  readonly wide?: boolean
}) {
  return (
    <th
      scope="col"
      className={classNames(
        'px-2 py-1 font-medium first:pl-3 last:pr-3',
        right ? 'text-right' : 'text-left',
        wide && WIDE,
      )}
    >
      {children}
    </th>
  )
}

interface RowProps {
  readonly row: AttemptRow
  readonly isSelected: boolean
  readonly hasCheck: boolean
}

function Row({ row, isSelected, hasCheck }: RowProps) {
  const agent = useAgent(row.agentId)
  const { letter } = useAgentName(row.agentId)
  const { label, model, ms, tokens, costUsd, isMerged } = row
  return (
    <tr
      onMouseDown={() => selectAttempt(row.agentId)}
      style={agentStyle(agent?.definition.color ?? 'neutral')}
      className={classNames('cursor-default border-line border-t', isSelected ? 'bg-bg-2' : 'hover:bg-bg-1')}
    >
      <td className={classNames(CELL, 'max-w-0 w-[32%]')}>
        <span className="flex min-w-0 items-center gap-2">
          {agent !== undefined && <Dot status={markOf(agent)} />}
          <span className="min-w-0">
            <span className="flex items-center gap-1.5">
              <button
                type="button"
                aria-current={isSelected}
                tabIndex={isSelected ? 0 : -1}
                onFocus={() => selectAttempt(row.agentId)}
                className="truncate rounded-xs text-left font-medium text-fg-0"
              >
                {label}
              </button>
              {letter !== null && <LetterBadge letter={letter} />}
              {isMerged && <span className="rounded-[4px] bg-ok/14 px-1.5 text-ok text-xs">merged</span>}
            </span>
            <span className="block truncate text-fg-2 text-xs">{modelLabel(model)}</span>
          </span>
        </span>
      </td>
      <td
        className={classNames(
          CELL,
          'max-w-0 w-[22%] truncate',
          row.isLive && agent !== undefined && needsUser(agent) ? 'text-needs-you' : 'text-fg-1',
        )}
      >
        {row.isLive && agent !== undefined ? agentText(agent) : attemptStatusText(row)}
      </td>
      {hasCheck && (
        <td className={CELL}>
          <CheckResult row={row} />
        </td>
      )}
      <Amount>{ms === 0 ? null : formatDuration(ms)}</Amount>
      <Amount wide>{tokens === null ? null : formatTokens(tokens)}</Amount>
      <Amount>{costUsd === null ? null : formatMoney(costUsd)}</Amount>
      <td className={classNames(CELL, 'whitespace-nowrap text-right font-mono text-xs')}>
        <ChangesCell row={row} />
      </td>
    </tr>
  )
}

/** Null: not told. */
function Amount({ children, wide = false }: { readonly children: string | null; readonly wide?: boolean }) {
  return (
    <td
      className={classNames(CELL, 'whitespace-nowrap text-right font-mono text-fg-1 text-xs', wide && WIDE)}
    >
      {children ?? <span title="Not reported">–</span>}
    </td>
  )
}

/** The result of the check, with a sign that does not need the color. */
export function CheckResult({ row }: { readonly row: AttemptRow }) {
  const text = checkText(row)
  const state = row.check?.state
  if (text === null || state === undefined) return <span className="text-fg-2">–</span>
  const { icon: Icon, color } = SIGNS[state === 'running' ? 'waiting' : state]
  return (
    <span
      className={classNames('inline-flex items-center gap-1.5', state === 'running' ? 'text-fg-1' : color)}
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

const SIGNS = {
  passed: { icon: CircleCheck, color: 'text-ok' },
  failed: { icon: CircleX, color: 'text-bad' },
  waiting: { icon: Clock, color: 'text-fg-2' },
  'not-run': { icon: CircleHelp, color: 'text-fg-1' },
} as const

function ChangesCell({ row: { work } }: { readonly row: AttemptRow }) {
  if (work === null) return <span className="text-fg-2">–</span>
  if (work.files === 0) return <span className="text-fg-2">none</span>
  return (
    <span title={`${work.files} ${work.files === 1 ? 'file' : 'files'}`}>
      <span className="text-fg-2">{work.files} </span>
      <span className="text-ok">+{work.insertions}</span> <span className="text-bad">−{work.deletions}</span>
    </span>
  )
}
