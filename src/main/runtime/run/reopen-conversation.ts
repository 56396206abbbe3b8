/** Opens a conversation from its log for writing: agents that a dead process left running become interrupted. */

import { attemptOf, lostChecks } from '../../../shared/comparison/comparison.ts'
import type { ConversationRecord, QueuedMessage } from '../../../shared/events/conversation.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { closeCalls, recoverChanges } from '../agent/end-agent.ts'
import { AgentHandle } from '../conversation/agent-handle.ts'
import { type Assembly, Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { AgentReading, type ReadAgent, readAgent } from '../conversation/read-agent.ts'
import { receiverIds, type SortedMessages, sortMessages } from '../conversation/waiting-messages.ts'
import type { RuntimeWorkers } from '../ports/agent-backing.ts'
import type { ToolOutcome } from '../ports/tool.ts'
import type { ConversationLog } from '../ports/transcripts.ts'
import { unreportedEnds } from './background.ts'
import { interruptedCalls } from './interrupted-calls.ts'
import { startSubagent } from './run-agents.ts'
import { recordLateVerdicts } from './verification-commands.ts'

/** Takes the lock. Fails with `locked`, `not-found`, `never-began`, `imported`, or a failure of the store. */
export async function reopenConversation(
  record: ConversationRecord,
  deps: Assembly,
): Promise<Result<Conversation>> {
  const { policy, sandbox, store } = deps.ports
  if (record.imported) return fail(importedConversation)
  // The main agent is always continued, and is never a fork.
  const main = new AgentReading()
  const opened = await store.open(record, { agentId: record.mainAgentId, take: main.take })
  if (!opened.ok) return opened
  // Without its lock back, no later try could open the conversation.
  let isOpen = false
  try {
    // What its agents were told of the sandbox is compared with what holds now.
    if (policy.trusted(record.folder)) await sandbox?.policy(record.folder)
    const conversation = await readConversation(opened.value, main, deps)
    isOpen = conversation.ok
    return conversation
  } finally {
    if (!isOpen) await opened.value.close()
  }
}

/** The rights, hooks and programs of its agents are what another machine wrote. */
export const importedConversation: Failure = {
  type: 'imported',
  message:
    'This conversation was imported from a file, so it can be read and shared, but not continued. Start a new one.',
}

async function readConversation(
  log: ConversationLog,
  main: AgentReading,
  deps: Assembly,
): Promise<Result<Conversation>> {
  const { store } = deps.ports
  const { states } = log
  const { mainAgentId, queued } = log.record
  // An ended agent needs only its state. The main agent and interrupted agents are read whole.
  const isReadWhole = (state: AgentState) => state.id === mainAgentId || isLive(state)
  const read = new Map<string, ReadAgent>()
  const delivered = new Set<string>()
  const receivers = receiverIds(states, log.record)
  for (const state of states) {
    if (!isReadWhole(state) && !receivers.has(state.id)) continue
    const agent = state.id === mainAgentId ? main.end(state.id, state) : await readAgent(store, state.id)
    if (!agent.ok) return agent
    for (const messageId of agent.value.messageIds) delivered.add(messageId)
    if (isReadWhole(state)) read.set(state.id, agent.value)
  }

  const { waiting, ...corrections } = sortMessages(log.record, { delivered, states })
  const conversation = new Conversation(log, deps, waiting)
  correctRecord(conversation, corrections)
  const added = await addAgents(conversation, states, read)
  if (!added.ok) return added
  if (!conversation.agents.main)
    return fail({
      type: 'never-began',
      message: 'This conversation ended before it began, so it is empty. Start a new one.',
    })
  await conversation.commands.reportLost()
  await conversation.userCommands.reportLost()
  const late = await recordLateVerdicts(conversation)
  if (!late.ok) return late
  const told = new Set([...delivered, ...queued.map(({ messageId }) => messageId)])
  const { comparisons } = conversation.file.record
  for (const { id: comparisonId, agentId, check } of lostChecks(comparisons))
    conversation.file.emit({ type: 'comparison-checked', comparisonId, agentId, check })
  // The ends of attempts are not reported to the main agent.
  const reported = conversation.agents.states().filter(({ id }) => attemptOf(comparisons, id) === null)
  const unreported = await unreportedEnds(reported, { mainAgentId, told }, store)
  if (!unreported.ok) return unreported
  const { queue } = conversation.file
  for (const notice of unreported.value) queue.add(notice)
  for (const { id } of conversation.agents.all()) if (id !== mainAgentId) queue.passOnNotices(id, mainAgentId)
  return ok(conversation)
}

/** Corrects the record after a crash: the transcripts decide which queued messages were delivered or lost. */
function correctRecord(
  { file }: Conversation,
  { delivered, lost }: Pick<SortedMessages, 'delivered' | 'lost'>,
): void {
  const idsOf = (messages: readonly QueuedMessage[]) => messages.map(({ messageId }) => messageId)
  if (delivered.length > 0) file.emit({ type: 'message-delivered', messageIds: idsOf(delivered) })
  if (lost.length > 0)
    file.emit({ type: 'message-redirected', messageIds: idsOf(lost), agentId: file.record.mainAgentId })
}

/** Adds the agents in the order of their spawns. Children are interrupted before their parents. */
async function addAgents(
  conversation: Conversation,
  states: readonly AgentState[],
  read: ReadonlyMap<string, ReadAgent>,
): Promise<Result<void>> {
  const agents = new Map<string, LiveAgent>()
  const surviving = new Set<string>()
  // All agents that the dead process left running continue together.
  const stopId = conversation.ports.ids.next('s')
  const statesNow = () => states.map((state) => agents.get(state.id)?.state() ?? state)
  for (const [id, { spawned, ...start }] of [...read].reverse()) {
    const agent = conversation.assembly.agentOf(conversation, spawned, start)
    if (isLive(start.state) && (await survives(start.state, conversation.assembly.workers))) {
      // Its parent does not wait any more.
      if (start.state.background === 'no')
        agent.emit({ type: 'moved-to-background', by: 'call', bubbles: true })
      surviving.add(id)
    } else if (isLive(start.state)) {
      const known = await interruptedCalls(agent, statesNow(), conversation.ports.store)
      if (!known.ok) return known
      await recoverChanges(agent, conversation)
      await interrupt(agent, known.value, stopId)
    } else await recoverChanges(agent, conversation)
    agents.set(id, agent)
  }
  for (const state of states) {
    const agent = agents.get(state.id)
    conversation.agents.add(
      agent && (conversation.agents.isMain(state.id) || surviving.has(state.id))
        ? AgentHandle.idle(agent)
        : AgentHandle.ended(agent?.state() ?? state),
    )
  }
  return ok(undefined)
}

/** Whether another process still carries out the agent. */
export async function survives(state: AgentState, workers: RuntimeWorkers | null): Promise<boolean> {
  return isLive(state) && state.jobId !== null && (await workers?.isAlive(state)) === true
}

/** Follows the processes that continued while no program had the conversation open. */
export function followSurvivors(conversation: Conversation): void {
  const { agents } = conversation
  const surviving = agents
    .all()
    .filter((handle) => !agents.isMain(handle.id) && handle.agent !== null && !handle.isRunning)
  for (const handle of surviving) void startSubagent(conversation, handle)
  if (surviving.length > 0) conversation.publishSummary()
}

async function interrupt(
  agent: LiveAgent,
  known: ReadonlyMap<string, ToolOutcome>,
  stopId: string,
): Promise<void> {
  closeCalls(agent, { status: 'interrupted' }, known)
  agent.emit({
    type: 'agent-ended',
    status: 'interrupted',
    report: agent.state().lastLine,
    failure: null,
    reachedLimit: null,
    limitOf: null,
    stopId,
  })
  await agent.flush(AbortSignal.abort())
}
