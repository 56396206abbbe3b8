/** Records that an attempt of a comparison was merged. The main agent reads it in its next turn. */
import { attemptOf, type Comparison } from '../../../shared/comparison/comparison.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { Conversation } from './conversation.ts'

interface MergeOfWork {
  readonly agentId: string
  /** Null: the last merge was undone. */
  readonly merged: { readonly into: string; readonly commit: string } | null
  /** The main agent is told of what the user did. */
  readonly by: 'user' | 'agent'
}

/** Ignores agents that are no attempts. Fails if the log can't be written. */
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
  const subject = { ...attempt, others: othersOf(comparison, agentId) }
  if (by === 'user')
    agents.main?.agent?.transcript.tell(textFor(subject, merged), { note: noteFor(attempt.agent, merged) })
  const main = agents.main?.id
  const flushed = main === undefined ? ok(undefined) : await file.tryFlush(main)
  return flushed.ok ? file.save() : flushed
}

const othersOf = ({ attempts }: Comparison, agentId: string): string =>
  attempts
    .filter((other) => other.agentId !== agentId)
    .map((other) => `${other.agent} (${other.agentId})`)
    .join(', ')

const noteFor = (agent: string, merged: MergeOfWork['merged']): string =>
  merged === null
    ? `You undid the merge of the work of ${agent}.`
    : `You merged the work of ${agent} into ${merged.into}.`

function textFor(
  { agent, agentId, others }: { readonly agent: string; readonly agentId: string; readonly others: string },
  merged: MergeOfWork['merged'],
): string {
  return merged === null
    ? `The user undid the merge of the work of ${agent} (${agentId}). Read a file again before you rely on it.`
    : `The user compared the attempts and merged the work of ${agent} (${agentId}) into ${merged.into}, which is at ${merged.commit.slice(0, 10)} now. The work of ${others} is not merged. Read a file again before you rely on it.`
}
