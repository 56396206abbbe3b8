/** Opens a conversation from its log, for going on: what a dead process left running is named interrupted. */
import { type AgentState, isLive } from '../../../shared/agent-state.ts'
import type { ConversationRecord } from '../../../shared/conversation.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { TranscriptStore } from '../ports.ts'
import { toolsOf } from './agent-tools.ts'
import { untoldEnds } from './background.ts'
import { closeCalls } from './close-calls.ts'
import { Conversation, type ConversationDeps } from './conversation.ts'
import { LiveAgent } from './live-agent.ts'
import { type ReadAgent, readAgent } from './read-agent.ts'

/** Takes the lock. Failures: `locked`, `not-found`, damage of a log, and what the disk says. */
export async function reopenConversation(
  record: ConversationRecord,
  store: TranscriptStore,
  deps: ConversationDeps,
): Promise<Result<Conversation>> {
  const opened = await store.open(record)
  if (!opened.ok) return opened
  const log = opened.value
  const failed = async <T>(result: Result<T>): Promise<Result<T>> => {
    await log.close()
    return result
  }
  const states = await store.states(log.record.agentIds)
  if (!states.ok) return failed(states)
  const { mainAgentId } = log.record
  // Ended agents need only their state; the main agent and those that were cut off go on from their events.
  const going = states.value.filter((state) => state.id === mainAgentId || isLive(state))
  const read: ReadAgent[] = []
  for (const { id } of going) {
    const agent = await readAgent(store, id)
    if (!agent.ok) return failed(agent)
    read.push(agent.value)
  }

  const delivered = new Set(read.flatMap((agent) => [...agent.messageIds]))
  for (const id of othersWithMail(states.value, log.record)) {
    if (going.some((state) => state.id === id)) continue
    const agent = await readAgent(store, id)
    if (!agent.ok) return failed(agent)
    for (const messageId of agent.value.messageIds) delivered.add(messageId)
  }
  // Of an agent that was new when the program died the disk may have nothing.
  const onDisk = new Set(states.value.map(({ id }) => id))
  const conversation = new Conversation(log, deps, {
    firstOrder: 1 + Math.max(-1, ...states.value.map((state) => state.lastOrder)),
    // A message that is in a transcript was delivered, whatever the record still says.
    queued: log.record.queued
      .filter((words) => !delivered.has(words.messageId))
      .map((words) => (onDisk.has(words.agentId) ? words : { ...words, agentId: mainAgentId })),
  })
  for (const state of states.value) if (!going.includes(state)) conversation.ended.set(state.id, state)
  for (const { spawned, ...rest } of read.reverse()) {
    const { state } = rest
    const agent = new LiveAgent(spawned, conversation, {
      ...toolsOf(spawned, conversation.planDeps),
      ...rest,
    })
    if (isLive(state)) await nameInterrupted(agent)
    if (state.id === mainAgentId) conversation.agents.set(agent.id, agent)
    else conversation.ended.set(agent.id, agent.state())
  }
  if (!conversation.main)
    return failed(
      fail({
        type: 'never-began',
        message: 'This conversation was cut off before it began, so nothing is in it. Start a new one.',
      }),
    )
  const waiting = log.record.queued.map(({ messageId }) => messageId)
  const untold = await untoldEnds(
    conversation.states(),
    { mainAgentId, told: new Set([...delivered, ...waiting]) },
    store,
  )
  if (!untold.ok) return failed(untold)
  for (const notice of untold.value) conversation.queue.add(notice)
  // Nobody else works now.
  for (const { id } of conversation.ended.values()) conversation.queue.passOnNotices(id, mainAgentId)
  return ok(conversation)
}

/** Agents that words wait for, and those that were to be told of an end in the background. */
function othersWithMail(
  states: readonly AgentState[],
  { queued }: Pick<ConversationRecord, 'queued'>,
): ReadonlySet<string> {
  const ids = new Set(queued.map(({ agentId }) => agentId))
  const parents = new Map(states.map(({ id, parentId }) => [id, parentId]))
  // Any agent above may have been the nearest one that still worked.
  for (const { id, background } of states)
    if (background !== 'no')
      for (let above = parents.get(id); above; above = parents.get(above)) ids.add(above)
  return new Set(states.flatMap(({ id }) => (ids.has(id) ? [id] : [])))
}

async function nameInterrupted(agent: LiveAgent): Promise<void> {
  closeCalls(agent, 'interrupted')
  agent.emit({
    type: 'agent-ended',
    status: 'interrupted',
    report: agent.state().lastLine,
    failure: null,
    reachedLimit: null,
    limitOf: null,
  })
  await agent.flush(AbortSignal.abort())
}
