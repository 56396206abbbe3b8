/** An agent's entry in the main agent's tool description: everything the main agent knows when it chooses. */
import type { AgentDefinition } from './agent-definition.ts'

/** @param toolNames the agent's effective tools */
export function announceAgent(
  {
    name,
    description,
    forkContext,
    oneShot,
    program,
    tools,
    disallowedTools,
  }: Pick<
    AgentDefinition,
    'name' | 'description' | 'forkContext' | 'oneShot' | 'program' | 'tools' | 'disallowedTools'
  >,
  toolNames: readonly string[],
): string {
  const properties = forkContext ? 'Properties: access to current context; ' : ''
  const once = oneShot ? ' (answers once)' : ''
  const entry = `${listEntry(name, description)}${once}`
  if (program) return `${entry} (Tools: those of its own program)`
  // A caller that only reads starts agents that only read.
  const isWhole = tools === null && disallowedTools.length === 0 && toolNames.includes('Edit')
  const named = isWhole ? ['all'] : toolNames.filter((tool) => !OF_EVERY_AGENT.has(tool))
  return `${entry} (${properties}Tools: ${named.length === 0 ? 'none' : named.join(', ')})`
}

/** Tools that say nothing about what an agent can do. */
const OF_EVERY_AGENT: ReadonlySet<string> = new Set(['TodoWrite', 'TaskOutput', 'TaskStop', 'Skill'])

/** An entry of a list for a model. Further lines are indented, so that a description cannot look like another entry. */
export function listEntry(name: string, description: string): string {
  return `- ${name}: ${description.trim().replace(/\s*\n\s*/g, '\n  ')}`
}

/** Whether the main agent sees the agent. */
export function isAnnounced({ hidden }: Pick<AgentDefinition, 'hidden'>): boolean {
  return !hidden
}
