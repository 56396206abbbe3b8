/** The main agent of a new conversation. */
import { ok, type Result } from '../../../shared/result.ts'
import type { LoadedDefinition } from '../ports.ts'
import type { Offers } from './agent-tools.ts'
import { ownWorkplace, sharedWorkplace } from './agent-worktree.ts'
import type { Conversation } from './conversation.ts'
import { type AgentPlanInput, planAgent } from './plan-agent.ts'
import { tell, usualInput } from './start-agent.ts'

/** Makes the main agent; it waits for its first message. */
export async function spawnMain(
  conversation: Conversation,
  options: { readonly definition: LoadedDefinition; readonly offers: Offers } & Pick<
    AgentPlanInput,
    'maxTurns' | 'permissionMode'
  > & { readonly model: string },
): Promise<Result<void>> {
  const { record, ids, planDeps } = conversation
  const { definition } = options
  const place =
    definition.isolation === 'worktree'
      ? await ownWorkplace(
          conversation,
          { parent: null, agentId: record.mainAgentId, definition, task: record.title },
          new AbortController().signal,
        )
      : ok(sharedWorkplace(conversation, null))
  if (!place.ok) return place
  const { folder, worktree, told, notices } = place.value
  const plan = planAgent(
    {
      ...options,
      ...(await usualInput(conversation, definition, options.offers)),
      parent: null,
      scratch: record.scratch,
      task: '',
      folder,
      worktree,
    },
    planDeps,
  )
  const agent = conversation.spawn(record.mainAgentId, plan, null)
  for (const text of notices) agent.emit({ type: 'notice', level: 'info', text })
  if (told !== null) tell(conversation, agent, told)
  const { initialPrompt } = definition
  // It is read with the first message, before it.
  if (initialPrompt !== null)
    agent.emit({
      type: 'user-message',
      messageId: ids.next('m'),
      from: 'user',
      sender: null,
      content: [{ type: 'text', text: initialPrompt }],
    })
  agent.emit({ type: 'status-changed', status: 'waiting', waitingFor: 'message' })
  const flushed = await conversation.log.flush(agent.id)
  return flushed.ok ? conversation.save({}) : flushed
}
