/** Handlers for worktrees and their review. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { MergedWork, ReviewWorktree } from '../../../shared/worktrees/review.ts'
import type { WorktreeKey } from '../../runtime/ports/worktrees.ts'
import type { Folders } from '../folders/folders.ts'
import { commentText, resolveText } from '../review/review-messages.ts'
import { NOT_TRUSTED, type ReviewWatch } from '../review/review-watch.ts'
import type { Program, SettingsPort } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export interface ReviewDeps {
  readonly program: () => Promise<Program>
  readonly settings: SettingsPort
  readonly folders: Folders
  readonly reviewWatch: Pick<ReviewWatch, 'follow' | 'changed'>
}

export function reviewCommands(deps: ReviewDeps): HandlersOf<'review'> {
  const { folders, reviewWatch } = deps

  /** Limits a command to known and trusted folders, because git reads their repositories. */
  async function inFolder<T>(
    path: string,
    use: (program: Program, folder: string) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const folder = await folders.known(path)
    if (!folder.ok) return folder
    if (!deps.settings.trusts(folder.value)) return fail({ type: 'not-trusted', message: NOT_TRUSTED })
    return use(await deps.program(), folder.value)
  }
  const ask = <T>(
    { folder, id }: WorktreeKey,
    use: (review: Program['review'], key: WorktreeKey) => Promise<Result<T>>,
  ): Promise<Result<T>> => inFolder(folder, ({ review }, real) => use(review, { folder: real, id }))
  /** For commands that change something. The list is refreshed even after a failure, which may have changed a part. */
  const change: typeof ask = async (key, use) => {
    const done = await ask(key, use)
    reviewWatch.changed()
    return done
  }

  /** For merges and their undo: the conversation of the worktree's agent is told. `mergedOf`: null after an undo. */
  const merging = <T>(
    key: WorktreeKey,
    use: (review: Program['review'], key: WorktreeKey) => Promise<Result<T>>,
    mergedOf: (value: T) => MergedWork | null,
  ): Promise<Result<T>> =>
    change(key, async (review, at) => {
      const program = await deps.program()
      const worktree = await find(program, at)
      const done = await use(review, at)
      if (!done.ok || !worktree.ok) return done
      const { conversationId, agentId } = worktree.value
      // The merge has happened, so a log that can't be written does not fail it.
      await program.runtime.workMerged({ conversationId, agentId, merged: mergedOf(done.value) })
      return done
    })

  return {
    'review.watch': async ({ folder: path, watched }, call) => {
      const folder = await folders.known(path)
      if (!folder.ok) return folder
      const snapshot = await reviewWatch.follow(folder.value, watched)
      call.hold()
      return ok(snapshot)
    },
    'review.changes': ({ range, ...key }) => ask(key, (review, at) => review.changes(at, range)),
    'review.picture': ({ path, range, ...key }) => ask(key, (review, at) => review.picture(at, path, range)),
    'review.file': ({ path, range, ...key }) => ask(key, (review, at) => review.file(at, path, range)),
    'review.conflicts': ({ with: other, into, ...key }) =>
      ask(key, (review, at) => review.conflicts(at, other === null ? { into } : { id: other })),
    'review.merge': ({ method, into, commits, message, seen, ...key }) =>
      merging(
        key,
        (review, at) =>
          review.merge(at, { method, into, commits, seen, ...(message === null ? {} : { message }) }),
        (merged) => merged,
      ),
    'review.mergeResolved': ({ into, version, files, message, ...key }) =>
      merging(
        key,
        (review, at) => review.mergeResolved(at, { into, version, files, message }),
        (merged) => merged,
      ),
    'review.undoMerge': (key) =>
      merging(
        key,
        (review, at) => review.undoMerge(at),
        () => null,
      ),
    'review.takeBack': ({ path, version, part, ...key }) =>
      change(key, (review, at) => review.takeBack(at, { path, version, part })),
    'review.undoTakeBack': (key) => change(key, (review, at) => review.undoTakeBack(at)),
    'review.resolve': ({ into, ...key }) =>
      change(key, async (review, at) => {
        const program = await deps.program()
        const worktree = await find(program, at)
        if (!worktree.ok) return worktree
        const begun = await review.beginResolving(at, into)
        if (!begun.ok) return begun
        const sent = await messageAgent(program, worktree.value, resolveText(worktree.value, begun.value))
        if (sent.ok) return ok({ files: begun.value.files })
        // A merge in progress from before may hold the agent's resolutions.
        if (worktree.value.resolving !== null) return sent
        const undone = await review.abortResolving(at)
        const left = undone.ok ? '' : ` The started merge could not be undone: ${undone.failure.message}`
        return fail({ ...sent.failure, message: `${sent.failure.message} Nothing was merged.${left}` })
      }),
    'review.abortResolve': (key) => change(key, (review, at) => review.abortResolving(at)),
    'review.comment': ({ comments, message, ...key }) =>
      inFolder(key.folder, async (program, folder) => {
        if (comments.length === 0 && message.trim() === '')
          return fail({ type: 'empty', message: 'There is no comment to send. Write one first.' })
        const worktree = await find(program, { folder, id: key.id })
        if (!worktree.ok) return worktree
        const text = commentText(worktree.value, comments, message)
        return program.review.comment({ folder, id: key.id }, { comments, message }, () =>
          messageAgent(program, worktree.value, text),
        )
      }),
    'review.carryOver': (key) => change(key, (review, at) => review.carryOver(at)),
    'review.discard': ({ confirm, seen, ...key }) =>
      change(key, (review, at) => review.discard(at, confirm, seen)),
    'review.undoDiscard': (key) => change(key, (review, at) => review.undoDiscard(at)),
    'review.removeMerged': ({ folder, ids }) =>
      change({ folder, id: '' }, (review, at) => review.removeMerged(at.folder, ids)),
  }
}

async function find({ review }: Program, { folder, id }: WorktreeKey): Promise<Result<ReviewWorktree>> {
  const { worktrees, problem } = await review.list(folder, { thorough: false })
  const found = worktrees.find((worktree) => worktree.id === id)
  if (found !== undefined) return ok(found)
  return fail({
    type: 'not-there',
    message: problem ?? `The worktree ${id} no longer exists. Nothing was sent.`,
  })
}

/** Messages the worktree's agent, which resumes in its worktree if it has ended. */
async function messageAgent(
  { runtime }: Program,
  { conversationId, agentId, agentName }: ReviewWorktree,
  text: string,
): Promise<Result<void>> {
  const sent = await runtime.send({ conversationId, agentId, content: [{ type: 'text', text }] })
  if (sent.ok) return ok(undefined)
  return fail({ ...sent.failure, message: `${sendFailure(agentName, sent.failure)} Nothing was sent.` })
}

function sendFailure(agent: string, failure: { readonly type: string; readonly message: string }): string {
  switch (failure.type) {
    case 'not-found':
      return `The conversation of ${agent} no longer exists. If it is in the trash, restore it first; otherwise start an agent on the branch.`
    case 'locked':
      return `Another Troupe runs the conversation of ${agent}. Send the message there, or close that Troupe first.`
    default:
      return `${agent} could not be messaged: ${failure.message}`
  }
}
