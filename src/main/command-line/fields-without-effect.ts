/** Fields of a definition that have no effect in this version. */
import type { AgentDefinition } from '../../shared/agent-definition/agent-definition.ts'

export interface IdleField {
  readonly field: keyof AgentDefinition
  /** The behavior instead. */
  readonly instead: string
}

/** @param depth 0 for a main agent */
export function fieldsWithoutEffect(definition: AgentDefinition, depth: number): readonly IdleField[] {
  const { forkContext, model } = definition
  return depth > 0 && forkContext && model !== 'inherit' ? [forksModel] : []
}

const forksModel: IdleField = { field: 'model', instead: 'a fork uses its parent’s model' }
