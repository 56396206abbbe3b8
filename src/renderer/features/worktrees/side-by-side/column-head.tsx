/** Above a column: which attempt it shows, what the attempt did to the file, and the ways to Review. */
import { GitMerge, SquareArrowOutUpRight } from 'lucide-react'
import type { ReviewFile } from '../../../../shared/worktrees/review.ts'
import type { ColumnAttempt } from '../../../stores/comparison-store.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { goToReview, selectPath, useSnapshot } from '../../../stores/review-store.ts'
import { agentStyle } from '../../../ui/agent-style.ts'
import { IconButton } from '../../../ui/button.tsx'
import { SelectMenu } from '../../../ui/menu.tsx'
import { classNames } from '../../../ui/text/class-names.ts'
import { KINDS } from '../files/file-row.tsx'
import { Amount } from './compared-file-list.tsx'
import type { ComparedFile } from './compared-files.ts'

interface ColumnHeadProps {
  readonly at: number
  readonly attempt: ColumnAttempt
  readonly attempts: readonly ColumnAttempt[]
  readonly isActive: boolean
  /** Undefined: the attempt has not changed the file. */
  readonly change: ReviewFile | undefined
  /** Why there is nothing to compare; null: there is. */
  readonly problem: string | null
  /** Null: not possible now. */
  readonly onReview: (() => void) | null
  readonly onMerge: (() => void) | null
  readonly onChoose: (agentId: string) => void
  readonly onActivate: () => void
}

export function ColumnHead(props: ColumnHeadProps) {
  const { at, attempt, attempts, isActive, change, problem, onReview, onMerge, onChoose, onActivate } = props
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend
    <div
      role="group"
      aria-label={`Column ${at + 1}: ${attempt.label}`}
      aria-current={isActive}
      onMouseDown={onActivate}
      onFocus={onActivate}
      style={agentStyle(attempt.color)}
      className={classNames(
        'grid min-w-0 gap-1 border-t-2 px-2 py-1.5',
        at > 0 && 'border-l border-l-line',
        isActive ? 'border-t-agent bg-bg-2' : 'border-t-transparent',
      )}
    >
      <div className="flex min-w-0 items-center gap-1.5">
        <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-agent" />
        <span className="min-w-0 flex-1">
          <SelectMenu
            label={`Column ${at + 1}`}
            value={attempt.agentId}
            options={attempts.map(({ agentId, label, isMerged, isLive }, index) => ({
              value: agentId,
              label,
              hint: [`key ${index + 1}`, isMerged ? 'merged' : isLive ? 'still working' : null]
                .filter((part) => part !== null)
                .join(', '),
            }))}
            onChange={onChoose}
          />
        </span>
        {onReview !== null && (
          <IconButton
            label={`Review changes of ${attempt.label}`}
            icon={SquareArrowOutUpRight}
            keys="Enter"
            onClick={onReview}
          />
        )}
        {onMerge !== null && (
          <IconButton label={`Merge ${attempt.label}…`} icon={GitMerge} keys="M" onClick={onMerge} />
        )}
      </div>
      <p className="flex min-h-[1.1rem] min-w-0 flex-wrap items-center gap-x-2 text-fg-2 text-xs">
        {problem !== null ? (
          <span className="truncate" title={problem}>
            {problem}
          </span>
        ) : change === undefined ? (
          <span>File not changed</span>
        ) : (
          <span className="font-mono">
            {KINDS[change.kind][1]} <Amount change={change} />
          </span>
        )}
        {attempt.isLive && <span>still working</span>}
        {attempt.isMerged && <span className="rounded-[4px] bg-ok/14 px-1.5 text-ok">merged</span>}
      </p>
    </div>
  )
}

/** What can be done with an attempt. */
export interface AttemptActions {
  readonly mayReview: (attempt: ColumnAttempt) => boolean
  readonly review: (attempt: ColumnAttempt) => void
  readonly mayMerge: (attempt: ColumnAttempt) => boolean
  readonly merge: (attempt: ColumnAttempt) => void
}

/** `file`: the shown file, which Review shows too. */
export function useAttemptActions(file: ComparedFile | null): AttemptActions {
  const snapshot = useSnapshot()
  const readOnly = useConversation((state) => state.readOnly)
  const worktreeOf = ({ worktreeId }: ColumnAttempt) =>
    snapshot?.worktrees.find(({ id }) => id === worktreeId)
  return {
    mayReview: (attempt) => worktreeOf(attempt) !== undefined,
    review: (attempt) => {
      const { worktreeId, agentId } = attempt
      if (worktreeId === null) return
      if (file?.changes.has(agentId)) selectPath(worktreeId, file.path)
      goToReview(worktreeId)
    },
    mayMerge: (attempt) => {
      const worktree = worktreeOf(attempt)
      return !readOnly && !attempt.isLive && worktree?.state === 'ready' && worktree.files > 0
    },
    merge: (attempt) => {
      const worktree = worktreeOf(attempt)
      if (worktree === undefined) return
      const { id, target } = worktree
      goToReview(id, { kind: 'merge', id, method: 'merge', elsewhere: target === null })
    },
  }
}
