/** Fields of a definition that have no effect in this version. */
import type { AgentDefinition } from '../../shared/agent-definition/agent-definition.ts'

export interface IdleField {
  readonly field: keyof AgentDefinition
  /** The behavior instead. */
  readonly instead: string
}

/** Fields that are parsed, kept and shown, but that the runtime ignores. */
const IDLE = [['mcpServers', 'no MCP servers are connected']] as const satisfies readonly (readonly [
  keyof AgentDefinition,
  string,
])[]

/** @param depth 0 for a main agent */
export function fieldsWithoutEffect(definition: AgentDefinition, depth: number): readonly IdleField[] {
  const idle = IDLE.filter(([field]) => definition[field] !== null).map(([field, instead]) => ({
    field,
    instead,
  }))
  const { forkContext, model } = definition
  return depth === 0 || !forkContext || model === 'inherit'
    ? idle
    : [{ field: 'model', instead: 'a fork uses its parent’s model' }, ...idle]
}
