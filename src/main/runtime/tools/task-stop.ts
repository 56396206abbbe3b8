/** The TaskStop tool: ends an agent that works in the background, and all that it started. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts'

const schema = z
  .object({
    task_id: z.string().trim().min(1).max(100).describe('The agent: its id, or the name it was given.'),
  })
  .strict()

export type TaskStopCall = z.infer<typeof schema>

export interface TaskStopDeps {
  /** Resolves when nothing of it runs any more. */
  stop(call: TaskStopCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTaskStopTool(deps: TaskStopDeps): Tool<TaskStopCall> {
  return {
    name: 'TaskStop',
    aliases: ['KillShell', 'KillBash'],
    description:
      'Ends an agent that works in the background, when it is no longer needed or has lost its way. What it did so far stays, and it can be resumed.',
    schema,
    fieldAliases: { shell_id: 'task_id', agentId: 'task_id', agent_id: 'task_id' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ task_id }) => task_id,
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.stop(call, context),
  }
}
