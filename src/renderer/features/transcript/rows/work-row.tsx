/** The work in an agent's worktree at the end of its run, with a link to Review. */
import { GitBranch } from 'lucide-react'
import { memo } from 'react'
import type { TranscriptRow } from '../../../../shared/transcript/transcript-row.ts'
import { formatWork } from '../../../../shared/worktrees/format-work.ts'
import { doWith } from '../../../stores/agent-actions.ts'
import { LinkButton } from '../../../ui/link-button.tsx'
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
