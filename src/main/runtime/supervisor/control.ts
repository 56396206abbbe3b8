/** What a person does with agents: stop, pause, let go on, answer, move to the background, change their mode. */
import type { PermissionMode, SpendLimits } from '../../../shared/agent-event.ts'
import { isLive } from '../../../shared/agent-state.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { narrowerMode } from '../permissions/permission-modes.ts'
import type { PermissionAnswer } from '../runtime.ts'
import { type Conversation, noSuchAgent } from './conversation.ts'
import type { LiveAgent } from './live-agent.ts'
import { say } from './say.ts'

/** Stops one agent and all that it started, in the background too; resolves when nothing of it runs any more. */
export async function stopAgent(conversation: Conversation, agentId: string): Promise<Result<void>> {
  if (conversation.state(agentId) === null) return fail(noSuchAgent)
  await stopAll(conversation, ({ id }) => id === agentId || conversation.isBelow(id, agentId))
  return ok(undefined)
}

/** Stops every agent that runs. */
export function stopConversation(conversation: Conversation): Promise<void> {
  return stopAll(conversation, () => true)
}

async function stopAll(conversation: Conversation, isMeant: (agent: LiveAgent) => boolean): Promise<void> {
  // One that leaves does nothing any more, but may wait for a disk that takes its end.
  const stopped = [...conversation.agents.values(), ...conversation.leaving.values()].filter(isMeant)
  for (const agent of stopped) {
    if (agent.run === null) continue
    agent.controller.abort()
    conversation.queue.dropRemarks(agent.id)
  }
  await Promise.all(stopped.map(({ run }) => run?.catch(() => undefined)))
}

/** It rests before its next request or tool call. */
export function pauseAgent(conversation: Conversation, agentId: string): Result<void> {
  const working = workingAgent(conversation, agentId)
  if (!working.ok) return working
  if (!working.value.state().pauseWanted) working.value.emit({ type: 'pause-changed', paused: true })
  return ok(undefined)
}

/** One that rests goes on; one that has ended is resumed where it was. */
export async function continueAgent(conversation: Conversation, agentId: string): Promise<Result<void>> {
  const state = conversation.state(agentId)
  if (state === null) return fail(noSuchAgent)
  const agent = conversation.agents.get(agentId)
  if (agent?.run != null && !agent.isGoing) {
    if (state.pauseWanted) agent.emit({ type: 'pause-changed', paused: false })
    return ok(undefined)
  }
  if (state.waitingFor === 'message')
    return fail({
      type: 'ended',
      message: 'It waits for your message: there is nothing that it could go on with.',
    })
  const said = await say(conversation, {
    agentId,
    from: 'runtime',
    sender: null,
    content: [{ type: 'text', text: GO_ON }],
  })
  return said.ok ? ok(undefined) : said
}

const GO_ON =
  'The user lets you go on. Take up your task where you left it; what was interrupted may or may not have had its effect, so look first.'

/** Its parent goes on at once, and is told of its end. */
export function moveToBackground(conversation: Conversation, agentId: string): Result<void> {
  const working = workingAgent(conversation, agentId)
  if (!working.ok) return working
  if (!working.value.isAwaited)
    return fail({
      type: 'not-possible',
      message: 'Nobody waits for this agent: it is in the background already.',
    })
  working.value.moveToBackground()
  return ok(undefined)
}

function workingAgent(conversation: Conversation, agentId: string): Result<LiveAgent> {
  const agent = conversation.agents.get(agentId)
  if (agent?.run != null) return ok(agent)
  return conversation.state(agentId) === null
    ? fail(noSuchAgent)
    : fail({ type: 'ended', message: 'This agent does not work at the moment.' })
}

export function answerAgent(
  conversation: Conversation,
  { agentId, promptId }: { readonly agentId: string; readonly promptId: string },
  answer: PermissionAnswer,
): Result<void> {
  if (conversation.agents.get(agentId)?.answer(promptId, answer)) return ok(undefined)
  return fail({ type: 'not-found', message: 'This question is no longer open.' })
}

/** What a subagent may spend with all that it starts. */
export async function setAgentLimits(
  conversation: Conversation,
  agentId: string,
  limits: SpendLimits,
): Promise<Result<void>> {
  if (conversation.isMain(agentId))
    return fail({
      type: 'not-possible',
      message: 'The main agent has the limits of its conversation. Raise those.',
    })
  const changed = await conversation.withAgent(agentId, (agent) =>
    agent.emit({ type: 'limits-changed', limits }),
  )
  return changed.ok ? conversation.log.flush(agentId) : changed
}

/** The main agent's mode; the others follow as far as their definitions let them. */
export function setMode(conversation: Conversation, mode: PermissionMode): Result<void> {
  const { policy } = conversation.deps.ports
  if (mode === 'bypassPermissions' && !policy.bypassAllowed(conversation.record.folder))
    return fail(bypassRefused)
  for (const agent of conversation.agents.values()) {
    const state = agent.state()
    const isMain = conversation.isMain(agent.id)
    if (!isMain && !isLive(state)) continue
    const next = isMain ? mode : narrowerMode(mode, state.permissionMode)
    if (next !== state.permissionMode) agent.emit({ type: 'permission-mode-changed', permissionMode: next })
  }
  return ok(undefined)
}

export const bypassRefused = {
  type: 'not-allowed',
  message: 'Bypassing permissions is not allowed in this folder. Mark the folder in the settings first.',
}

export function setModel(conversation: Conversation, model: string): Result<void> {
  const { main, deps } = conversation
  if (!main) return fail({ type: 'not-found', message: 'This conversation has no main agent.' })
  const id = deps.ports.models.resolve(model)
  if (id !== main.state().model) main.emit({ type: 'model-changed', model: id })
  return ok(undefined)
}
