/** The line by which an agent is offered: all that the main agent knows of it when it chooses. */
import type { AgentDefinition } from './agent-definition.ts'

/** `toolNames`: those it really has. */
export function announceAgent(
  { name, description, forkContext }: Pick<AgentDefinition, 'name' | 'description' | 'forkContext'>,
  toolNames: readonly string[],
): string {
  const properties = forkContext ? 'Properties: access to current context; ' : ''
  return `${listEntry(name, description)} (${properties}Tools: ${toolNames.length === 0 ? 'none' : toolNames.join(', ')})`
}

/** An entry of a list that a model reads. Further lines are set in: a description must not look like another entry. */
export function listEntry(name: string, description: string): string {
  return `- ${name}: ${description.trim().replace(/\s*\n\s*/g, '\n  ')}`
}

/** Whether the main agent is told of it. */
export function isAnnounced({ hidden }: Pick<AgentDefinition, 'hidden'>): boolean {
  return !hidden
}
