/** The MergeWorktree tool: brings what a subagent did in its worktree onto the branch it was made from. */
import { z } from 'zod'
import type { Result } from '../../../shared/result.ts'
import { type Tool, type ToolContext, type ToolOutcome, toolError } from '../tool.ts'

const schema = z
  .object({
    agent_id: z.string().trim().min(1).max(100).describe('The agent: its id, or the name it was given.'),
    method: z
      .enum(['merge', 'squash', 'rebase'])
      .default('merge')
      .describe(
        '"merge" (the default): all its commits and one that joins them; "squash": one commit; "rebase": its commits, one after the other, on top.',
      ),
  })
  .strict()

export type MergeWorktreeCall = z.infer<typeof schema>

export interface MergeWorktreeDeps {
  /** What the user is shown: which branch goes where, with its commits and files. A failure: nobody is asked. */
  preview(call: MergeWorktreeCall, context: ToolContext): Promise<Result<string>>
  /** Merges, or says why not; after that nothing has changed. */
  merge(call: MergeWorktreeCall, context: ToolContext): Promise<ToolOutcome>
}

export function createMergeWorktreeTool(deps: MergeWorktreeDeps): Tool<MergeWorktreeCall> {
  /** Calls that can't be made stay refused, whatever happens meanwhile: nobody was asked about them. */
  const refused = new WeakMap<MergeWorktreeCall, ToolOutcome>()
  return {
    name: 'MergeWorktree',
    aliases: [],
    description: `Merges the branch of an agent that worked in a worktree of its own and has ended. It goes into the branch that the worktree was made from.
The user is asked each time, so merge only what the task needs, and look at the work first: the agent's report names its branch, and git diff and git log show what is on it.
Where it conflicts with what is there, or uncommitted changes are in the way, nothing is changed, and you are told which files they are. For conflicts, resume the agent and have it merge the other branch into its own and resolve them there; then merge again. For uncommitted changes, ask the user.`,
    schema,
    fieldAliases: { agentId: 'agent_id', task_id: 'agent_id' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ agent_id, method }) => (method === 'merge' ? agent_id : `${agent_id}, ${method}`),
    target: async (call, context) => {
      const preview = await deps.preview(call, context)
      if (!preview.ok) {
        refused.set(call, toolError(preview.failure.message, 'not merged'))
        return { kind: 'none', subject: call.agent_id }
      }
      return {
        kind: 'always-ask',
        subject: call.agent_id,
        action: 'merge a branch',
        text: preview.value,
        because: 'It changes a branch of yours, so it is always asked about.',
      }
    },
    run: async (call, context) => refused.get(call) ?? (await deps.merge(call, context)),
  }
}
