/**
 * Finds what became of comments that were sent to an agent: whether it has read them, and its answer. All of it is read
 * from the agent's transcript, so it is the same after a restart, and where another program ran the agent.
 */
import type { AgentEvent } from '../../../../shared/events/agent-event.ts'
import type { Result } from '../../../../shared/kernel/result.ts'
import type { AskedReply } from '../../../../shared/worktrees/review.ts'
import type { TranscriptStore } from '../../../runtime/ports/transcripts.ts'

/** A message with comments. `at`: before it was sent, in ms since the epoch. */
interface SentMessage {
  /** Null: unknown. The message is left out of the result. */
  readonly messageId: string | null
  readonly at: number
}

/** The replies by the id of the message. Empty where the transcript can't be read. `sent`: oldest first. */
export type RepliesTo = (
  agent: { readonly conversationId: string; readonly agentId: string },
  sent: readonly SentMessage[],
) => Promise<ReadonlyMap<string, AskedReply>>

interface CommentRepliesOptions {
  readonly store: Pick<TranscriptStore, 'page'>
  /** Resolves when every event of the conversation is on the disk. */
  readonly saved: (conversationId: string) => Promise<Result<void>>
}

/** Ms that the clock of a remote agent may be behind. */
const CLOCK_SKEW = 120_000

export function createCommentReplies({ store, saved }: CommentRepliesOptions): RepliesTo {
  /** What was read of each agent, so that only newer events are read again. */
  const known = new Map<string, ReplyFold>()
  return async ({ conversationId, agentId }, sent) => {
    const wanted = sent.filter(({ messageId }) => messageId !== null)
    const [oldest] = wanted
    if (oldest === undefined) return new Map()
    const flushed = await saved(conversationId)
    if (!flushed.ok) return new Map()
    const since = oldest.at - CLOCK_SKEW
    const last = known.get(agentId)
    const fold = last !== undefined && last.since <= since ? last : new ReplyFold(since)
    const events = await eventsAfter(store, agentId, fold)
    if (events === null) return new Map()
    for (const event of events) fold.apply(event)
    known.set(agentId, fold)
    return new Map(
      wanted.map(({ messageId }) => [
        messageId ?? '',
        fold.replies.get(messageId ?? '') ?? { state: 'sent' },
      ]),
    )
  }
}

/** Events read at once. */
const PAGE = 200

/** The events of a transcript that a fold lacks, oldest first. Null: they can't be read. */
async function eventsAfter(
  store: CommentRepliesOptions['store'],
  agentId: string,
  { since, lastSeq }: ReplyFold,
): Promise<readonly AgentEvent[] | null> {
  const pages: (readonly AgentEvent[])[] = []
  let before: number | null = null
  for (;;) {
    const page: Awaited<ReturnType<TranscriptStore['page']>> = await store.page(agentId, {
      before,
      limit: PAGE,
    })
    if (!page.ok) return null
    const [first] = page.value.events
    if (first === undefined) break
    pages.unshift(page.value.events)
    if (first.at < since || first.seq <= lastSeq + 1) break
    before = first.seq
  }
  return pages.flat()
}

/**
 * The replies to all messages of the user since a time. The answer to a message is the agent's last message without tool
 * calls before the user writes again; messages that the agent reads together have one answer.
 */
class ReplyFold {
  readonly since: number
  readonly replies = new Map<string, AskedReply>()
  lastSeq = -1
  /** The messages that the agent's next texts answer. */
  private current: readonly string[] = []

  constructor(since: number) {
    this.since = since
  }

  apply(event: AgentEvent): void {
    if (event.seq <= this.lastSeq) return
    this.lastSeq = event.seq
    const isAnswered = this.current.some((id) => this.replies.get(id)?.state === 'answered')
    if (event.type === 'user-message' && event.from === 'user') {
      this.current = isAnswered ? [event.messageId] : [...this.current, event.messageId]
      this.replies.set(event.messageId, { state: 'read', at: event.at })
    } else if (event.type === 'assistant-message') {
      const text = textOfEnd(event)
      if (text !== null) this.tell({ state: 'answered', at: event.at, text })
      // The agent was resumed after a run that ended without an answer.
      else if (this.current.some((id) => this.replies.get(id)?.state === 'unanswered'))
        this.tell({ state: 'read', at: event.at })
    } else if (event.type === 'agent-ended' && event.status !== 'completed' && !isAnswered)
      this.tell({ state: 'unanswered', at: event.at, because: event.status })
  }

  private tell(reply: AskedReply): void {
    for (const id of this.current) this.replies.set(id, reply)
  }
}

/** The text of a message that ends the agent's turn; null: it calls tools, or has no text. */
function textOfEnd({ content }: Extract<AgentEvent, { type: 'assistant-message' }>): string | null {
  if (content.some(({ type }) => type === 'tool_use')) return null
  const text = content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n\n')
    .trim()
  return text === '' ? null : text
}
