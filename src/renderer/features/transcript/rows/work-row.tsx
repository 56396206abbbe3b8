/** The work in an agent's worktree at the end of its run, with a link to Review. */
import { GitBranch } from 'lucide-react'
import { memo } from 'react'
import { formatWork } from '../../../../shared/format-work.ts'
import type { TranscriptRow } from '../../../../shared/transcript-row.ts'
import { doWith } from '../../../stores/agent-actions.ts'
import { useSurroundings } from '../surroundings.ts'
import { QuietLine } from './event-rows.tsx'

export const WorkRow = memo(function WorkRow(props: {
  readonly row: Extract<TranscriptRow, { kind: 'work' }>
}) {
  const { work } = props.row
  const { agentId } = useSurroundings()
  return (
    <QuietLine icon={GitBranch}>
      <span className="wrap-anywhere">{capitalised(formatWork(work))}.</span>
      {!work.unchanged && (
        <button
          type="button"
          onClick={() => doWith(agentId, 'review')}
          className="ml-1.5 text-fg-1 underline decoration-fg-3 underline-offset-2 hover:decoration-current"
        >
          Review
        </button>
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
