/** The conversations that this runtime writes to. Each is opened once, at the first command that needs it. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import {
  interceptWithoutRun,
  sessionEnds,
  sessionStarts,
  worktreeRemoved,
} from '../agent/interception-points.ts'
import type { Assembly, Conversation } from '../conversation/conversation.ts'
import { interceptionSubject } from '../loop/intercept.ts'
import type { PointFacts } from '../ports/interceptors.ts'
import type { NotFound } from '../ports/runtime.ts'
import type { TranscriptStore } from '../ports/transcripts.ts'
import { stopConversation } from './control.ts'
import { followSurvivors, reopenConversation } from './reopen-conversation.ts'

export class OpenConversations {
  private readonly deps: Assembly
  private readonly store: TranscriptStore
  private readonly open = new Map<string, Conversation>()
  private readonly opening = new Map<string, Promise<Result<Conversation>>>()

  constructor(deps: Assembly) {
    this.deps = deps
    this.store = deps.ports.store
  }

  /** The conversation if it is open. */
  get(conversationId: string): Conversation | null {
    return this.open.get(conversationId) ?? null
  }

  all(): readonly Conversation[] {
    return [...this.open.values()]
  }

  add(conversation: Conversation): void {
    this.open.set(conversation.id, conversation)
    void conversation.happened({ type: 'opened' })
  }

  remove(conversation: Conversation): void {
    this.open.delete(conversation.id)
  }

  /** Runs `act` on a conversation, which is opened first where needed. */
  async use<T>(
    conversationId: string,
    act: (conversation: Conversation) => Result<T> | Promise<Result<T>>,
  ): Promise<Result<T>> {
    const conversation = await this.openForWriting(conversationId)
    return conversation.ok ? act(conversation.value) : conversation
  }

  /** Runs `act` on a conversation only if it is open: nothing runs in a closed one. */
  useOpen<T, F>(
    conversationId: string,
    act: (conversation: Conversation) => Result<T, F>,
  ): Result<T, F | NotFound> {
    const conversation = this.get(conversationId)
    return conversation ? act(conversation) : fail(notOpen)
  }

  /** Stops the agents of a conversation, and releases its log. `deleted`: it goes to the trash then. */
  async close(conversationId: string, reason: PointFacts['session-end']['reason']): Promise<void> {
    const conversation = this.open.get(conversationId)
    this.open.delete(conversationId)
    if (conversation) await closeConversation(conversation, reason)
  }

  async closeAll(): Promise<void> {
    await Promise.all(this.opening.values())
    await Promise.all(this.all().map((conversation) => closeConversation(conversation, 'closed')))
    this.open.clear()
  }

  /** Removes a conversation that never began. */
  async discard(conversation: Conversation): Promise<void> {
    this.open.delete(conversation.id)
    await releaseConversation(conversation)
    await this.store.trash(conversation.id)
  }

  private openForWriting(conversationId: string): Promise<Result<Conversation>> {
    const open = this.open.get(conversationId)
    if (open) return Promise.resolve(ok(open))
    const opening = this.opening.get(conversationId) ?? this.reopen(conversationId)
    this.opening.set(conversationId, opening)
    return opening
  }

  private async reopen(conversationId: string): Promise<Result<Conversation>> {
    try {
      const record = await this.store.read(conversationId)
      if (!record.ok) return record
      const conversation = await reopenConversation(record.value, this.deps)
      if (!conversation.ok) return conversation
      await conversation.value.happened({ type: 'reopened' })
      await sessionStarts(conversation.value, { isResumed: true })
      this.add(conversation.value)
      followSurvivors(conversation.value)
      return conversation
    } finally {
      this.opening.delete(conversationId)
    }
  }
}

async function closeConversation(
  conversation: Conversation,
  reason: PointFacts['session-end']['reason'],
): Promise<void> {
  conversation.lifetime.abort()
  await stopConversation(conversation, 'program')
  await Promise.all(conversation.pending)
  await sessionEnds(conversation, { reason })
  await releaseConversation(conversation)
}

/** Releases the log. No agent may be running. */
export async function releaseConversation({
  commands,
  ports,
  id,
  agents,
  loop,
  file,
}: Conversation): Promise<void> {
  await commands.endAll('run')
  ports.serverTools?.closed(id)
  const main = agents.main?.agent
  const worktree = main?.isWorktreeReady ? main.state().worktree : null
  if (main && worktree !== null && (await ports.worktrees.release(worktree)))
    await worktreeRemoved(loop, main)
  await file.close()
}

const notOpen: NotFound = {
  type: 'not-found',
  message: 'This is no longer open: it was answered, read, or has ended.',
}

/** Opens the conversation only if an interceptor wants to know. */
export async function worktreeDiscarded(
  conversations: OpenConversations,
  { loop, ports }: Assembly,
  { conversationId, agentId }: { readonly conversationId: string; readonly agentId: string },
): Promise<Result<void>> {
  const { interceptors } = loop
  if (interceptors === undefined) return ok(undefined)
  const [states, record] = await Promise.all([
    ports.store.states([agentId]),
    ports.store.read(conversationId),
  ])
  if (!states.ok) return states
  if (!record.ok) return record
  const [state] = states.value
  if (!state?.worktree) return ok(undefined)
  const { worktree } = state
  const subject = interceptionSubject(state, {
    project: record.value.folder,
    team: null,
    transcriptPath: '',
  })
  const listed = await interceptors.list(subject)
  if (!listed.some(({ handlers }) => handlers['worktree-remove'] !== undefined)) return ok(undefined)
  return conversations.use(conversationId, async (conversation) => {
    await interceptWithoutRun(conversation, state, { point: 'worktree-remove', facts: worktree })
    return ok(undefined)
  })
}
