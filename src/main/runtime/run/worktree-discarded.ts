/** Tells interceptors that a worktree was removed although its agent does not work: the user discarded it. */
import { ok, type Result } from '../../../shared/kernel/result.ts'
import { interceptWithoutRun } from '../agent/interception-points.ts'
import type { Assembly } from '../conversation/conversation.ts'
import { interceptionSubject } from '../loop/intercept.ts'
import type { OpenConversations } from './open-conversations.ts'

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
