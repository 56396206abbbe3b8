/** The TaskOutput tool: the new output of a background command, or the state and report of a background agent. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../ports/tool.ts'

/** In ms. */
const DEFAULT_WAIT = 30_000
const LONGEST_WAIT = 600_000

const schema = z
  .object({
    task_id: z.string().trim().min(1).max(100).describe('The id, or an agent’s name.'),
    block: z.boolean().default(true).describe('Wait for the end.'),
    timeout: z.number().int().min(0).max(LONGEST_WAIT).default(DEFAULT_WAIT).describe('Longest wait, in ms.'),
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
    description:
      'The new output and the exit code of a command in the background, or the status and report of an agent. A notice tells you when either ends: call this only if you need it now or can do nothing else.',
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
