/** The TaskOutput tool: the new output of a background command, or the state and report of a background agent. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts'

/** In ms. */
const DEFAULT_WAIT = 30_000
const LONGEST_WAIT = 600_000

const schema = z
  .object({
    task_id: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .describe('The id of the command, or the id or name of the agent.'),
    block: z
      .boolean()
      .default(true)
      .describe('Wait for the end of the command or agent; false: return its present state.'),
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
    description: `Returns the state of what you started in the background. Of a command: its new output since your last read, whether it runs, and its exit code. Of an agent: its status, its present action, and its report once it has ended.
A notice tells you when either ends. Use this tool when you need the output, when you can do nothing else until the end, or when the user asks about the progress.`,
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
