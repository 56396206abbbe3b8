/** Resumes, after a restart, the agents that waited for a usage limit when the program ended. */

import type { Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { stoppedTogether } from '../../../shared/state/stopped-together.ts'
import type { Assembly, Conversation } from '../conversation/conversation.ts'
import { asInterrupted } from '../conversation/summarize-conversation.ts'
import { continueStopped } from './continue-stopped.ts'
import type { OpenConversations } from './open-conversations.ts'

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
