/** The MCP servers of an agent that is carried out again, after a restart or on another machine. */
import { isMcp } from '../../../shared/agent-definition/tool-entry.ts'
import type { Conversation } from './conversation.ts'
import type { LiveAgent } from './live-agent.ts'

/**
 * Starts the servers whose tools the agent has. A new agent's servers started before its plan. On a worker's machine,
 * what is missing there is announced to the agent as removed.
 */
export async function startOwnServers(
  { id, file, ports, relay, spawning }: Conversation,
  agent: LiveAgent,
): Promise<void> {
  const { outsideTools } = ports
  const { turns, definition } = agent.state()
  const isNew = turns === 0 && relay === null
  const hasServers = agent.prompt.toolSchemas.some(({ name }) => isMcp(name))
  if (outsideTools === undefined || isNew || !hasServers || agent.backing.name !== 'loop') return
  const { folder } = file.record
  if (relay !== null) await outsideTools.ready(folder, id)
  const { definitions } = await spawning.catalog()
  const own = definitions.find(({ name }) => name === definition.name)
  if (own) await outsideTools.need(folder, own)
}
