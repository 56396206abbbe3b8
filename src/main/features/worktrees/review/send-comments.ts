/** Sends comments to the agent of a worktree, and keeps the work that they are about for later comparisons. */
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import type { ReviewComment } from '../../../../shared/worktrees/review.ts'
import { askedRef } from '../kept-refs.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { type FoundWorktree, type ReviewTools, readWork } from './review-tools.ts'

/** Limits of the messages that a record holds. The newest message is always kept. */
const MOST_ASKED = { messages: 20, characters: 300_000 }

type Asked = WorktreeRecord['asked'][number]

function newest(all: readonly Asked[]): Asked[] {
  let characters = 0
  const kept = all
    .slice(-MOST_ASKED.messages)
    .reverse()
    .filter((asked, index) => {
      characters += JSON.stringify(asked).length
      return index === 0 || characters <= MOST_ASKED.characters
    })
  return kept.reverse()
}

/** Comments are sent even if the work can't be kept, which is reported. */
export async function sendComments<F>(
  tools: ReviewTools,
  found: FoundWorktree,
  {
    asked,
    send,
  }: {
    readonly asked: { readonly comments: readonly ReviewComment[]; readonly message: string }
    readonly send: () => Promise<Result<{ readonly messageId: string }, F>>
  },
): Promise<Result<void, F>> {
  const { git, records, onProblem } = tools
  const { record, repository } = found
  tools.snapshots.clear()
  // Before the message: the agent may change the work at once.
  const work = await readWork(tools, found, { lenient: true })
  const at = tools.now()
  const ref = work.ok ? askedRef(record.id, work.value.commit) : ''
  const kept = work.ok ? await git.run(repository.top, ['update-ref', ref, work.value.commit]) : work
  const sent = await send()
  if (!sent.ok) return sent
  const noted =
    work.ok && kept.ok
      ? await records.update(record.path, (now) => ({
          ...now,
          asked: newest([
            ...now.asked,
            {
              ...{ at, commit: work.value.commit, comments: [...asked.comments], message: asked.message },
              messageId: sent.value.messageId,
            },
          ]),
        }))
      : kept
  if (!noted.ok)
    onProblem(`The comments on ${record.id} were sent but could not be kept: ${noted.failure.message}`)
  return ok(undefined)
}
