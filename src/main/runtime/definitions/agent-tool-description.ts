/**
 * The description of the Agent tool. There is no routing code: the model chooses agents by this text alone, so the
 * advice on splitting work is here.
 */

import { announceAgent, isAnnounced } from '../../../shared/agent-definition/definition-messages.ts'
import type { LoadedDefinition } from '../ports/definitions.ts'

/** By agent name: the agent's line in the description. */
export function agentEntries(
  definitions: readonly LoadedDefinition[],
  toolNamesOf: (definition: LoadedDefinition) => readonly string[],
  { isMain = true }: Pick<Describing, 'isMain'> = {},
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    definitions
      .filter((definition) => isAnnounced(definition) && (isMain || !isForMain(definition)))
      .map((definition) => [definition.name, announceAgent(definition, toolNamesOf(definition))]),
  )
}

/** Whether an agent serves the user's wishes, or the whole result. A subagent can start it, and is not told of it. */
const isForMain = ({ name, source }: LoadedDefinition): boolean => source === 'built-in' && FOR_MAIN.has(name)

const FOR_MAIN: ReadonlySet<string> = new Set(['guide', 'statusline-setup', 'Verification'])

interface Describing {
  /** Whether an agent without a type starts as a fork of the caller. */
  readonly forks?: boolean
  /** Whether a main agent reads it. A subagent starts few agents, and has no user to talk to. */
  readonly isMain?: boolean
}

export function describeAgentTool(
  entries: Readonly<Record<string, string>>,
  { forks = false, isMain = true }: Describing = {},
): string {
  const lines = Object.values(entries)
  const list = `Agents (subagent_type; ${defaultType(entries, forks)}):\n${lines.join('\n')}`
  const says = (text: RegExp) => lines.some((line) => text.test(line))
  if (!isMain)
    return `Starts a subagent, which works on one piece of your task and returns one report.

${list}

As a rule do your task yourself. Start an agent where your prompt says so, or for a large piece that stands on its own; start independent pieces in one message. An agent knows only its prompt: give it the goal, the paths that you know, what not to change, and what to return.${says(WITH_CONTEXT) ? ` ${KNOWS_CONTEXT}` : ''} Agents that write must not share files, unless isolation "worktree" gives each a branch of its own. A report may be wrong: check decisive facts. After a failure try a narrower prompt, or do it yourself.`
  return `Starts a subagent, which works on one piece of the task with its own context and tools, and returns one report.

${list}

Start one for a piece that stands on its own, would fill your context with details that you need only once, or can run beside other work. Do not start one for what is faster to do directly: one file or symbol that you know, two or three files to read.

- Start independent pieces in one message: they run at the same time. If the user says "in parallel", you must do this. Steps that build on each other run one after the other.
- An agent knows only its prompt, and can't ask you anything. Write in it the goal and the reason, the paths and names that you know, what was tried, what not to change, whether to write code or only to research, and what to return.${forks || says(WITH_CONTEXT) ? ` ${forks ? FORKS_KNOW : KNOWS_CONTEXT}` : ''}
- Agents that write the same files interfere. Give each its own files, run one after the other, or set isolation "worktree": each then works on a branch of its own, in a copy of the last commit, usually without uncommitted changes.${says(/proactive/i) ? '\n- Use an agent without being asked if its line says to use it proactively.' : ''}
- The user does not see reports: say what they mean in your own words. A report may be wrong: check decisive facts yourself.
- Prefer to resume an agent that knows the subject (resume: the id at the end of its report) over starting a new one. Those marked (answers once) can't be resumed.
- Use run_in_background for results that your next step does not need. Do not poll, and tell nobody of findings before the report.
- After a failure try a narrower prompt, another agent, or do it yourself.`
}

const WITH_CONTEXT = /access to current context/
const KNOWS_CONTEXT =
  'Only an agent whose line says "access to current context" starts with this whole conversation: give it only its task.'
const FORKS_KNOW =
  'A fork, and an agent whose line says "access to current context", start with this whole conversation: give them only their task.'

function defaultType(entries: Readonly<Record<string, string>>, forks: boolean): string {
  if (forks)
    return 'without a type: a fork, which continues from this whole conversation on your model, with your tools but no agents of its own'
  return 'general-purpose' in entries ? 'general-purpose by default' : 'required'
}
