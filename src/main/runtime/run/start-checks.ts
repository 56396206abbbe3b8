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

/** Why no `count` more agents can be started, or null. */
export function whyNoMore({ agents, ports }: Conversation, parent: LiveAgent, count = 1): string | null {
  const { maxAgents } = ports.policy
  // Those that external agents started by themselves can't be refused.
  const size = agents.states().filter(({ child }) => child === null).length
  if (size + count > maxAgents)
    return count === 1
      ? `This conversation has reached its limit of ${countOf(maxAgents, 'agent')}, so no more can be started. Do the rest yourself, or ask the user to raise the limit in the settings.`
      : `This conversation may have ${countOf(maxAgents, 'agent')} and has ${size}, so ${count} more can't be started. Start fewer, or ask the user to raise the limit in the settings.`
  const { spawns } = parent.state().limits
  if (spawns === null) return null
  const started = agents.states().filter(({ parentId }) => parentId === parent.id).length
  if (started + count <= spawns) return null
  return count === 1
    ? `You have started ${countOf(spawns, 'agent')}, which is your limit. Do the rest yourself, and say in your report what is left.`
    : `You may start ${countOf(spawns, 'agent')} and have started ${started}, so ${count} more can't be started. Start fewer.`
}

/** Why an agent can't start an agent for a skill: a fork, and one as deep as agents may be nested. Null: it can. */
export function whyNotDeeper({ ports }: Conversation, parent: LiveAgent): string | null {
  const { depth, forkOf } = parent.state()
  if (forkOf !== null) return 'a fork starts no agents.'
  return depth < ports.policy.maxDepth
    ? null
    : `agents are nested at most ${ports.policy.maxDepth} deep here, and you are as deep.`
}
