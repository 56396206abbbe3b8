/** The TaskList tool: shows the shared task list. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../ports/tool.ts'

const schema = z
  .object({ task_id: z.string().trim().optional().describe('Only this task, with its whole description.') })
  .strict()

export type TaskListCall = z.infer<typeof schema>

export interface TaskListDeps {
  listTasks(call: TaskListCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTaskListTool(deps: TaskListDeps): Tool<TaskListCall> {
  return {
    name: 'TaskList',
    aliases: [],
    description:
      'Shows the tasks of your team: which are free, which wait for others, who works on which, and which are done. A notice tells idle members of free tasks, so do not look again and again.',
    schema,
    kind: 'plan',
    icon: 'list',
    fieldAliases: { taskId: 'task_id', id: 'task_id' },
    ignoredFields: 'all',
    concurrent: true,
    sideEffects: () => false,
    summary: ({ task_id }) => task_id ?? '',
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.listTasks(call, context),
  }
}
