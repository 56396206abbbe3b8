/** Fields of a definition that have no effect in this version. */
import type { AgentDefinition } from '../../shared/agent-definition/agent-definition.ts'

export interface IdleField {
  readonly field: keyof AgentDefinition
  /** The behavior instead. */
  readonly instead: string
}

/** @param depth 0 for a main agent */
export function fieldsWithoutEffect(definition: AgentDefinition, depth: number): readonly IdleField[] {
  const { forkContext, model, mcpServers } = definition
  const startsServers = mcpServers?.some((server) => typeof server !== 'string') ?? false
  return [
    ...(depth > 0 && forkContext && model !== 'inherit' ? [forksModel] : []),
    ...(startsServers ? [ownServers] : []),
  ]
}

const forksModel: IdleField = { field: 'model', instead: 'a fork uses its parent’s model' }
const ownServers: IdleField = {
  field: 'mcpServers',
  instead: 'servers that the file itself describes are not started; name servers of the settings',
}
