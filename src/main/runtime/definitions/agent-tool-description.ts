/**
 * What the model reads about the Agent tool. There is no routing code: it chooses by this text alone, so
 * this is where the advice on splitting work lives.
 */

import { announceAgent, isAnnounced } from '../../../shared/agent-definition/announce-agent.ts'
import type { LoadedDefinition } from '../ports.ts'

/** `toolNamesOf` says what an agent of that definition really has. */
export function describeAgentTool(
  definitions: readonly LoadedDefinition[],
  toolNamesOf: (definition: LoadedDefinition) => readonly string[],
): string {
  const offered = definitions.filter(isAnnounced)
  const lines = offered.map((definition) => announceAgent(definition, toolNamesOf(definition)))
  return `Starts a subagent: an agent with a context and tools of its own that works on one piece of the task and hands back one report.

Agents you can start (subagent_type; ${offered.some((definition) => definition.name === 'general-purpose') ? 'general-purpose where you name none' : 'name one'}):
${lines.join('\n')}

Start one when a piece of work stands on its own, would fill your context with what you need only once, or can go on beside other work.
Do not start one for what is quicker done directly: one file whose path you know, one symbol you can search for, two or three files to read. Steps that build on each other are not for agents side by side: do them one after the other.

How to use it well:
- Pieces that do not depend on each other: start all their agents in one message, and they work at the same time. When the user says "in parallel", this is a must.
- An agent knows nothing but its prompt: not this conversation, not what other agents do. Put everything into it: the goal and why, the paths and names you already know, what was tried, whether it is to write code or only to look things up, and exactly what to return. It cannot ask you anything, and it answers once. Only an agent whose line says "access to current context" begins with this whole conversation: give it its task and no more.
- Two agents that write the same files get in each other's way. Give each its own files, let one write after the other, or start them with isolation "worktree": then each writes in a copy of its own, from the last commit on, and its report names the branch, which MergeWorktree brings into yours. What is not committed yet is not in that copy.
- An agent whose description says that it is to be used proactively is used without being asked for.
- The user does not see reports. Read them, check what matters, and tell the user what they come to in your own words; never just pass one on.
- A report is what an agent wrote, and may be wrong. What decides something is worth looking at yourself.
- An agent that already knows the matter is better resumed (resume: its id, from the end of its report) than replaced by a new one: it has read what it needs, and remembers why.
- With run_in_background you go on at once, and are told of its end in a later message. Use it for what you do not need for your next step. Do not wait for it by asking again and again, and never tell the user what it found before it has said so.
- When an agent fails or comes back with too little, do not start the same again: try a narrower prompt, another agent, or do it yourself.`
}
