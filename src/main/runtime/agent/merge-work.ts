/** Merges an ended agent's branch into the branch it was created from, and records the merge of an attempt. */

import { attemptOf, type Comparison } from '../../../shared/comparison/comparison.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { formatChanges, mergeCheckText } from '../../../shared/worktrees/format-work.ts'
import type { ReviewWorktree } from '../../../shared/worktrees/review.ts'
import type { AgentWorktree } from '../../../shared/worktrees/worktree.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import type { MergePreview, MergeWorktreeCall } from '../tools/merge-worktree.ts'

/** The text of the permission request of a MergeWorktree call. A failure says why the branch can't be merged, before the user is asked. */
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

/** Carries out a MergeWorktree call. */
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
    content: `Merged ${branch} into ${into}, which is at ${commit.slice(0, 10)} now: ${countOf(commits, 'commit')}, ${countOf(files, 'file')}.`,
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
    `${countOf(work.commits, 'commit')}, ${formatChanges(work)}${work.check ? `; ${mergeCheckText(work.check)}` : ''}`,
    `by ${definition.name}: ${task}`,
  ].join('\n')
}

interface MergeOfWork {
  readonly agentId: string
  /** Null: the last merge was undone. */
  readonly merged: { readonly into: string; readonly commit: string } | null
  /** The main agent is told of what the user did. */
  readonly by: 'user' | 'agent'
}

/**
 * Records that an attempt of a comparison was merged. The main agent reads it in its next turn. Ignores agents that are no
 * attempts. Fails if the log can't be written.
 */
export async function recordMerge(
  { file, agents }: Conversation,
  { agentId, merged, by }: MergeOfWork,
): Promise<Result<void>> {
  const found = attemptOf(file.record.comparisons, agentId)
  if (found === null) return ok(undefined)
  const { comparison, attempt } = found
  // Told twice: by the command that merged, and by the list of worktrees.
  if (merged !== null && comparison.merged?.agentId === agentId && comparison.merged.commit === merged.commit)
    return ok(undefined)
  file.emit({
    type: 'comparison-merged',
    comparisonId: comparison.id,
    merged: merged && { agentId, ...merged },
  })
  const subject = { ...attempt, others: otherAttempts(comparison, agentId) }
  if (by === 'user')
    agents.main?.agent?.transcript.tell(mergedText(subject, merged), {
      note: mergedNote(attempt.agent, merged),
    })
  const main = agents.main?.id
  const flushed = main === undefined ? ok(undefined) : await file.tryFlush(main)
  return flushed.ok ? file.save() : flushed
}

const otherAttempts = ({ attempts }: Comparison, agentId: string): string =>
  attempts
    .filter((other) => other.agentId !== agentId)
    .map((other) => `${other.agent} (${other.agentId})`)
    .join(', ')

const mergedNote = (agent: string, merged: MergeOfWork['merged']): string =>
  merged === null
    ? `You undid the merge of the work of ${agent}.`
    : `You merged the work of ${agent} into ${merged.into}.`

function mergedText(
  { agent, agentId, others }: { readonly agent: string; readonly agentId: string; readonly others: string },
  merged: MergeOfWork['merged'],
): string {
  return merged === null
    ? `The user undid the merge of the work of ${agent} (${agentId}). Read a file again before you rely on it.`
    : `The user compared the attempts and merged the work of ${agent} (${agentId}) into ${merged.into}, which is at ${merged.commit.slice(0, 10)} now. The work of ${others} is not merged. Read a file again before you rely on it.`
}
