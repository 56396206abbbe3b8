/** Checks before an agent is started: its name, and the limits. */

import { countOf } from '../../../shared/kernel/amounts.ts'
import { titleOf } from '../agent/report.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'

/** Names that mean a receiver of a message, whoever that is. */
const RESERVED = /^(?:main|parent|leader|all|user)$/i

/**
 * Why an agent can't have this name, or null. The name of an ended agent stays taken, since a message to the name
 * resumes the agent.
 */
export function whyNotNamed({ agents }: Conversation, name: string): string | null {
  if (RESERVED.test(name)) return `the name "${name}" is reserved. Choose another name.`
  const holder = agents.find(name)
  return holder === null
    ? null
    : `the name "${name}" belongs to the agent ${holder.id} (${titleOf(holder)}). Choose another name, or write to that agent.`
}

/** How many more agents an agent may start, and the limit that says so: its own, or the conversation's. */
export interface RoomForAgents {
  readonly left: number
  readonly of: 'conversation' | 'agent'
  readonly most: number
}

/** The nearest limit; the conversation's if both are equally near. */
export function roomFor({ agents, ports }: Conversation, parent: LiveAgent): RoomForAgents {
  const { maxAgents } = ports.policy
  const { spawns } = parent.state().limits
  const states = agents.states()
  // Those that external agents started by themselves can't be refused.
  const size = states.filter(({ child }) => child === null).length
  const ofAll: RoomForAgents = { left: Math.max(0, maxAgents - size), of: 'conversation', most: maxAgents }
  if (spawns === null) return ofAll
  const started = states.filter(({ parentId }) => parentId === parent.id).length
  const own: RoomForAgents = { left: Math.max(0, spawns - started), of: 'agent', most: spawns }
  return own.left < ofAll.left ? own : ofAll
}

/** Why no `count` more agents can be started, as text for the parent, or null. */
export function whyNoMore(conversation: Conversation, parent: LiveAgent, count = 1): string | null {
  const { left, of, most } = roomFor(conversation, parent)
  if (count <= left) return null
  if (of === 'conversation')
    return count === 1
      ? `This conversation has reached its limit of ${countOf(most, 'agent')}, so no more can be started. Do the rest yourself, or ask the user to raise the limit in the settings.`
      : `This conversation may have ${countOf(most, 'agent')}, so ${left} more can be started, not ${count}. Start fewer, or ask the user to raise the limit in the settings.`
  return count === 1
    ? `You have started ${countOf(most, 'agent')}, which is your limit. Do the rest yourself, and say in your report what is left.`
    : `You may start ${countOf(most, 'agent')}, so ${left} more can be started, not ${count}. Start fewer.`
}

/** Why an agent can't start an agent for a skill: a fork, and one as deep as agents may be nested. Null: it can. */
export function whyNotDeeper({ ports }: Conversation, parent: LiveAgent): string | null {
  const { depth, forkOf } = parent.state()
  if (forkOf !== null) return 'a fork starts no agents.'
  return depth < ports.policy.maxDepth
    ? null
    : `agents are nested at most ${ports.policy.maxDepth} deep here, and you are as deep.`
}
