/** Resumes the agents that one stop, or the death of the program, ended at once. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { stoppedTogether } from '../../../shared/state/stopped-together.ts'
import { noticeId } from '../agent/report.ts'
import type { Assembly, Conversation } from '../conversation/conversation.ts'
import { asInterrupted } from '../conversation/summarize-conversation.ts'
import { heldTasks, resumption } from './control.ts'
import type { OpenConversations } from './open-conversations.ts'
import { queueMessage } from './send-message.ts'

/**
 * Resumes every agent of the last stop, with its old definition. Subagents of resumed parents work in the background
 * from here on: the calls that waited for them are closed. Fails with the first agent that can't be resumed; the others
 * are resumed anyway. `ended`: no stopped agent is left.
 */
export async function continueStopped(conversation: Conversation): Promise<Result<void>> {
  const stopped = stoppedTogether(conversation.agents.states())
  if (stopped.length === 0)
    return fail({ type: 'ended', message: 'No agents are left to continue: all were resumed already.' })
  const ids = new Set(stopped.map(({ id }) => id))
  const resumed: AgentState[] = []
  let outcome: Result<void> = ok(undefined)
  // Subagents first, so that a parent's notice names only the subagents that were really resumed.
  for (const state of stopped.toReversed()) {
    const isChild = state.parentId !== null && ids.has(state.parentId)
    const children = resumed.filter(({ parentId }) => parentId === state.id)
    const one = await resume(conversation, state, { isChild, children })
    if (one.ok) resumed.push(state)
    else if (outcome.ok) outcome = one
  }
  return outcome
}

async function resume(
  conversation: Conversation,
  state: AgentState,
  { isChild, children }: { readonly isChild: boolean; readonly children: readonly AgentState[] },
): Promise<Result<void>> {
  // The parent must not get a notice that the agent was stopped.
  conversation.file.queue.remove(noticeId(state))
  if (isChild && state.background === 'no') {
    const moved = await conversation.withAgent(state.id, (agent) =>
      agent.emit({ type: 'moved-to-background', by: 'user', bubbles: true }),
    )
    if (!moved.ok) return moved
  }
  const said = await queueMessage(conversation, {
    agentId: state.id,
    from: 'runtime',
    sender: null,
    ...resumption(heldTasks(conversation, state.id) + childrenText(children)),
  })
  return said.ok ? ok(undefined) : said
}

function childrenText(children: readonly AgentState[]): string {
  if (children.length === 0) return ''
  const list = children.map(({ id, definition, task }) => `${id} (${definition.name}: ${task})`).join(', ')
  return ` Subagents that were stopped with you were resumed too and work in the background: ${list}. Do not start them again: you are told when each one ends, with its report.`
}

/** Older conversations are not searched, in ms: limits of the API last for days at most. */
const RECENT_MS = 8 * 86_400_000

/** Resumes them in all recent conversations; they wait for the rest of the limit. @returns the conversations' ids */
export async function resumeLimited(
  conversations: OpenConversations,
  deps: Assembly,
): Promise<readonly string[]> {
  const { store, clock } = deps.ports
  const resumed: string[] = []
  for (const record of await store.list()) {
    if (record.scratch || record.rehearsal || record.updatedAt < clock.now() - RECENT_MS) continue
    if (conversations.get(record.id) !== null || (await store.lockedByOther(record.id))) continue
    const states = await store.states(record.agentIds)
    if (!states.ok || limitEnd(states.value.map(asInterrupted)) === null) continue
    const result = await conversations.use(record.id, (conversation) => continueLimited(conversation, deps))
    if (result.ok) resumed.push(record.id)
  }
  return resumed
}

/** Resumes the agents of the last stop. They wait for the rest of the usage limit that they waited for. */
export async function continueLimited(
  conversation: Conversation,
  { loop, ports }: Pick<Assembly, 'loop' | 'ports'>,
): Promise<Result<void>> {
  const now = ports.clock.now()
  for (const { limitedUntil, model } of stoppedTogether(conversation.agents.states())) {
    const gate = loop.gates.of(model)
    if (limitedUntil !== null && limitedUntil > Math.max(now, gate.usageLimit ?? 0))
      gate.limitUntil(limitedUntil)
  }
  return continueStopped(conversation)
}

/** The latest end among the agents that were stopped together; null: none of them waited for a limit. */
function limitEnd(states: readonly AgentState[]): number | null {
  const ends = stoppedTogether(states).flatMap(({ limitedUntil }) => limitedUntil ?? [])
  return ends.length === 0 ? null : Math.max(...ends)
}
