/** Renders one row of a transcript by its kind. */

import { GitBranch } from 'lucide-react'
import { memo } from 'react'
import type { TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { assertNever } from '../../../../shared/kernel/assert-never.ts'
import { textOf } from '../../../../shared/messages/text-of.ts'
import { rowText } from '../../../../shared/transcript/transcript-rows.ts'
import { formatWork } from '../../../../shared/worktrees/format-work.ts'
import { doWith } from '../../../stores/agent-actions.ts'
import { Button, LinkButton } from '../../../ui/button.tsx'
import { PartBoundary } from '../../../ui/part-boundary.tsx'
import { useSurroundings } from '../surroundings.ts'
import { BackgroundEndRow, FromAgentRow, SentRow } from './agent-message-rows.tsx'
import { AgentsCard } from './agents-card.tsx'
import { CallGroup } from './call-group.tsx'
import { AnsweredRow, EndedRow, NoticeRow, QuietLine, RetryRow } from './event-rows.tsx'
import { InstructionsRow } from './instructions-row.tsx'
import { isLong } from './long-text.tsx'
import { ReceivedRow, TextRow, ThinkingRow, UserRow } from './message-rows.tsx'
import type { DisplayRow } from './row-groups.ts'
import { ToolRowView } from './tool-row.tsx'
import { UserCommandRow } from './user-command-row.tsx'

interface RowViewProps {
  readonly row: DisplayRow
  /** Whether output of the model follows the row. */
  readonly past: boolean
}

/** A row that fails to render shows its text; the other rows are unaffected. */
export const RowView = memo(function RowView(props: RowViewProps) {
  return (
    <PartBoundary fallback={(error, retry) => <BrokenRow row={props.row} error={error} onRetry={retry} />}>
      <Row {...props} />
    </PartBoundary>
  )
})

interface BrokenRowProps {
  readonly row: DisplayRow
  readonly error: Error
  readonly onRetry: () => void
}

function BrokenRow({ row, error, onRetry }: BrokenRowProps) {
  return (
    <div role="alert" className="rounded-md border border-bad/50 px-2.5 py-1.5 text-sm">
      <p className="flex items-center justify-between gap-2 text-fg-1">
        <span className="min-w-0 wrap-anywhere">Can't show this entry: {error.message}</span>
        <Button onClick={onRetry}>Try again</Button>
      </p>
      <pre
        data-selectable=""
        className="max-h-40 overflow-auto whitespace-pre-wrap font-mono text-xs wrap-anywhere"
      >
        {row.kind === 'group' ? row.calls.map(rowText).join('\n') : rowText(row)}
      </pre>
    </div>
  )
}

function Row({ row, past }: RowViewProps) {
  switch (row.kind) {
    case 'user':
      return <MessageRow row={row} />
    case 'text':
      return <TextRow row={row} />
    case 'thinking':
      return <ThinkingRow row={row} />
    case 'tool':
      return row.display?.kind === 'message' ? (
        <SentRow row={row} message={row.display} />
      ) : row.sharing !== undefined ? (
        <UserCommandRow row={row} />
      ) : (
        <ToolRowView row={row} />
      )
    case 'group':
      return <CallGroup row={row} />
    case 'agents':
      return (
        <AgentsCard
          rowKey={row.key}
          toolUseIds={row.toolUseIds}
          failures={row.failures}
          notStarted={row.notStarted}
          past={past}
        />
      )
    case 'request':
      return <AnsweredRow row={row} />
    case 'retry':
      return <RetryRow row={row} />
    case 'notice':
      return <NoticeRow row={row} />
    case 'work':
      return <WorkRow row={row} />
    case 'instructions':
      return <InstructionsRow row={row} />
    case 'ended':
      return <EndedRow row={row} />
    default:
      return assertNever(row)
  }
}

function MessageRow({ row }: { readonly row: Extract<TranscriptRow, { kind: 'user' }> }) {
  if (row.from === 'user') return <UserRow row={row} />
  if (row.from === 'agent') return <FromAgentRow row={row} />
  return row.from === 'runtime' && row.sender !== null ? (
    <BackgroundEndRow row={row} />
  ) : (
    <ReceivedRow row={row} />
  )
}

/** The estimated height in px at the normal text size. The real height is measured after rendering. */
export function estimateHeight(row: DisplayRow): number {
  switch (row.kind) {
    case 'user':
      if (row.from === 'user')
        return row.typed === undefined ? 36 + textHeight(row.text, 44) : 64 + textHeight(row.typed, 44)
      return row.from === 'runtime' && row.sender !== null ? 36 : foldedHeight(row.text)
    case 'text':
      return 8 + textHeight(row.text, 56)
    case 'thinking':
      return 26
    case 'tool':
      if (row.sharing !== undefined)
        return 56 + (row.content === null ? 0 : textHeight(textOf(row.content), 80))
      return row.display?.kind === 'message' ? foldedHeight(row.summary) : 31
    case 'group':
      return 31
    case 'agents':
      return 46 + 29 * row.toolUseIds.length
    case 'request':
      return row.decision === null ? 0 : 26
    case 'retry':
    case 'notice':
    case 'instructions':
    case 'work':
    case 'ended':
      return 28
    default:
      return assertNever(row)
  }
}

function foldedHeight(text: string): number {
  return 36 + Math.min(100, textHeight(text, 60))
}

/** The height of the start of a long text. */
const START_HEIGHT = 320

/** An estimate of the lines, without splitting, because it runs for every row of a long transcript. */
function textHeight(text: string, lineLength: number): number {
  if (isLong(text)) return START_HEIGHT
  return Math.ceil(text.length / lineLength) * 20
}

/** The work in an agent's worktree at the end of its run, with a link to Review. */
const WorkRow = memo(function WorkRow(props: { readonly row: Extract<TranscriptRow, { kind: 'work' }> }) {
  const { work } = props.row
  const { agentId } = useSurroundings()
  return (
    <QuietLine icon={GitBranch}>
      <span className="wrap-anywhere">{capitalised(formatWork(work))}.</span>
      {!work.unchanged && (
        <span className="ml-1.5">
          <LinkButton onClick={() => doWith(agentId, 'review')}>Review</LinkButton>
        </span>
      )}
      {work.problems.map((problem) => (
        <span key={problem} className="block text-fg-1 wrap-anywhere">
          {problem}
        </span>
      ))}
    </QuietLine>
  )
})

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
