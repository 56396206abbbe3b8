/** Carries out a MergeWorktree call: merges an ended agent's branch into the branch it was created from. */

import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { formatChanges, mergeCheckText } from '../../../shared/worktrees/format-work.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import type { AgentWorktree } from '../../../shared/worktrees/worktree.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { MergePreview, MergeWorktreeCall } from '../tools/merge-worktree.ts'
import type { Conversation } from './conversation.ts'
import { recordMerge } from './record-merge.ts'

/** The text of the permission request. A failure says why the branch can't be merged, before the user is asked. */
export async function previewMerge(
  conversation: Conversation,
  { agent_id, method }: MergeWorktreeCall,
  { agentId }: ToolContext,
): Promise<Result<MergePreview>> {
  const found = worktreeOf(conversation, agent_id, agentId)
  if (!found.ok) return found
  const { state, worktree } = found.value
  const { folder } = conversation.file.record
  const { worktrees, problem } = await conversation.ports.review.list(folder, { thorough: true })
  const work = worktrees.find(({ id }) => id === worktree.id)
  if (work === undefined)
    return fail({
      type: 'not-there',
      message:
        problem ?? `The worktree of ${state.id} is gone: there was nothing in it, or it was discarded.`,
    })
  const refusal = work.problem ?? refusalOf(work)
  if (refusal !== null) return fail({ type: 'refused', message: refusal })
  const { attended } = conversation.ports.policy
  return ok({
    text: previewText(state, work, method),
    worktreeId: worktree.id,
    ...(!attended && { unasked: { allowedBecause: mergesOf(conversation.file.record) } }),
  })
}

/** Why a run without a user merges what its agents did; null: it does not. */
function mergesOf({ coordinator }: Pick<ConversationRecord, 'coordinator'>): string | null {
  return coordinator ? 'Allowed by coordinator mode, which the user chose for this run.' : null
}

export async function mergeWork(
  conversation: Conversation,
  { agent_id, method }: MergeWorktreeCall,
  { agentId }: ToolContext,
): Promise<ToolOutcome> {
  const found = worktreeOf(conversation, agent_id, agentId)
  if (!found.ok) return toolError(found.failure.message, 'not merged')
  const { id, branch } = found.value.worktree
  const merged = await conversation.ports.review.merge(
    { folder: conversation.file.record.folder, id },
    { method, into: null },
  )
  if (!merged.ok) return toolError(merged.failure.message, 'not merged')
  const { into, commit, commits, files } = merged.value
  // The merge has happened: a log that can't be written shows itself at the next event.
  await recordMerge(conversation, { agentId: found.value.state.id, merged: { into, commit }, by: 'agent' })
  return {
    isError: false,
    note: `into ${into}`,
    display: { kind: 'merge', branch, into },
    content: `Merged ${branch} into ${into}, which is at ${commit.slice(0, 10)} now: ${counted(commits, 'commit')}, ${counted(files, 'file')}.`,
  }
}

function worktreeOf(
  { agents }: Conversation,
  idOrName: string,
  callerId: string,
): Result<{ readonly state: AgentState; readonly worktree: AgentWorktree }> {
  const isMine = ({ id, worktree }: AgentState) => worktree?.own && agents.isBelow(id, callerId)
  const state = agents.find(idOrName)
  if (!state?.worktree || !isMine(state)) {
    const known = agents
      .states()
      .filter(isMine)
      .map(({ id, definition, task }) => `${id} (${definition.name}: ${task})`)
      .join(', ')
    return fail({
      type: 'not-found',
      message: `There is no agent ${idOrName} with a worktree of its own that you started. ${known === '' ? 'None of yours has one.' : `Those that have one: ${known}.`}`,
    })
  }
  if (isLive(state) || agents.get(state.id)?.isRunning)
    return fail({
      type: 'in-use',
      message: `The agent ${state.id} still works in its worktree. Merge it when it has ended.`,
    })
  return ok({ state, worktree: state.worktree })
}

/** Why the merge is refused without asking the user. */
function refusalOf({ check, branch, target, state }: ReviewWorktree): string | null {
  if (state === 'working') return `An agent works in the worktree of ${branch}. Merge it when it has ended.`
  if (check?.kind === 'nothing') return `All of ${branch} is in ${target ?? 'the branch'} already.`
  if (check?.kind === 'conflicts')
    return `${branch} conflicts with ${target ?? 'the branch that is checked out'} in ${check.files.join(', ')}. Nothing was changed.`
  return null
}

function previewText(
  { definition, task }: AgentState,
  work: ReviewWorktree,
  method: MergeWorktreeCall['method'],
): string {
  const how = { merge: 'with a merge commit', squash: 'as one commit', rebase: 'its commits on top' }[method]
  return [
    `${work.branch} → ${work.target ?? 'the branch that is checked out'}, ${how}`,
    `${counted(work.commits, 'commit')}, ${formatChanges(work)}${work.check ? `; ${mergeCheckText(work.check)}` : ''}`,
    `by ${definition.name}: ${task}`,
  ].join('\n')
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
