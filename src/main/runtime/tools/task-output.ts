/** The TaskOutput tool: the state of a background agent, and its report once it has ended. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts'

/** In ms. */
const DEFAULT_WAIT = 30_000
const LONGEST_WAIT = 600_000

const schema = z
  .object({
    task_id: z.string().trim().min(1).max(100).describe('The agent’s id or name.'),
    block: z.boolean().default(true).describe('Wait for the agent’s end; false: return its present state.'),
    timeout: z
      .number()
      .int()
      .min(0)
      .max(LONGEST_WAIT)
      .default(DEFAULT_WAIT)
      .describe('The longest wait, in milliseconds.'),
  })
  .strict()

export type TaskOutputCall = z.infer<typeof schema>

export interface TaskOutputDeps {
  readTask(call: TaskOutputCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTaskOutputTool(deps: TaskOutputDeps): Tool<TaskOutputCall> {
  return {
    name: 'TaskOutput',
    aliases: ['BashOutput', 'AgentOutputTool'],
    description: `Returns the state of a background agent: its status, its present action, and its report once it has ended.
A notice brings the report when the agent ends, so use this only when you can do nothing else until then, or when the user asks about its progress.`,
    schema,
    kind: 'agent',
    icon: 'tool',
    fieldAliases: { agentId: 'task_id', agent_id: 'task_id', bash_id: 'task_id' },
    ignoredFields: 'all',
    concurrent: true,
    sideEffects: () => false,
    summary: ({ task_id }) => task_id,
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.readTask(call, context),
  }
}
