/** An agent as its file describes it. */
import type { PermissionMode } from '../agent-event.ts'

/** A definition with its defaults filled in; where it came from is for whoever read the file to know. */
export interface AgentDefinition {
  readonly name: string
  readonly description: string
  /** The body: the system prompt. */
  readonly prompt: string
  /** Null: all. */
  readonly tools: readonly string[] | null
  readonly disallowedTools: readonly string[]
  /** `inherit`, an alias, or an id. */
  readonly model: string
  /** One of the eight colours, or `#hex`. */
  readonly color: string
  readonly permissionMode: PermissionMode | null
  readonly maxTurns: number | null
  readonly readOnly: boolean
  readonly oneShot: boolean
  readonly reminder: string | null
  readonly omitProjectInstructions: boolean
  readonly aliases: readonly string[]
  readonly hidden: boolean
}

/** What a person should know about a file. */
export interface Diagnostic {
  /** For programs: `invalid-yaml`, `bad-maxTurns` … */
  readonly code: string
  /** An error keeps the agent from being offered. */
  readonly severity: 'notice' | 'warning' | 'error'
  /** From 1, in the file as it is. */
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface ReadDefinition {
  /** Null: not an agent, or not one that may be offered. */
  readonly definition: AgentDefinition | null
  readonly diagnostics: readonly Diagnostic[]
}
