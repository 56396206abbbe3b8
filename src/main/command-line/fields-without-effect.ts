/** What a definition asks for and this version does not do yet. */
import type { AgentDefinition } from '../../shared/agent-definition/agent-definition.ts'

export interface IdleField {
  readonly field: keyof AgentDefinition
  readonly value: unknown
}

/** Fields that are read, kept and shown, and that nothing in the runtime acts on. */
const IDLE = [
  'forkContext',
  'background',
  'memory',
  'effort',
  'mcpServers',
  'hooks',
  'initialPrompt',
] as const satisfies readonly (keyof AgentDefinition)[]

export function fieldsWithoutEffect(definition: AgentDefinition): readonly IdleField[] {
  return IDLE.map((field) => ({ field, value: definition[field] })).filter(
    ({ value }) => value !== null && value !== false,
  )
}
