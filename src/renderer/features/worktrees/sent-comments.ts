/** Comments that were sent to an agent: how far they are, the agent's answer, and what changed since. */
import type {
  AskedChange,
  ReviewChanges,
  ReviewComment,
  ReviewRange,
} from '../../../shared/worktrees/review.ts'
import { count } from '../../ui/text/format.ts'

export interface SentComment {
  readonly key: string
  /** Who wrote it elsewhere; missing: the user, here. */
  readonly author?: string
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

/**
 * The answers in the order of the comments, as markdown; null: the text answers that comment nowhere in particular. The
 * agent is told to begin each answer with a heading such as "### Comment 2". A numbered list over all comments counts too.
 * @param comments how many comments the text answers
 */
export function answersIn(text: string, comments: number): readonly (string | null)[] {
  if (comments === 0) return []
  const byHeading = sections(
    text,
    /^#{1,6}\s+(?:\*\*)?Comments?\s+#?(\d+)(?:\*\*)?\s*[:.–—-]?\s*(.*)$/i,
    comments,
  )
  if (byHeading.some((answer) => answer !== null)) return byHeading
  if (comments === 1) return [text.trim()]
  const byNumber = sections(text, /^(?:\*\*)?(?:Comment\s+)?#?(\d+)[.):](?:\*\*)?\s+(.*)$/i, comments)
  return byNumber.every((answer) => answer !== null) ? byNumber : byNumber.map(() => null)
}

/** The text from each line that names a comment to the next such line, or to another heading. */
function sections(text: string, pattern: RegExp, comments: number): (string | null)[] {
  const found: (string[] | null)[] = Array.from({ length: comments }, () => null)
  let lines: string[] | null = null
  let fence: string | null = null
  for (const line of text.split('\n')) {
    const [mark = null] = /^\s{0,3}(?:`{3,}|~{3,})/.exec(line) ?? []
    if (mark !== null)
      fence = fence === null ? mark.trim().slice(0, 3) : mark.trim().startsWith(fence) ? null : fence
    const named: RegExpExecArray | null = fence === null && mark === null ? pattern.exec(line) : null
    const rest: string = named?.[2] ?? ''
    const index: number = Number(named?.[1] ?? 0) - 1
    if (named !== null && index < comments && found[index] === null) {
      lines = rest.replace(/\*\*$/, '').trim() === '' ? [] : [rest]
      found[index] = lines
    } else if (fence === null && mark === null && /^#{1,3}\s/.test(line)) lines = null
    else lines?.push(line)
  }
  return found.map((answer) => {
    const joined = answer?.join('\n').trim() ?? ''
    return joined === '' ? null : joined
  })
}
