/** The TaskOutput tool: how far an agent in the background is, and its report once it has ended. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts'

/** ms. */
const USUAL_WAIT = 30_000
const LONGEST_WAIT = 600_000

const schema = z
  .object({
    task_id: z.string().trim().min(1).max(100).describe('The agent: its id, or the name it was given.'),
    block: z.boolean().default(true).describe('Wait until it has ended; false: look how far it is.'),
    timeout: z
      .number()
      .int()
      .min(0)
      .max(LONGEST_WAIT)
      .default(USUAL_WAIT)
      .describe('How long to wait at most, in milliseconds.'),
  })
  .strict()

export type TaskOutputCall = z.infer<typeof schema>

export interface TaskOutputDeps {
  read(call: TaskOutputCall, context: ToolContext): Promise<ToolOutcome>
}

export function createTaskOutputTool(deps: TaskOutputDeps): Tool<TaskOutputCall> {
  return {
    name: 'TaskOutput',
    aliases: ['BashOutput', 'AgentOutputTool'],
    description: `Says how far an agent in the background is: whether it works, what it does at the moment, and its report once it has ended.
You are told of its end without asking, so use this only when you can do nothing else before you know, or when the user asks how it is going.`,
    schema,
    fieldAliases: { agentId: 'task_id', agent_id: 'task_id', bash_id: 'task_id' },
    concurrent: true,
    sideEffects: () => false,
    summary: ({ task_id }) => task_id,
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.read(call, context),
  }
}
