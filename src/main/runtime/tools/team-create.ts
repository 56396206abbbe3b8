/** The TeamCreate tool: starts named agents that work together on a shared task list. */
import { z } from 'zod'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { agentNameRule } from '../../../shared/teams/team.ts'
import { memberBacking, workerPlatform } from '../../../shared/teams/team-schema.ts'
import type { Tool, ToolContext, ToolOutcome } from '../ports/tool.ts'

/** In one call. */
const MOST_MEMBERS = 50

const member = z
  .object({
    name: z
      .string()
      .trim()
      .regex(agentNameRule.pattern, agentNameRule.rule)
      .describe('Unique in this conversation.'),
    agent: z.string().trim().min(1).describe('The agent type, from the list of the Agent tool.'),
    prompt: z
      .string()
      .min(1)
      .describe(
        'Its whole task, or how it takes tasks from the task list. It sees nothing of this conversation.',
      ),
    backing: memberBacking
      .optional()
      .describe(
        'in-process (default): in this program; pane: in its own process; remote: on another machine, in a git worktree.',
      ),
    platform: workerPlatform.optional().describe('With remote: the system of that machine.'),
    isolation: z
      .literal('worktree')
      .optional()
      .describe('It works in its own git worktree, on a branch that can be merged later.'),
    model: z.string().optional().describe('haiku, sonnet, opus, inherit, or a full id.'),
  })
  .strict()

const schema = z
  .object({
    name: z.string().trim().regex(agentNameRule.pattern, agentNameRule.rule),
    members: z.array(z.preprocess(withCanonicalFields, member)).max(MOST_MEMBERS).default([]),
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
    description: `Starts a team that you lead: named agents that work in the background at the same time, write to each other and share a task list. Use it instead of Agent calls when pieces wait for each other, or when agents must tell each other what they find. With it you get TaskCreate, TaskUpdate, TaskList and TeamDelete.
Give each member its task in its prompt. Or start the team without members, write the tasks, and add members with Agent (name, team_name) that take one task after the other. Members that might change the same files need worktrees (isolation).
All members start, or none. A notice brings you each member's report; then it is idle and costs nothing until a message or a free task resumes it.`,
    schema,
    kind: 'message',
    icon: 'people',
    fieldAliases: { team_name: 'name', teammates: 'members', agents: 'members' },
    ignoredFields: ['description'],
    concurrent: false,
    // The call must be on disk before the members start.
    sideEffects: () => true,
    summary: ({ name, members }) =>
      members.length === 0
        ? name
        : `${name}: ${countOf(members.length, 'member')} (${members.map((one) => one.name).join(', ')})`,
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.createTeam(call, context),
  }
}
