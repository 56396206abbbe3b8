/** The window's commands about teams and their task lists. */
import { z } from 'zod'
import { command, id } from '../kernel/command.ts'
import { userContent } from '../messages/content.ts'
import { agentNameRule } from './team.ts'
import { memberBacking, type TeamTask, taskStatus } from './team-schema.ts'

const taskId = z.string().min(1).max(20)

/** What was done for a stuck team. */
export interface TeamResumed {
  /** The ids of the agents that continue their tasks. */
  readonly resumed: readonly string[]
  /** The ids of the tasks that are free again. */
  readonly released: readonly string[]
  /** Whether the leader was told about tasks that nobody works on. */
  readonly told: boolean
}

export const teamContract = {
  /** One message of the user to several agents, in this order: the members of a team, and its leader. Fails if it could be sent to none. */
  'team.send': command<readonly { agentId: string; messageId: string; queued: boolean }[]>()(() =>
    z.object({
      conversationId: id,
      agentIds: z.array(id).min(1).max(500),
      content: userContent,
    }),
  ),
  /** The user adds an agent to a team. */
  'team.addMember': command<{ agentId: string }>()(() =>
    z.object({
      conversationId: id,
      teamId: id,
      name: z.string().trim().regex(agentNameRule.pattern, agentNameRule.rule),
      agent: z.string().trim().min(1).max(200),
      prompt: z.string().trim().min(1).max(1_000_000),
      backing: memberBacking.default('in-process'),
      isolation: z.literal('worktree').optional(),
    }),
  ),
  /** The members are asked to finish, and the team ends with the last one; `force`: they are stopped. */
  'team.end': command<void>()(() => z.object({ conversationId: id, teamId: id, force: z.boolean() })),
  /**
   * Gets a stuck team going (see `stuckState`): resumes the holders of its tasks, releases tasks whose holders can't work
   * on, and tells the leader about the others. Fails with `not-stuck` if nothing holds it up.
   */
  'team.resume': command<TeamResumed>()(() => z.object({ conversationId: id, teamId: id })),
  'task.create': command<TeamTask>()(() =>
    z.object({
      conversationId: id,
      subject: z.string().trim().min(1).max(200),
      description: z.string().trim().max(50_000),
      dependsOn: z.array(taskId).max(200),
    }),
  ),
  /** `owner`: the id of the agent that gets the task (status `in_progress`). */
  'task.update': command<TeamTask>()(() =>
    z.object({
      conversationId: id,
      taskId,
      status: taskStatus.optional(),
      owner: id.optional(),
      dependsOn: z.array(taskId).max(200).optional(),
    }),
  ),
} as const
