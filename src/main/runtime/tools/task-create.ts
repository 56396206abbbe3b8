/** The TaskCreate tool: adds a task to the task list that the agents of a conversation share. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../ports/tool.ts'

/** A task's id, which models also send as a number or as `#3`. */
export const taskId = z.preprocess(
  (value) =>
    typeof value === 'number'
      ? String(value)
      : typeof value === 'string'
        ? value.trim().replace(/^#/, '')
        : value,
  z.string().min(1).max(20),
)

const schema = z
  .object({
    subject: z.string().trim().min(1).max(200).describe('The task in one line.'),
    description: z
      .string()
      .trim()
      .max(50_000)
      .default('')
      .describe('All that its worker must know: goal, files, how to check it. The worker sees nothing else.'),
    depends_on: z
      .array(taskId)
      .max(200)
      .default([])
      .describe('Ids of tasks that must be completed before this one can be claimed.'),
  })
  .strict()

export type TaskCreateCall = z.infer<typeof schema>

export interface TaskCreateDeps {
  createTask(call: TaskCreateCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTaskCreateTool(deps: TaskCreateDeps): Tool<TaskCreateCall> {
  return {
    name: 'TaskCreate',
    aliases: [],
    description: `Adds a task to the task list that you share with your team; the result has its id. A task whose dependencies are open can't be claimed; when the last one is completed it is free, and an idle member is told. Make tasks that one agent finishes in one go, with files of their own. For your own steps use TodoWrite.`,
    schema,
    kind: 'plan',
    icon: 'list',
    fieldAliases: {
      title: 'subject',
      dependsOn: 'depends_on',
      blocked_by: 'depends_on',
      blockedBy: 'depends_on',
    },
    ignoredFields: ['activeForm'],
    concurrent: false,
    sideEffects: () => true,
    summary: ({ subject }) => subject,
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.createTask(call, context),
  }
}
