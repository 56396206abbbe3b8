/** Spawns the main agent of a new conversation. */
import { stableColor } from '../../../shared/agent-definition/agent-color.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { FolderCatalog } from '../agent/agent-tools.ts'
import { ownWorkingFolder, sharedWorkingFolder } from '../agent/agent-worktree.ts'
import { planAgent } from '../agent/plan-agent.ts'
import type { PlanInput } from '../agent/plan-input.ts'
import { gitStateOf, planDepsOf, planInputOf } from '../agent/spawn-context.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LoadedDefinition } from '../ports/definitions.ts'
import type { TestTrial } from '../ports/runtime.ts'

/** The main agent waits for its first message. */
export async function spawnMain(
  conversation: Conversation,
  options: { readonly definition: LoadedDefinition; readonly catalog: FolderCatalog } & Pick<
    PlanInput,
    'maxTurns' | 'mode' | 'effort' | 'thinking'
  > & { readonly model: string; readonly test: TestTrial | null },
): Promise<Result<void>> {
  const { file, ports } = conversation
  const { record } = file
  const { definition, catalog, test } = options
  const color = stableColor(definition.color, definition.name)
  const shared = sharedWorkingFolder(conversation, null)
  const chosen =
    test !== null
      ? ok({ ...shared, folder: test.cwd, worktree: test.worktree })
      : definition.isolation === 'worktree'
        ? await ownWorkingFolder(
            conversation,
            { parent: null, agentId: record.mainAgentId, definition, color, task: record.title },
            new AbortController().signal,
          )
        : ok(shared)
  if (!chosen.ok) return chosen
  const { folder, worktree, message, notices } = chosen.value
  const [input, gitState] = await Promise.all([
    planInputOf(conversation, definition, catalog),
    gitStateOf(conversation, folder),
  ])
  const plan = planAgent(
    {
      ...options,
      ...input,
      gitState,
      parent: null,
      color: 'neutral',
      scratch: record.scratch && test?.role !== 'main',
      ...(test && { allowed: test.allowed, deniedToAll: test.denied }),
      task: '',
      folder,
      worktree,
    },
    planDepsOf(conversation),
  )
  if (plan.obstacle !== null) {
    if (worktree?.own) await ports.worktrees.release(worktree)
    return fail({ type: 'no-tools', message: plan.obstacle })
  }
  const { agent } = conversation.spawn(record.mainAgentId, plan)
  for (const text of notices) agent.emit({ type: 'notice', level: 'info', text })
  if (message !== null) agent.transcript.tell(message)
  const { initialPrompt } = definition
  // Sent together with the user's first message, before it.
  if (initialPrompt !== null)
    agent.emit({
      type: 'user-message',
      messageId: ports.ids.next('m'),
      from: 'user',
      sender: null,
      content: [{ type: 'text', text: initialPrompt }],
    })
  agent.emit({ type: 'status-changed', status: 'waiting', waitingFor: 'message' })
  const flushed = await file.tryFlush(agent.id)
  return flushed.ok ? file.save() : flushed
}
