/** An agent that has ended, and whose definition was changed since: what changed, and taking it in. */
import { isLive } from '../../../shared/agent-state.ts'
import type { DefinitionChange } from '../../../shared/ipc-contract.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { changedParts, digestOfDefinition } from '../definitions/definition-change.ts'
import { withPlaces } from '../definitions/program-places.ts'
import type { LoadedDefinition } from '../ports.ts'
import { type Conversation, noSuchAgent } from './conversation.ts'
import { findDefinition, planAgent } from './plan-agent.ts'

/** Compares what the agent was started with and what its definition says now. */
export async function definitionChange(
  conversation: Conversation,
  agentId: string,
): Promise<Result<DefinitionChange>> {
  const state = conversation.state(agentId)
  if (state === null) return fail(noSuchAgent)
  // A fork without a type has no file that could change.
  if (state.forkOf !== null && state.definition.file === null) return ok({ kind: 'same', what: [] })
  const now = await definitionNow(conversation, state.definition.name)
  if (!now.ok) return ok({ kind: 'gone', what: [] })
  const what = changedParts(state.definition.digest, digestOfDefinition(now.value))
  return ok({ kind: what.length === 0 ? 'same' : 'changed', what })
}

/** Its next request begins with the prompt and the tools that its definition gives it now. */
export async function renewDefinition(conversation: Conversation, agentId: string): Promise<Result<void>> {
  const state = conversation.state(agentId)
  if (state === null) return fail(noSuchAgent)
  if (works(conversation, agentId)) return fail(stillWorks)
  if (state.forkOf !== null)
    return fail({
      type: 'not-possible',
      message:
        'A fork has its parent’s prompt and tools, so it can’t take another definition. Start a new one.',
    })
  const offers = await conversation.offers()
  const found = findDefinition(offers.definitions, state.definition.name)
  if (!found.ok) return found
  const surroundings = await conversation.surroundingsOf(found.value, offers)
  const facts = await conversation.folderFacts()
  const { permissionMode: most } = conversation.state(agentId) ?? state
  const parent = state.parentId === null ? null : conversation.state(state.parentId)
  const plan = planAgent(
    {
      ...surroundings,
      conversationId: conversation.id,
      parent: parent && {
        id: parent.id,
        toolUseId: state.parentToolUseId ?? '',
        depth: parent.depth,
        model: parent.model,
        permissionMode: parent.permissionMode,
        readOnly: parent.definition.readOnly,
      },
      fork: null,
      scratch: conversation.record.scratch,
      background: state.background === 'started',
      name: state.name,
      limits: state.limits,
      task: state.task,
      model: state.model,
      maxTurns: null,
      permissionMode: most,
      folder: state.cwd,
      worktree: state.worktree,
      facts,
      date: conversation.today(),
    },
    conversation.planDeps,
  )
  const { definition, system, tools, permissionMode, maxTurns, instructions } = plan.spawn
  const renewed = await conversation.withAgent(agentId, (agent) => {
    // Somebody may have spoken to it meanwhile.
    if (works(conversation, agentId)) return fail(stillWorks)
    agent.renew(
      { type: 'definition-renewed', definition, system, tools, permissionMode, maxTurns, instructions },
      plan,
    )
    for (const text of plan.warnings) agent.emit({ type: 'notice', level: 'warning', text })
    return ok(undefined)
  })
  if (!renewed.ok) return renewed
  return renewed.value.ok ? conversation.log.flush(agentId) : renewed.value
}

function works(conversation: Conversation, agentId: string): boolean {
  const state = conversation.state(agentId)
  return (state !== null && isLive(state)) || conversation.agents.get(agentId)?.run != null
}

const stillWorks = { type: 'running', message: 'An agent that works keeps its definition. Stop it first.' }

async function definitionNow(conversation: Conversation, name: string): Promise<Result<LoadedDefinition>> {
  const { definitions } = await conversation.offers()
  const found = findDefinition(definitions, name)
  return found.ok ? ok(withPlaces(found.value, conversation.deps.places)) : found
}
