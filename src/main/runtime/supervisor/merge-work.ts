/** What a MergeWorktree call does: the branch of an agent that has ended goes into the one it was made from. */
import { type AgentState, isLive } from '../../../shared/agent-state.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { ReviewWorktree } from '../../../shared/review.ts'
import { changeWords, checkWords } from '../../../shared/work-words.ts'
import type { AgentWorktree } from '../../../shared/worktree.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { MergeWorktreeCall } from '../tools/merge-worktree.ts'
import type { Conversation } from './conversation.ts'

/** What the person who is asked is shown. Failures: why it can't be merged, before anybody is asked. */
export async function previewMerge(
  conversation: Conversation,
  { agent_id, method }: MergeWorktreeCall,
  { agentId }: ToolContext,
): Promise<Result<string>> {
  const found = worktreeOf(conversation, agent_id, agentId)
  if (!found.ok) return found
  const { state, worktree } = found.value
  const { folder } = conversation.record
  const { worktrees, problem } = await conversation.deps.ports.review.list(folder, { thorough: true })
  const work = worktrees.find(({ id }) => id === worktree.id)
  if (work === undefined)
    return fail({
      type: 'not-there',
      message:
        problem ?? `The worktree of ${state.id} is gone: there was nothing in it, or it was discarded.`,
    })
  const refusal = work.problem ?? whyNot(work)
  return refusal === null
    ? ok(previewWords(state, work, method))
    : fail({ type: 'refused', message: refusal })
}

export async function mergeWork(
  conversation: Conversation,
  { agent_id, method }: MergeWorktreeCall,
  { agentId }: ToolContext,
): Promise<ToolOutcome> {
  const found = worktreeOf(conversation, agent_id, agentId)
  if (!found.ok) return toolError(found.failure.message, 'not merged')
  const { id, branch } = found.value.worktree
  const merged = await conversation.deps.ports.review.merge(
    { folder: conversation.record.folder, id },
    { method, into: null },
  )
  if (!merged.ok) return toolError(merged.failure.message, 'not merged')
  const { into, commit, commits, files } = merged.value
  return {
    isError: false,
    note: `into ${into}`,
    content: `Merged ${branch} into ${into}, which is at ${commit.slice(0, 10)} now: ${counted(commits, 'commit')}, ${counted(files, 'file')}.`,
  }
}

function worktreeOf(
  conversation: Conversation,
  idOrName: string,
  callerId: string,
): Result<{ readonly state: AgentState; readonly worktree: AgentWorktree }> {
  const isMine = ({ id, worktree }: AgentState) => worktree?.own && conversation.isBelow(id, callerId)
  const state = conversation.find(idOrName)
  if (!state?.worktree || !isMine(state)) {
    const there = conversation.states().filter(isMine)
    const known = there.map(({ id, definition, task }) => `${id} (${definition.name}: ${task})`).join(', ')
    return fail({
      type: 'not-found',
      message: `There is no agent ${idOrName} with a worktree of its own that you started. ${known === '' ? 'None of yours has one.' : `Those that have one: ${known}.`}`,
    })
  }
  if (isLive(state) || conversation.agents.get(state.id)?.run != null)
    return fail({
      type: 'in-use',
      message: `The agent ${state.id} still works in its worktree. Merge it when it has ended.`,
    })
  return ok({ state, worktree: state.worktree })
}

/** Why nobody needs to be asked. */
function whyNot({ check, branch, target, state }: ReviewWorktree): string | null {
  if (state === 'working') return `An agent works in the worktree of ${branch}. Merge it when it has ended.`
  if (check?.kind === 'nothing') return `All of ${branch} is in ${target ?? 'the branch'} already.`
  if (check?.kind === 'conflicts')
    return `${branch} conflicts with ${target ?? 'the branch that is checked out'} in ${check.files.join(', ')}. Nothing was changed.`
  return null
}

function previewWords(
  { definition, task }: AgentState,
  work: ReviewWorktree,
  method: MergeWorktreeCall['method'],
): string {
  const how = { merge: 'with a merge commit', squash: 'as one commit', rebase: 'its commits on top' }[method]
  return [
    `${work.branch} → ${work.target ?? 'the branch that is checked out'}, ${how}`,
    `${counted(work.commits, 'commit')}, ${changeWords(work)}${work.check ? `; ${checkWords(work.check)}` : ''}`,
    `by ${definition.name}: ${task}`,
  ].join('\n')
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
