/** The TaskStop tool: stops a background command, or a background agent and all agents that it started. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../ports/tool.ts'

const schema = z
  .object({
    task_id: z.string().trim().min(1).max(100).describe('The id, or an agent’s name.'),
  })
  .strict()

export type TaskStopCall = z.infer<typeof schema>

export interface TaskStopDeps {
  /** Resolves when the agent and its processes have ended. */
  stopTask(call: TaskStopCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTaskStopTool(deps: TaskStopDeps): Tool<TaskStopCall> {
  return {
    name: 'TaskStop',
    aliases: ['KillShell', 'KillBash'],
    description: 'Stops a command or an agent in the background. Its work so far remains.',
    schema,
    kind: 'agent',
    icon: 'tool',
    fieldAliases: { shell_id: 'task_id', agentId: 'task_id', agent_id: 'task_id' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ task_id }) => task_id,
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.stopTask(call, context),
  }
}
