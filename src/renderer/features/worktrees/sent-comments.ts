/** Comments that were sent to an agent: how far they are, the agent's answer, and what changed since. */
import { answersIn } from '../../../shared/worktrees/comment-answers.ts'
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
  /** "Answered 14:09. The agent changed its work since." */
  readonly state: string
  /** Null: there is none yet. */
  readonly answer: CommentAnswer | null
  /** Whether it belongs to the last message. Older comments are shown only while their lines are unchanged. */
  readonly isLast: boolean
}

export interface CommentAnswer {
  /** Markdown. */
  readonly text: string
  /** `all`: the agent answered all comments of the message together. `first`: so, and this is the first of them. */
  readonly covers: 'one' | 'first' | 'all'
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
    const state = stateText(asked, working && round === 0)
    const isStart = range?.commit === asked.commit
    const answers = answersOf(asked)
    return asked.comments.flatMap((comment, index): SentComment[] => {
      const sent = { key: `${asked.at}:${index}`, state, answer: answers[index] ?? null, isLast: round === 0 }
      if (!isStart) return [{ ...sent, comment }]
      // The commented lines are those that the range begins with: its old side.
      if (comment.side === 'before') return []
      return [{ ...sent, comment: { ...comment, side: 'before' } }]
    })
  })
}

/** The answer to each comment of a message. */
function answersOf({ reply, comments }: AskedChange): readonly (CommentAnswer | null)[] {
  if (reply?.state !== 'answered') return []
  const { text } = reply
  const own = answersIn(text, comments.length)
  const first = own.indexOf(null)
  return own.map((answer, index) =>
    answer === null ? { text, covers: index === first ? 'first' : 'all' } : { text: answer, covers: 'one' },
  )
}

function stateText(asked: AskedChange, working: boolean): string {
  const { reply } = asked
  const since = `${capital(sinceText(asked, working))}.`
  switch (reply?.state) {
    case undefined:
      return `Sent ${timeOf(asked.at)}. ${since}`
    case 'sent':
      return `Sent ${timeOf(asked.at)}. The agent has not read it yet.`
    case 'read':
      return `Read ${timeOf(reply.at)}. ${since}`
    case 'answered':
      return `Answered ${timeOf(reply.at)}. ${since}`
    case 'unanswered':
      return `Read, but the agent ${ENDS[reply.because]} before it answered. ${since}`
  }
}

const ENDS = { failed: 'failed', stopped: 'was stopped', interrupted: 'was interrupted' } as const

/** "2 comments sent 14:05, answered 14:09: no changes since." */
export function sentSummary(asked: AskedChange, working: boolean): string {
  const { reply, comments, at } = asked
  const what = comments.length === 0 ? 'Message' : count(comments.length, 'comment')
  const how =
    reply === null
      ? ''
      : reply.state === 'sent'
        ? ', not read yet'
        : reply.state === 'unanswered'
          ? `, not answered: the agent ${ENDS[reply.because]}`
          : `, ${reply.state} ${timeOf(reply.at)}`
  return reply?.state === 'sent' || reply?.state === 'unanswered'
    ? `${what} sent ${timeOf(at)}${how}.`
    : `${what} sent ${timeOf(at)}${how}: ${sinceText(asked, working)}.`
}

function sinceText({ changedBy }: AskedChange, working: boolean): string {
  if (changedBy === 'agent') return 'the agent changed its work since'
  if (changedBy === 'user') return 'changed since, but not by an agent'
  if (changedBy === 'both') return 'the agent and somebody else changed the work since'
  return working ? 'the agent is working' : 'no changes since'
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const timeOf = (at: number) =>
  new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
