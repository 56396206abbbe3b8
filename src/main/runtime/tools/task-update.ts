/** The TaskUpdate tool: claims, releases, completes or cancels a task of the shared task list. */
import { z } from 'zod'
import { taskStatus } from '../../../shared/teams/team-schema.ts'
import type { Tool, ToolContext, ToolOutcome } from '../ports/tool.ts'
import { taskId } from './task-create.ts'

const schema = z
  .object({
    task_id: taskId.describe('The task’s id: "3".'),
    status: taskStatus
      .optional()
      .describe(
        'in_progress: claim it. completed: it is done and checked. pending: release it. canceled: nobody needs to do it.',
      ),
    owner: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('Only for the leader: the name of the member that the task is given to.'),
    result: z
      .string()
      .trim()
      .min(1)
      .max(4000)
      .optional()
      .describe(
        'With completed: what came out, in one to three sentences, for the user and for agents whose tasks depend on this one. Name files and commits.',
      ),
    depends_on: z
      .array(taskId)
      .max(200)
      .optional()
      .describe('Replaces the ids of the tasks that must be completed first.'),
  })
  .strict()

export type TaskUpdateCall = z.infer<typeof schema>

export interface TaskUpdateDeps {
  updateTask(call: TaskUpdateCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTaskUpdateTool(deps: TaskUpdateDeps): Tool<TaskUpdateCall> {
  return {
    name: 'TaskUpdate',
    aliases: [],
    description:
      'Changes a task of the shared task list. Claim a task (in_progress) before you begin it: only one agent can, and a refused claim names the free tasks. The result of "completed" names the tasks that are free then.',
    schema,
    kind: 'plan',
    icon: 'list',
    fieldAliases: { id: 'task_id', taskId: 'task_id', assignee: 'owner', dependsOn: 'depends_on' },
    ignoredFields: ['activeForm'],
    concurrent: false,
    sideEffects: () => true,
    summary: ({ task_id, status, owner }) =>
      [task_id, status?.replace('_', ' '), owner && `for ${owner}`].filter(Boolean).join(' '),
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.updateTask(call, context),
  }
}
