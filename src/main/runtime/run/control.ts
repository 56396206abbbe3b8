/** The user's commands on agents: stop, pause, continue, move to the background, answer, change mode and model. */
import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type { PermissionMode, SpendLimits, Stopper } from '../../../shared/events/agent-event.ts'
import type { FormAnswer } from '../../../shared/forms/form.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { ModelChoice } from '../../../shared/models/model-choice-schema.ts'
import { plainMode } from '../../../shared/permissions/permission-modes.ts'
import { isLive } from '../../../shared/state/agent-state.ts'
import { whyNotForChild, whyNotForProgram, whyNotStopped } from '../agent/why-not-possible.ts'
import type { AgentHandle } from '../conversation/agent-handle.ts'
import { type Conversation, noSuchAgent } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { AgentStop } from '../ports/agent-stop.ts'
import type { Ended, NotFound, NotPossible } from '../ports/runtime.ts'
import { changeMode, narrowMode } from './run-child.ts'
import { queueMessage } from './send-message.ts'

/**
 * Stops an agent and every agent below it; resolves when none of them runs. `by`: the originator of the stop. Fails with
 * `not-possible` for a subagent of a program that can't stop it by itself.
 */
export async function stopAgent(
  conversation: Conversation,
  agentId: string,
  by: Stopper = 'user',
): Promise<Result<void, NotFound | NotPossible>> {
  const { agents } = conversation
  if (agents.get(agentId) === null) return fail(noSuchAgent)
  const refusal = whyNotStopped(conversation, agentId)
  if (refusal !== null) return fail(refusal)
  const meant = agents.all().filter(({ id }) => id === agentId || agents.isBelow(id, agentId))
  await stopAll(conversation, meant, { by, everyone: false })
  return ok(undefined)
}

/** Ends the turn of an agent for a message that waits, with the agents that its calls wait for; others go on. */
export async function interruptAgent(conversation: Conversation, agentId: string): Promise<void> {
  const { agents } = conversation
  const isAwaited = (id: string): boolean => {
    if (id === agentId) return true
    const state = agents.state(id)
    return state?.background === 'no' && state.parentId !== null && isAwaited(state.parentId)
  }
  const meant = agents.all().filter(({ id }) => isAwaited(id))
  await stopAll(conversation, meant, { by: 'user', everyone: false })
}

/** Stops every agent that runs, every check, every command in the background, and the user's command. */
export async function stopConversation(conversation: Conversation, by: Stopper = 'user'): Promise<void> {
  conversation.checks.stopAll()
  await Promise.all([
    stopAll(conversation, conversation.agents.all(), { by, everyone: true }),
    conversation.commands.endAll('run'),
    conversation.userCommands.stop(null),
  ])
}

async function stopAll(
  { file, ports }: Conversation,
  meant: readonly AgentHandle[],
  { by, everyone }: { readonly by: Stopper; readonly everyone: boolean },
): Promise<void> {
  const reason = new AgentStop(by, by === 'agent' ? null : ports.ids.next('s'), everyone)
  // An ending agent may wait for the disk: stopping ends that wait.
  const running = meant.filter((handle) => handle.done !== null)
  // Subagents first: the end of a parent's call would stop them without the reason.
  for (const handle of running.toReversed()) {
    handle.stop(reason)
    file.queue.dropRemarks(handle.id)
  }
  await Promise.all(running.map(({ done }) => done?.catch(() => undefined)))
}

/** Pauses an agent before its next request or tool call. */
export function pauseAgent(
  conversation: Conversation,
  agentId: string,
): Result<void, NotFound | Ended | NotPossible> {
  const running = runningAgent(conversation, agentId)
  if (!running.ok) return running
  const refusal = whyNotForChild(conversation, agentId, 'can’t be paused')
  if (refusal !== null) return fail(refusal)
  const { agent } = running.value
  if (!agent.state().pauseWanted) agent.backing.pause(true)
  return ok(undefined)
}

/** Continues a paused agent; an agent that has ended, or a main agent at its turn limit, is resumed. */
export async function continueAgent(conversation: Conversation, agentId: string): Promise<Result<void>> {
  const handle = conversation.agents.get(agentId)
  if (handle === null) return fail(noSuchAgent)
  const state = handle.state()
  if (handle.isRunning && !handle.isStopping) {
    if (state.pauseWanted) handle.agent?.backing.pause(false)
    return ok(undefined)
  }
  const { waitingFor, reachedLimit, maxTurns } = state
  if (waitingFor === 'message' && reachedLimit === null)
    return fail({
      type: 'ended',
      message: 'This agent waits for your message, so there is nothing to continue.',
    })
  const said = await queueMessage(conversation, {
    agentId,
    from: 'runtime',
    sender: null,
    ...(reachedLimit === 'turns'
      ? {
          content: [{ type: 'text', text: moreTurns(maxTurns) }],
          note: 'You continued this agent.',
        }
      : resumption(heldTasks(conversation, agentId))),
  })
  return said.ok ? ok(undefined) : said
}

const moreTurns = (maxTurns: number) =>
  `The user lets you continue your task where you left off. You may use tools again, for up to ${maxTurns === 1 ? '1 more turn' : `${maxTurns} more turns`}.`

/** The tasks that an agent has claimed, for its next prompt; empty: none. */
export function heldTasks({ file }: Conversation, agentId: string): string {
  const held = file.record.tasks.filter(({ status, owner }) => status === 'in_progress' && owner === agentId)
  const list = held.map(({ id, subject }) => `${id} (${subject})`).join(', ')
  return held.length === 0 ? '' : ` You still have ${held.length === 1 ? 'task' : 'the tasks'} ${list}.`
}

/** The message to an agent that the user resumed. `more`: about its tasks and subagents. */
export const resumption = (more = '') => ({
  content: [{ type: 'text' as const, text: `${CONTINUE}${more}` }],
  note: 'You resumed this agent.',
})

const CONTINUE =
  'The user resumed you. Continue your task where you left off. What was interrupted may or may not have taken effect, so check first.'

/** Makes the next attempt of a failed request at once, also while other agents wait for a rate limit. */
export function retryNow(
  conversation: Conversation,
  agentId: string,
): Result<void, NotFound | Ended | NotPossible> {
  const running = runningAgent(conversation, agentId)
  if (!running.ok) return running
  const { agent } = running.value
  if (agent.state().retry === null)
    return fail({ type: 'ended', message: 'This agent does not wait for another attempt.' })
  const { attempts } = agent.backing
  if (attempts === null)
    return fail({ type: 'not-possible', message: 'This agent makes its attempts by itself.' })
  attempts.retry()
  return ok(undefined)
}

/** The parent continues at once, and gets a notice of the end. */
export function moveToBackground(
  conversation: Conversation,
  agentId: string,
): Result<void, NotFound | Ended | NotPossible> {
  const running = runningAgent(conversation, agentId)
  if (!running.ok) return running
  const { handle, agent } = running.value
  const refusal = whyNotForChild(conversation, agentId, 'can’t be moved to the background')
  if (refusal !== null) return fail(refusal)
  if (!handle.isAwaited)
    return fail({
      type: 'not-possible',
      message: 'This agent is already in the background: no agent waits for it.',
    })
  handle.detach()
  agent.emit({ type: 'moved-to-background', by: 'user', bubbles: true })
  return ok(undefined)
}

function runningAgent(
  { agents }: Conversation,
  agentId: string,
): Result<{ readonly handle: AgentHandle; readonly agent: LiveAgent }, NotFound | Ended> {
  const handle = agents.get(agentId)
  if (handle === null) return fail(noSuchAgent)
  const { agent } = handle
  return handle.isRunning && agent !== null ? ok({ handle, agent }) : fail(notRunning)
}

export const notRunning: Ended = { type: 'ended', message: 'This agent is not running.' }

/** Answers a permission request. */
export function answerAgent(
  { agents }: Conversation,
  { agentId, requestId }: { readonly agentId: string; readonly requestId: string },
  answer: PermissionAnswer,
): Result<void, NotFound> {
  if (agents.get(agentId)?.agent?.backing.answer(requestId, answer)) return ok(undefined)
  return fail({ type: 'not-found', message: 'This permission request is no longer open.' })
}

/** Answers a form. */
export function answerForm(
  { agents }: Conversation,
  { agentId, formId }: { readonly agentId: string; readonly formId: string },
  answer: FormAnswer,
): Result<void, NotFound> {
  if (agents.get(agentId)?.agent?.backing.answerForm(formId, answer)) return ok(undefined)
  return fail({ type: 'not-found', message: 'This form is no longer open.' })
}

/** Limits the spending of a subagent and every agent below it. */
export async function setAgentLimits(
  conversation: Conversation,
  agentId: string,
  limits: SpendLimits,
): Promise<Result<void>> {
  if (conversation.agents.isMain(agentId))
    return fail({
      type: 'not-possible',
      message: 'The main agent has the limits of its conversation. Raise those.',
    })
  const refusal = whyNotForChild(conversation, agentId, 'can’t have limits of its own')
  if (refusal !== null) return fail(refusal)
  const changed = await conversation.withAgent(agentId, (agent) =>
    agent.emit({ type: 'limits-changed', limits }),
  )
  return changed.ok ? conversation.file.tryFlush(agentId) : changed
}

/** Sets the main agent's mode. Live subagents keep a narrower mode of their own. */
export function setMode({ agents, file, ports }: Conversation, mode: PermissionMode): Result<void> {
  if (mode === 'bypassPermissions' && !ports.policy.bypassAllowed(file.record.folder))
    return fail(bypassRefused)
  for (const agent of agents.loaded()) {
    const state = agent.state()
    const isMain = agents.isMain(agent.id)
    if (!isMain && !isLive(state)) continue
    if (isMain) changeMode(agent, plainMode(mode))
    else narrowMode(agent, plainMode(mode))
  }
  // Calls that wait for the user are decided again, in the new mode.
  ports.rules.changed(null)
  return ok(undefined)
}

export const bypassRefused = {
  type: 'not-allowed',
  message:
    'The mode bypassPermissions works only in a trusted folder that you marked for it: in Settings, or for one run with --trust --mark-folder.',
}

/** Sets the model of one agent, by default the main agent, or what is chosen with it; what is missing stays. */
export async function setModel(
  conversation: Conversation,
  { model, effort, thinking }: ModelChoice,
  agentId = conversation.file.record.mainAgentId,
): Promise<Result<void>> {
  const refusal =
    whyNotForChild(conversation, agentId, 'can’t be set by itself') ??
    whyNotForProgram(conversation, agentId, OWN_CHOICES)
  if (refusal !== null) return fail(refusal)
  const id = model === undefined ? null : conversation.ports.models.resolve(model)
  return conversation.withAgent(agentId, (agent) => {
    const now = agent.state()
    if (id !== null && id !== now.model) agent.emit({ type: 'model-changed', model: id })
    if (effort !== undefined && effort !== now.effort) agent.emit({ type: 'effort-changed', effort })
    if (thinking !== undefined && thinking !== now.thinking)
      agent.emit({ type: 'thinking-changed', thinking })
  })
}

const OWN_CHOICES = 'It has its own models and settings: choose among those that its panel offers.'
