/**
 * The name of an agent, the same everywhere it is shown: its task, and a letter where several agents of a conversation
 * have the same task, such as the attempts of a comparison.
 */
import { makeVisible } from '../kernel/visible-text.ts'
import type { AgentState } from './agent-state.ts'

export interface AgentName {
  /** One line, with invisible characters spelled out. */
  readonly title: string
  /** A, B, C … in the order in which the namesakes started; null for a title that no other agent has. */
  readonly letter: string | null
}

type Named = Pick<AgentState, 'id' | 'parentId' | 'teamId' | 'name' | 'task' | 'definition'>

/** The names of all agents of a conversation, by id. */
export function agentNames(agents: Iterable<Named>): ReadonlyMap<string, AgentName> {
  const titles = new Map<string, string>()
  const bearers = new Map<string, number>()
  for (const agent of agents) {
    const title = titleOf(agent)
    titles.set(agent.id, title)
    bearers.set(title, (bearers.get(title) ?? 0) + 1)
  }
  const names = new Map<string, AgentName>()
  const lettered = new Map<string, number>()
  for (const [id, title] of titles) {
    const index = lettered.get(title) ?? 0
    lettered.set(title, index + 1)
    names.set(id, { title, letter: (bearers.get(title) ?? 0) > 1 ? letterAt(index) : null })
  }
  return names
}

/** The name on one line of text: "Trace the retry path", or "Trace the retry path B". */
export function nameText({ title, letter }: AgentName): string {
  return letter === null ? title : `${title} ${letter}`
}

/** The name within a sentence: “Trace the retry path”. The role of the main agent needs no quotes. */
export function mentionText(name: AgentName): string {
  return name.title === MAIN ? MAIN : `“${nameText(name)}”`
}

const MAIN = 'Main agent'

/** A, B … Z, AA, AB … for 0, 1 … */
export function letterAt(index: number): string {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : letterAt(Math.floor(index / 26) - 1) + last
}

/**
 * The task. A member of a team has a name by which the user and other agents write to it, so that name is its title. An
 * agent without a task, such as a subagent of an external agent, is named after its type.
 */
function titleOf({ parentId, teamId, name, task, definition }: Named): string {
  if (parentId === null) return MAIN
  if (teamId !== null && name !== null) return name
  const title = makeVisible(task.trim().split('\n', 1)[0] ?? '').trim()
  return title === '' ? definition.name : title
}
