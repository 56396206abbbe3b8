/** Compares an agent with its current definition, and gives an ended agent the new definition. */

import type { DefinitionChange } from '../../../shared/agent-definition/agent-definition.ts'
import { historyNames } from '../../../shared/histories/history.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { withDefaultProvider } from '../../../shared/models/model-provider.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import { COORDINATOR } from '../../../shared/teams/team.ts'
import { findDefinition } from '../agent/find-definition.ts'
import { planAgent } from '../agent/plan-agent.ts'
import { catalogOf, gitStateOf, planDepsOf, planInputOf } from '../agent/spawn-context.ts'
import { whyNotForChild } from '../agent/why-not-possible.ts'
import type { AgentHandle } from '../conversation/agent-handle.ts'
import { type Conversation, noSuchAgent } from '../conversation/conversation.ts'
import { changedParts, digestOfDefinition } from '../definitions/definition-change.ts'
import { withProgramPaths } from '../definitions/program-paths.ts'
import type { NotFound } from '../ports/runtime.ts'

/** The changes of the definition since the agent was spawned. */
export async function definitionChange(
  conversation: Conversation,
  agentId: string,
): Promise<Result<DefinitionChange, NotFound>> {
  const state = conversation.agents.state(agentId)
  if (state === null) return fail(noSuchAgent)
  // Neither a fork without a type nor a subagent of a program has a file that could change.
  if (state.child !== null) return ok({ kind: 'same', what: [] })
  if (state.forkOf !== null && state.definition.file === null) return ok({ kind: 'same', what: [] })
  const found = findDefinition(await catalogOf(conversation), state.definition.name)
  if (!found.ok) return ok({ kind: 'gone', what: [] })
  const current = withProgramPaths(found.value, conversation.assembly.programPaths)
  const what = changedParts(state.definition.digest, digestOfDefinition(current))
  return ok({ kind: what.length === 0 ? 'same' : 'changed', what })
}

/** The agent's next request starts with the prompt and tools that its definition has now. */
export async function renewDefinition(conversation: Conversation, agentId: string): Promise<Result<void>> {
  const handle = conversation.agents.get(agentId)
  if (handle === null) return fail(noSuchAgent)
  const refusal = whyNotForChild(conversation, agentId, 'has no definition')
  if (refusal !== null) return fail(refusal)
  if (mayRun(handle)) return fail(stillRunning)
  return giveDefinition(conversation, handle, { name: handle.state().definition.name, mayStart: mayRun })
}

/**
 * Gives the main agent of a branch the definition of the branch's mode, where the original had the other one: that of a
 * coordinator, or that of an ordinary main agent. The copy of another program's conversation takes its definition here.
 */
export async function suitMain(conversation: Conversation): Promise<Result<void>> {
  const { main } = conversation.agents
  const name = conversation.file.record.coordinator ? COORDINATOR : 'main'
  const { name: is, source } = main?.state().definition ?? {}
  const isOfHistory = Object.values<string | undefined>(historyNames).includes(source)
  const isSuited = is === name || (is !== COORDINATOR && name !== COORDINATOR)
  if (!main || (isSuited && !isOfHistory)) return ok(undefined)
  const given = await giveDefinition(conversation, main, {
    name,
    mayStart: (handle) => handle.isRunning,
    ...(isOfHistory && { by: 'program' as const }),
  })
  if (!given.ok) return given
  if (!isOfHistory) await conversation.withAgent(main.id, (agent) => agent.transcript.tell(SUITED[name]))
  return conversation.file.tryFlush(main.id)
}

const SUITED = {
  [COORDINATOR]:
    'You are the coordinator of this conversation now. Your instructions and your tools changed: what you did yourself above, agents do from now on. Begin with SetPhase.',
  main: 'You are no longer a coordinator. Your instructions and your tools changed: you can do work yourself now.',
} as const

/** `mayStart`: whether the agent runs, or may be started while its definition is read. */
async function giveDefinition(
  conversation: Conversation,
  handle: AgentHandle,
  {
    name,
    mayStart,
    by,
  }: {
    readonly name: string
    readonly mayStart: (handle: AgentHandle) => boolean
    readonly by?: 'program'
  },
): Promise<Result<void>> {
  const { agents } = conversation
  const state = handle.state()
  const agentId = state.id
  if (state.forkOf !== null)
    return fail({
      type: 'not-possible',
      message:
        'A fork has its parent’s prompt and tools, so it can’t take another definition. Start a new one.',
    })
  const catalog = await catalogOf(conversation)
  const found = findDefinition(catalog, name)
  if (!found.ok) return found
  const input = await planInputOf(conversation, found.value, catalog)
  const parent = state.parentId === null ? null : agents.state(state.parentId)
  const plan = planAgent(
    {
      ...input,
      // An agent keeps its color, which tells it from its siblings.
      color: state.definition.color,
      gitState: state.parentId === null ? await gitStateOf(conversation, state.cwd) : null,
      parent: parent && {
        id: parent.id,
        toolUseId: state.parentToolUseId ?? '',
        depth: parent.depth,
        model: parent.model,
        effort: parent.effort,
        thinking: parent.thinking,
        mode: parent,
        readOnly: parent.definition.readOnly,
      },
      scratch: conversation.file.record.scratch,
      background: state.background === 'started',
      name: state.name,
      limits: state.limits,
      task: state.task,
      model: withDefaultProvider(state.model),
      effort: state.effort,
      thinking: state.thinking,
      maxTurns: null,
      mode: handle.state(),
      folder: state.cwd,
      worktree: state.worktree,
      backing: state.backing,
      teamId: state.teamId,
    },
    planDepsOf(conversation),
  )
  if (plan.obstacle !== null) return fail({ type: 'not-possible', message: plan.obstacle })
  const { definition, system, tools, permissionMode, neverAsks, maxTurns, instructions } = plan.spawn
  const renewed = await conversation.withAgent(agentId, (agent) => {
    // A message may have started the agent since the first check.
    if (mayStart(handle)) return fail(stillRunning)
    agent.prompt.renew(
      {
        type: 'definition-renewed',
        definition,
        system,
        tools,
        permissionMode,
        neverAsks,
        maxTurns,
        instructions,
        ...(by !== undefined && { by }),
      },
      plan,
    )
    for (const text of plan.warnings) agent.emit({ type: 'notice', level: 'warning', text })
    return ok(undefined)
  })
  if (!renewed.ok) return renewed
  return renewed.value.ok ? conversation.file.tryFlush(agentId) : renewed.value
}

function mayRun(handle: AgentHandle): boolean {
  return handle.isRunning || isLive(handle.state())
}

const stillRunning = {
  type: 'running',
  message: 'A running agent keeps its definition. Stop the agent first.',
}
