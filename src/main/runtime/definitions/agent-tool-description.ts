/**
 * The description of the Agent tool. There is no routing code: the model chooses agents by this text alone, so the
 * advice on splitting work is here.
 */

import { announceAgent, isAnnounced } from '../../../shared/agent-definition/announce-agent.ts'
import type { LoadedDefinition } from '../ports.ts'

/** By agent name: the agent's line in the description. */
export function agentEntries(
  definitions: readonly LoadedDefinition[],
  toolNamesOf: (definition: LoadedDefinition) => readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    definitions
      .filter(isAnnounced)
      .map((definition) => [definition.name, announceAgent(definition, toolNamesOf(definition))]),
  )
}

/** `forks`: an agent without a type starts as a fork of the caller. */
export function describeAgentTool(entries: Readonly<Record<string, string>>, forks = false): string {
  return `Starts a subagent: an agent with its own context and tools, which works on one piece of the task and returns one report.

Agents you can start (subagent_type; ${defaultType(entries, forks)}):
${Object.values(entries).join('\n')}

Start one when a piece of work is self-contained, would fill your context with details you need only once, or can run beside other work.
Do not start one for work that is faster to do directly: one file whose path you know, one symbol you can search for, two or three files to read. Do not run steps that build on each other in parallel: do them one after the other.

How to use it well:
- Start agents for independent pieces in one message: then they run at the same time. If the user says "in parallel", you must do this.
- An agent knows only its prompt: neither this conversation nor the work of other agents. Put everything into the prompt: the goal and the reason, the paths and names you already know, what was tried, whether to write code or only to research, and exactly what to return. The agent cannot ask you anything. ${forks ? 'A fork, and an agent whose line says "access to current context", start' : 'Only an agent whose line says "access to current context" starts'} with this whole conversation: give ${forks ? 'them only their task' : 'it only its task'}.
- Two agents that write the same files interfere. Give each its own files, let one write after the other, or start them with isolation "worktree": then each writes in its own copy of the last commit, and its report names the branch, which MergeWorktree merges into yours. Uncommitted changes are usually not in that copy; the result names what the copy lacks.
- Use an agent without being asked if its description says to use it proactively.
- The user does not see reports. Read them, check what matters, and summarize them for the user in your own words; never just forward one.
- An agent wrote the report, and the report may be wrong. Verify decisive facts yourself.
- Prefer to resume an agent that already knows the subject (resume: its id, from the end of its report) over starting a new one: it still has everything it read. Agents marked (answers once) cannot be resumed.
- With run_in_background you continue at once, and a notice brings the report when the agent ends. Use it for results you do not need for your next step. Do not poll for the end, and never tell the user about findings before the agent has reported them.
- If an agent fails or returns too little, do not start the same again: try a narrower prompt, another agent, or do the work yourself.`
}

function defaultType(entries: Readonly<Record<string, string>>, forks: boolean): string {
  if (forks)
    return 'without a type: a fork, which continues from this whole conversation on your model, with your tools but no agents of its own'
  return 'general-purpose' in entries ? 'general-purpose by default' : 'required'
}
