/** The recipient of a message. */
import type { AgentState } from '../../../shared/agent-state.ts'

export type Recipient =
  | { readonly kind: 'main'; readonly text: string }
  | { readonly kind: 'agent'; readonly agentId: string; readonly text: string }
  /** Several running agents have the name. */
  | { readonly kind: 'ambiguous'; readonly name: string; readonly amount: number }

/**
 * Reads an `@name` at the start of a text. The running agent with that name gets the text without the name.
 * A name that no running agent has (a definition, a person) stays in the text, for the main agent.
 */
export function recipientOf(
  text: string,
  chosen: string | null,
  agents: ReadonlyMap<string, AgentState>,
): Recipient {
  if (chosen !== null) return { kind: 'agent', agentId: chosen, text }
  const match = /^@(\S+)\s+([\s\S]+)$/.exec(text)
  if (match === null) return { kind: 'main', text }
  const [, name = '', message = ''] = match
  const named = [...agents.values()].filter(
    (agent) => agent.parentId !== null && agent.endedAt === null && agent.definition.name === name,
  )
  const [only] = named
  if (only === undefined) return { kind: 'main', text }
  if (named.length > 1) return { kind: 'ambiguous', name, amount: named.length }
  return { kind: 'agent', agentId: only.id, text: message }
}
