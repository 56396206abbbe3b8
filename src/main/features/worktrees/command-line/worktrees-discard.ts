/** `troupe worktrees discard`, which asks before unmerged work is lost, and `--undo`, which restores it. */
import type { ReviewSnapshot } from '../../../../shared/worktrees/review.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'
import { EXIT } from '../../../platform/command-line/usage.ts'
import { findWorktree } from './find-worktree.ts'
import type { DiscardWorktree, UndoDiscard } from './parse-worktrees.ts'
import { refuse, type WorktreesContext } from './worktrees-context.ts'

export async function discardWorktree(
  { name, confirm, json }: DiscardWorktree,
  { worktrees }: ReviewSnapshot,
  context: WorktreesContext,
): Promise<number> {
  const { review, folder, output, ask } = context
  const found = findWorktree(name, worktrees, 'worktrees')
  if (!found.ok) return refuse({ ...context, json }, found.failure)
  const { id, branch, version } = found.value
  const key = { folder, id }
  let discarded = await review.discard(key, confirm)
  if (!discarded.ok && discarded.failure.type === 'confirm') {
    if (ask === null || confirm !== null)
      return refuse(
        { ...context, json },
        {
          type: 'confirm',
          message: oneLine(`${discarded.failure.message} (--confirm ${branch})`),
        },
        { id, branch },
      )
    const typed = await ask(`${oneLine(discarded.failure.message)}\nBranch name: `)
    if (typed.trim() !== branch)
      return refuse(
        { ...context, json },
        { type: 'confirm', message: 'The name does not match the branch. Nothing was discarded.' },
        { id, branch },
      )
    discarded = await review.discard(key, branch, version)
  }
  if (!discarded.ok) return refuse({ ...context, json }, discarded.failure, { id, branch })
  output.write(
    json
      ? `${JSON.stringify({ id, branch, discarded: true })}\n`
      : `${oneLine(`${branch} is discarded. To restore it before the window’s next start: troupe worktrees discard --undo ${id}`)}\n`,
  )
  return EXIT.done
}

export async function undoDiscard(
  { name, json }: UndoDiscard,
  { discarded }: ReviewSnapshot,
  context: WorktreesContext,
): Promise<number> {
  const { review, folder, output } = context
  const found = findWorktree(name, discarded, 'discarded worktrees')
  if (!found.ok) return refuse({ ...context, json }, found.failure)
  const { id, branch } = found.value
  const back = await review.undoDiscard({ folder, id })
  if (!back.ok) return refuse({ ...context, json }, back.failure, { id, branch })
  output.write(
    json
      ? `${JSON.stringify({ id, branch, discarded: false })}\n`
      : `${oneLine(`${branch} is restored, with its worktree.`)}\n`,
  )
  return EXIT.done
}
