/** The MergeWorktree tool: merges a subagent's worktree branch into the branch it was created from. */
import { z } from 'zod'
import type { Result } from '../../../shared/kernel/result.ts'
import { type Tool, type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'

const schema = z
  .object({
    agent_id: z.string().trim().min(1).max(100).describe('Its id or name.'),
    method: z
      .enum(['merge', 'squash', 'rebase'])
      .default('merge')
      .describe(
        'merge (default): its commits and a merge commit; squash: one commit; rebase: its commits on top.',
      ),
  })
  .strict()

export type MergeWorktreeCall = z.infer<typeof schema>

export interface MergePreview {
  /** For the permission request: both branches, commits and files. */
  readonly text: string
  /** The id by which the user merges the worktree on the command line. */
  readonly worktreeId: string
  /** Set where no user answers in this run. */
  readonly unasked?: { readonly allowedBecause: string | null }
}

export interface MergeWorktreeDeps {
  /** After a failure the user is not asked. */
  previewMerge(call: MergeWorktreeCall, context: ToolContext): Promise<Result<MergePreview>>
  /** Merges. Where that fails nothing has changed. */
  mergeWork(call: MergeWorktreeCall, context: ToolContext): Promise<ToolOutcome>
}

export function createMergeWorktreeTool(deps: MergeWorktreeDeps): Tool<MergeWorktreeCall> {
  /** Calls that failed in the preview: the user was not asked, so they stay refused. */
  const refused = new WeakMap<MergeWorktreeCall, ToolOutcome>()
  return {
    name: 'MergeWorktree',
    aliases: [],
    description: `Merges the branch of an ended agent, which worked in its own worktree, into the branch that the worktree was created from. Where a user answers, the user is asked each time. Check the work first with git diff and git log: the agent's report names its branch. On conflicts, or with uncommitted changes in the way, nothing changes, and the result names the files. For conflicts resume the agent, which merges the target branch into its own; then merge again. For uncommitted changes ask the user.`,
    schema,
    kind: 'other',
    icon: 'tool',
    fieldAliases: { agentId: 'agent_id', task_id: 'agent_id' },
    concurrent: false,
    sideEffects: () => true,
    summary: ({ agent_id, method }) => (method === 'merge' ? agent_id : `${agent_id}, ${method}`),
    target: async (call, context) => {
      const preview = await deps.previewMerge(call, context)
      if (!preview.ok) {
        refused.set(call, toolError(preview.failure.message, 'not merged'))
        return { kind: 'none', subject: call.agent_id }
      }
      return {
        kind: 'always-ask',
        subject: call.agent_id,
        action: 'merge a branch',
        text: preview.value.text,
        because: 'A merge changes your branch, so Troupe always asks.',
        remedy: `The user can merge it: "troupe worktrees merge ${preview.value.worktreeId}".`,
        ...(preview.value.unasked && { unasked: preview.value.unasked }),
      }
    },
    run: async (call, context) => refused.get(call) ?? (await deps.mergeWork(call, context)),
  }
}
