/** The tools and servers of an agent as they are now, to compare with what the agent was told. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { CurrentTools } from '../conversation/tool-changes.ts'
import type { ToolServer } from '../ports/ports.ts'
import { isNotebook } from '../tools/files/notebook.ts'
import {
  addedToolsFor,
  availableTo,
  builtInToolsFor,
  deniedTools,
  type FolderCatalog,
  listingTools,
  mayUseServer,
} from './agent-tools.ts'
import { catalogOf, noteNotebook, planDepsOf, situate } from './spawn-context.ts'

/**
 * The tools, agents and skills of an agent now. Only the main agent learns of new agents and skills: subagents are too
 * short-lived. `catalog`: the agents and skills on disk are read too.
 */
export async function currentTools(
  conversation: Conversation,
  agentId: string,
  options: { readonly catalog: boolean },
): Promise<CurrentTools> {
  const { agents, ports, file, tools, relay } = conversation
  const state = agents.state(agentId)
  if (state === null) throw new Error(`${agentId} is no agent of this conversation.`)
  const planDeps = planDepsOf(conversation)
  const reads = options.catalog && agents.isMain(agentId)
  if (reads) await ports.serverTools?.ready(file.record.folder, conversation.id)
  const catalog = reads ? await catalogOf(conversation) : null
  if (catalog !== null) await startMainServers(conversation, catalog, state)
  if (options.catalog) await situate(conversation)
  const knowsNotebook = hasSeenNotebook(conversation, agentId)
  if (knowsNotebook) noteNotebook(conversation)
  // Asked once: whether the folder is trusted is looked up on the disk.
  const situation = planDeps.situation()
  const deps = { ...planDeps, situation: () => situation }
  const denied = deniedTools(state, deps)
  const available =
    catalog === null ? null : availableTo({ ...state.definition, depth: state.depth }, catalog, deps)
  return {
    added: [
      ...addedToolsFor(state, deps),
      // A worker's agent has the tools that its sender gave it.
      ...(relay === null ? builtInToolsFor(state, { available, knowsNotebook }, deps) : []),
    ],
    // A fork keeps its parent's tools, whatever its own definition names. A call that a rule denies gets the reason.
    isThere: (name) =>
      (state.forkOf !== null || denied.has(name)) && tools.all().some((tool) => tool.name === name),
    unusable: agents.isMain(agentId)
      ? tools
          .all()
          .flatMap(({ name, unusable }) => (unusable === undefined ? [] : [{ name, because: unusable }]))
      : [],
    // A worker has started what it has: other tools of the sender's program do not come later.
    hasKnown: (source) => relay !== null || tools.hasKnown(source),
    lists: available === null ? [] : listingTools(available, deps),
  }
}

function hasSeenNotebook({ agents }: Conversation, agentId: string): boolean {
  const seen = agents.get(agentId)?.agent?.session.seen.values() ?? []
  return [...seen].some(({ path }) => isNotebook(path))
}

/** Once: those that the main agent's definition describes itself. */
async function startMainServers(
  conversation: Conversation,
  { definitions }: FolderCatalog,
  { definition }: Pick<AgentState, 'definition'>,
): Promise<void> {
  if (conversation.hasMainServers) return
  conversation.hasMainServers = true
  const own = definitions.find(({ name }) => name === definition.name)
  if (own) await conversation.ports.serverTools?.need(conversation.file.record.folder, own)
}

/** The MCP servers that the agent may use. */
export function serversOf(conversation: Conversation, agentId: string): readonly ToolServer[] {
  const { agents, ports, file } = conversation
  const state = agents.state(agentId)
  const servers = ports.serverTools?.servers(file.record.folder) ?? []
  if (state === null || servers.length === 0) return []
  const deps = planDepsOf(conversation)
  const told = agents.get(agentId)?.agent?.prompt.toolSchemas ?? []
  const has = [...told, ...addedToolsFor(state, deps)].map(({ name }) => name)
  return servers.filter((server) => mayUseServer(server, state, { has, deps }))
}
