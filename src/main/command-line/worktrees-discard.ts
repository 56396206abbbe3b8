/** `troupe worktrees discard`, which asks where work would be gone, and `--undo`, which brings it back. */
import type { ReviewSnapshot } from '../../shared/review.ts'
import { oneLine } from './definition-block.ts'
import { findWorktree } from './find-worktree.ts'
import type { DiscardWorktree, UndoDiscard } from './parse-worktrees.ts'
import { EXIT } from './usage.ts'
import { refuse, type WorktreesSurroundings } from './worktrees-surroundings.ts'

export async function discardWorktree(
  { name, confirm, json }: DiscardWorktree,
  { worktrees }: ReviewSnapshot,
  around: WorktreesSurroundings,
): Promise<number> {
  const { review, folder, output, ask } = around
  const found = findWorktree(name, worktrees, 'worktrees')
  if (!found.ok) return refuse(json, around, found.failure)
  const { id, branch } = found.value
  const key = { folder, id }
  let discarded = await review.discard(key, confirm)
  if (!discarded.ok && discarded.failure.type === 'confirm') {
    if (ask === null || confirm !== null)
      return refuse(
        json,
        around,
        {
          type: 'confirm',
          message: oneLine(`${discarded.failure.message} (--confirm ${branch})`),
        },
        { id, branch },
      )
    const typed = await ask(`${oneLine(discarded.failure.message)}\nIts branch: `)
    if (typed.trim() !== branch)
      return refuse(
        json,
        around,
        { type: 'confirm', message: 'That is not the branch’s name. Nothing was discarded.' },
        { id, branch },
      )
    discarded = await review.discard(key, branch)
  }
  if (!discarded.ok) return refuse(json, around, discarded.failure, { id, branch })
  output.write(
    json
      ? `${JSON.stringify({ id, branch, discarded: true })}\n`
      : `${oneLine(`${branch} is discarded. Until the next start of the window, troupe worktrees discard --undo ${id} brings it back.`)}\n`,
  )
  return EXIT.done
}

export async function undoDiscard(
  { name, json }: UndoDiscard,
  { discarded }: ReviewSnapshot,
  around: WorktreesSurroundings,
): Promise<number> {
  const { review, folder, output } = around
  const found = findWorktree(name, discarded, 'discarded worktrees')
  if (!found.ok) return refuse(json, around, found.failure)
  const { id, branch } = found.value
  const back = await review.undoDiscard({ folder, id })
  if (!back.ok) return refuse(json, around, back.failure, { id, branch })
  output.write(
    json
      ? `${JSON.stringify({ id, branch, discarded: false })}\n`
      : `${oneLine(`${branch} is there again, with its worktree.`)}\n`,
  )
  return EXIT.done
}
