/** Undoes the last merge of a worktree: its target moves back to the commit before the merge. */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import { isAncestor } from '../../../platform/git/merge-base.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import type { RefusedReview, ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { keptRef } from '../kept-refs.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { branchMovedFailure, retreatBranch } from './advance-branch.ts'
import type { FoundWorktree, ReviewTools } from './review-tools.ts'

/**
 * Possible while the merge is the newest commit of its target and was not pushed. The merge stays under
 * `refs/troupe/kept/`.
 */
export async function undoMerge(tools: ReviewTools, found: FoundWorktree): Promise<ReviewResult<void>> {
  const { git, records } = tools
  const { record, repository } = found
  const { merged } = record
  if (merged === null || merged.before === null)
    return fail({ type: 'nothing', message: `No merge of ${record.branch} is recorded that can be undone.` })
  const { into, commit, before } = merged
  const tip = await commitOf(git, repository.top, branchRef(into))
  if (tip === null) return fail({ type: 'not-there', message: `Branch "${into}" not found.` })
  // An interrupted undo has moved the branch already.
  if (tip !== before) {
    const refusal = await refusalOf(tools, found, { into, commit, tip })
    if (!refusal.ok) return refusal
    const kept = await git.run(repository.top, ['update-ref', keptRef(record.id, commit), commit])
    if (!kept.ok) return kept
    const moved = await retreatBranch(git, repository, {
      branch: into,
      from: commit,
      to: before,
      why: `undo merge ${record.branch}`,
    })
    if (!moved.ok) return moved
  }
  const noted = await records.update(record.path, (now) => ({
    ...now,
    merged: now.mergedBefore.at(-1) ?? null,
    mergedBefore: now.mergedBefore.slice(0, -1),
  }))
  return noted.ok ? ok(undefined) : noted
}

/** Fails with the reason why the branch can't move back. */
async function refusalOf(
  { git, records }: ReviewTools,
  { record, repository }: FoundWorktree,
  { into, commit, tip }: { readonly into: string; readonly commit: string; readonly tip: string },
): Promise<ReviewResult<void>> {
  const { top, commonFolder } = repository
  if (tip !== commit) {
    const isIn = await isAncestor(git, top, { older: commit, newer: tip })
    const all = await records.ofRepository(commonFolder)
    return fail(movedOn({ record, into, tip, isIn, all }))
  }
  const args = [
    'for-each-ref',
    '--count=1',
    '--format=%(refname:short)',
    '--contains',
    commit,
    'refs/remotes',
  ]
  const pushed = await git.run(top, args)
  if (!pushed.ok) return pushed
  const remote = pushed.value.trim()
  if (remote === '') return ok(undefined)
  return fail({
    type: 'moved',
    message: `The merge is already in ${remote}. Undo it with new commits (\`git revert\`). Nothing was changed.`,
  })
}

function movedOn({
  record,
  into,
  tip,
  isIn,
  all,
}: {
  readonly record: WorktreeRecord
  readonly into: string
  readonly tip: string
  readonly isIn: boolean
  readonly all: readonly WorktreeRecord[]
}): RefusedReview {
  const newer = all.find(
    ({ id, merged }) => id !== record.id && merged?.into === into && merged.commit === tip,
  )
  if (!isIn)
    return { type: 'nothing', message: `${into} no longer contains the merge. There is nothing to undo.` }
  if (newer === undefined)
    return {
      ...branchMovedFailure(into),
      message: `${into} has newer commits than the merge, so the merge can’t be undone by itself. Revert its commits with git. Nothing was changed.`,
    }
  return {
    ...branchMovedFailure(into),
    message: `${newer.owner.name} (${newer.id}) was merged into ${into} after it. Undo that merge first. Nothing was changed.`,
  }
}
