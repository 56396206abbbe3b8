/** What a definition asks for and this version does not do yet. */
import type { AgentDefinition } from '../../shared/agent-definition/agent-definition.ts'

export interface IdleField {
  readonly field: keyof AgentDefinition
  /** What is so instead: reads on from the field's name. */
  readonly instead: string
}

/** Fields that are read, kept and shown, and that nothing in the runtime acts on. */
const IDLE = [
  ['effort', 'the model thinks as much as it does by itself'],
  ['mcpServers', 'no MCP servers are connected'],
  ['hooks', 'none of its commands are run'],
] as const satisfies readonly (readonly [keyof AgentDefinition, string])[]

export function fieldsWithoutEffect(definition: AgentDefinition): readonly IdleField[] {
  return IDLE.filter(([field]) => definition[field] !== null).map(([field, instead]) => ({ field, instead }))
}
