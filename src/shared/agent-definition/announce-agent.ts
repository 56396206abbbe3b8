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
  }: Pick<AgentDefinition, 'name' | 'description' | 'forkContext' | 'oneShot' | 'program'>,
  toolNames: readonly string[],
): string {
  const properties = forkContext ? 'Properties: access to current context; ' : ''
  const once = oneShot ? ' (answers once)' : ''
  const entry = `${listEntry(name, description)}${once}`
  if (program) return `${entry} (Tools: those of its own program)`
  return `${entry} (${properties}Tools: ${toolNames.length === 0 ? 'none' : toolNames.join(', ')})`
}

/** An entry of a list for a model. Further lines are indented, so that a description cannot look like another entry. */
export function listEntry(name: string, description: string): string {
  return `- ${name}: ${description.trim().replace(/\s*\n\s*/g, '\n  ')}`
}

/** Whether the main agent sees the agent. */
export function isAnnounced({ hidden }: Pick<AgentDefinition, 'hidden'>): boolean {
  return !hidden
}
