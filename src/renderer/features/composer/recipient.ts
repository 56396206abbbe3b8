/** Whom a message is for. */
import type { AgentState } from '../../../shared/agent-state.ts'

export type Recipient =
  | { readonly kind: 'main'; readonly text: string }
  | { readonly kind: 'agent'; readonly agentId: string; readonly text: string }
  /** Several live agents have that name. */
  | { readonly kind: 'unclear'; readonly name: string; readonly amount: number }

/**
 * Reads an `@name` at the start of a text: a live agent of that name is spoken to, without the name. What
 * names no live agent (a definition, a person) stays in the text and goes to the main agent.
 */
export function recipientOf(
  text: string,
  chosen: string | null,
  agents: ReadonlyMap<string, AgentState>,
): Recipient {
  if (chosen !== null) return { kind: 'agent', agentId: chosen, text }
  const match = /^@(\S+)\s+([\s\S]+)$/.exec(text)
  if (match === null) return { kind: 'main', text }
  const [, name = '', words = ''] = match
  const named = [...agents.values()].filter(
    (agent) => agent.parentId !== null && agent.endedAt === null && agent.definition.name === name,
  )
  const [only] = named
  if (only === undefined) return { kind: 'main', text }
  if (named.length > 1) return { kind: 'unclear', name, amount: named.length }
  return { kind: 'agent', agentId: only.id, text: words }
}
