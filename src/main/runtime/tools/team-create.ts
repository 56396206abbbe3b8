/** The TeamCreate tool: starts named agents that work together on a shared task list. */
import { z } from 'zod'
import { agentName } from '../../../shared/team.ts'
import { memberBacking, workerPlatform } from '../../../shared/team-schema.ts'
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts'
import { countOf } from './amounts.ts'

/** In one call. */
const MOST_MEMBERS = 50

const member = z
  .object({
    name: z
      .string()
      .trim()
      .regex(agentName.pattern, agentName.rule)
      .describe('Its name for messages: unique in this conversation.'),
    agent: z.string().trim().min(1).describe('The agent type, from the list of the Agent tool.'),
    prompt: z
      .string()
      .min(1)
      .describe(
        'Its whole task, or how it takes tasks from the task list. It sees nothing else of this conversation.',
      ),
    backing: memberBacking
      .optional()
      .describe(
        'in-process (default): in this program. pane: in a process of its own on this machine. remote: on another machine, in a git worktree.',
      ),
    platform: workerPlatform
      .optional()
      .describe('With backing remote: the system that the other machine must run.'),
    isolation: z
      .literal('worktree')
      .optional()
      .describe('worktree: it works in its own git worktree, on a branch that can be merged later.'),
    model: z.string().optional().describe('haiku, sonnet, opus, inherit, or a full id.'),
  })
  .strict()

const schema = z
  .object({
    name: z.string().trim().regex(agentName.pattern, agentName.rule).describe('The team’s name.'),
    members: z
      .array(z.preprocess(withCanonicalFields, member))
      .min(1)
      .max(MOST_MEMBERS)
      .describe('All members of the team, at once.'),
  })
  .strict()

export type TeamCreateCall = z.infer<typeof schema>
export type MemberCall = z.infer<typeof member>

/** Names that other programs and other tools of this program have for a member's fields. */
const ALIASES: Readonly<Record<string, keyof MemberCall>> = {
  agentType: 'agent',
  agent_type: 'agent',
  subagent_type: 'agent',
  type: 'agent',
  task: 'prompt',
}

function withCanonicalFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const given = new Set(entries.map(([name]) => name))
  return Object.fromEntries(
    entries.map(([name, field]) => {
      const own = Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined
      return [own === undefined || given.has(own) ? name : own, field]
    }),
  )
}

export interface TeamCreateDeps {
  /** All members start, or none. */
  createTeam(call: TeamCreateCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTeamCreateTool(deps: TeamCreateDeps): Tool<TeamCreateCall> {
  return {
    name: 'TeamCreate',
    aliases: [],
    description: `Starts a team: named agents that work in the background at the same time, write to each other and share a task list. You are the leader.
Use a team instead of Agent calls when several agents work through many tasks that depend on each other, or must tell each other what they find. For independent tasks, Agent calls in one message are simpler.
First create the tasks with TaskCreate, then the team: each member takes a free task, completes it and takes the next one. Or give each member its own task in its prompt. Members that write must not change the same files; give them worktrees (isolation) if they might.
All members start, or none: the error lists every problem. When a member ends its run, a notice brings you its report. Then the member is idle and costs nothing; SendMessage resumes it with everything it knows, and so does a free task. End the team with TeamDelete when the work is done.`,
    schema,
    kind: 'message',
    icon: 'people',
    fieldAliases: { team_name: 'name', teammates: 'members', agents: 'members' },
    ignoredFields: ['description'],
    concurrent: false,
    // The call must be on disk before the members start.
    sideEffects: () => true,
    summary: ({ name, members }) =>
      `${name}: ${countOf(members.length, 'member')} (${members.map((one) => one.name).join(', ')})`,
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.createTeam(call, context),
  }
}
