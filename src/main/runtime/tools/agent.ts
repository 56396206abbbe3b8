/** The Agent tool: starts a subagent, waits for it, and hands its report back. */
import { z } from 'zod'
import type { Tool, ToolContext, ToolOutcome } from '../tool.ts'

const schema = z
  .object({
    description: z
      .string()
      .min(1)
      .describe('What it does, in three to five words. The user sees it as its task.'),
    prompt: z
      .string()
      .min(1)
      .describe('Everything it needs to know: it sees nothing of this conversation. Say what to return.'),
    subagent_type: z.string().optional().describe('Which agent; general-purpose where it is left out.'),
    model: z
      .string()
      .optional()
      .describe('haiku, sonnet, opus, inherit, or a full id; else the definition decides.'),
    max_turns: z.number().int().min(1).optional().describe('A lower limit of turns than the definition’s.'),
    resume: z
      .string()
      .trim()
      .min(1)
      .max(100)
      .optional()
      .describe('The id of an agent that has ended: it goes on with all it knows, and this prompt.'),
    run_in_background: z.boolean().optional().describe('You go on at once, and are told when it has ended.'),
    isolation: z
      .literal('worktree')
      .optional()
      .describe(
        'worktree: it works in a git worktree of its own, on a branch that can be merged afterwards.',
      ),
    name: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'letters, digits, dots and dashes, 100 at most')
      .optional()
      .describe('By which it can be written to and resumed, beside its id.'),
  })
  .strict()

export type AgentCall = z.infer<typeof schema>

export interface AgentToolDeps {
  /** Built from the agents that are loaded. */
  readonly description: string
  /** Runs the agent to its end. A failure is an outcome that says how far it came. */
  start(call: AgentCall, context: ToolContext): Promise<ToolOutcome>
}

export function createAgentTool(deps: AgentToolDeps): Tool<AgentCall> {
  return {
    name: 'Agent',
    aliases: ['Task'],
    description: deps.description,
    schema,
    fieldAliases: { agentType: 'subagent_type', background: 'run_in_background' },
    concurrent: true,
    // What it does is done by the agent; the call must be on the disk before that starts.
    sideEffects: () => true,
    summary: (call) => `${call.resume ?? call.subagent_type ?? 'general-purpose'}: ${call.description}`,
    target: async () => ({ kind: 'none' }),
    run: (call, context) => deps.start(call, context),
  }
}
