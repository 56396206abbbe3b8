/** Comments that were sent to an agent, and what happened since. */
import type {
  AskedChange,
  ReviewChanges,
  ReviewComment,
  ReviewRange,
} from '../../../shared/worktrees/review.ts'
import { count } from '../../ui/text/format.ts'

export interface SentComment {
  readonly key: string
  readonly comment: ReviewComment
  /** "Sent 14:05. No changes since." */
  readonly state: string
  /** Whether it belongs to the last message. Older comments are shown only while their lines are unchanged. */
  readonly isLast: boolean
}

interface SentOptions {
  /** The range of the changes. */
  readonly range: ReviewRange | null
  readonly working: boolean
}

/** The comments to show in the diffs of these changes. */
export function sentComments(
  changes: ReviewChanges,
  { range, working }: SentOptions,
): readonly SentComment[] {
  // The lines of one commit have other numbers.
  if (range?.kind === 'commit') return []
  return changes.asked.flatMap((asked, round) => {
    const state = `Sent ${timeOf(asked)}. ${capital(sinceText(asked, working && round === 0))}.`
    const isStart = range?.commit === asked.commit
    return asked.comments.flatMap((comment, index): SentComment[] => {
      const key = `${asked.at}:${index}`
      if (!isStart) return [{ key, comment, state, isLast: round === 0 }]
      // The commented lines are those that the range begins with: its old side.
      if (comment.side === 'before') return []
      return [{ key, comment: { ...comment, side: 'before' }, state, isLast: round === 0 }]
    })
  })
}

/** "2 comments sent 14:05: no changes since." */
export function sentSummary(asked: AskedChange, working: boolean): string {
  const what = asked.comments.length === 0 ? 'Message' : count(asked.comments.length, 'comment')
  return `${what} sent ${timeOf(asked)}: ${sinceText(asked, working)}.`
}

function sinceText({ changedBy }: AskedChange, working: boolean): string {
  if (changedBy === 'agent') return 'the agent changed its work since'
  if (changedBy === 'user') return 'changed since, but not by an agent'
  if (changedBy === 'both') return 'the agent and somebody else changed the work since'
  return working ? 'the agent is working' : 'no changes since'
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const timeOf = ({ at }: AskedChange) =>
  new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
