/** The TeamDelete tool: ends a team, by agreement or by stopping its members. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../ports/tool.ts'

/** ms */
const DEFAULT_TIMEOUT = 60_000
const LONGEST_TIMEOUT = 600_000

const schema = z
  .object({
    name: z.string().trim().min(1).max(100).describe('The team’s name.'),
    force: z
      .boolean()
      .default(false)
      .describe('true: members that work are stopped at once. Default: they finish their task first.'),
    timeout: z
      .number()
      .int()
      .min(0)
      .max(LONGEST_TIMEOUT)
      .default(DEFAULT_TIMEOUT)
      .describe('How long you wait for members that work, in ms.'),
  })
  .strict()

export type TeamDeleteCall = z.infer<typeof schema>

export interface TeamDeleteDeps {
  deleteTeam(call: TeamDeleteCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTeamDeleteTool(deps: TeamDeleteDeps): Tool<TeamDeleteCall> {
  return {
    name: 'TeamDelete',
    aliases: [],
    description:
      'Ends a team that you lead. Members that work are asked to finish their task and report, and take no new one; you wait for them until the timeout. Idle members leave at once. Reports, worktrees and the task list remain.',
    schema,
    kind: 'message',
    icon: 'people',
    fieldAliases: { team_name: 'name' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ name, force }) => (force ? `${name}, stopping its members` : name),
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.deleteTeam(call, context),
  }
}
