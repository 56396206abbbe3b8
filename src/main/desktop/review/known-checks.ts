/** Fills a quick list, which has no merge checks and sizes, with the known ones of unchanged worktrees. */
import type { ReviewSnapshot, ReviewWorktree } from '../../../shared/review.ts'

export function withKnownChecks(quick: ReviewSnapshot, known: ReviewSnapshot | null): ReviewSnapshot {
  if (known === null || known.folder !== quick.folder || known.current !== quick.current) return quick
  const before = new Map(known.worktrees.map((worktree) => [worktree.id, worktree]))
  const worktrees = quick.worktrees.map((worktree) => {
    const last = before.get(worktree.id)
    if (last === undefined) return worktree
    const bytes = worktree.bytes ?? last.bytes
    if (worktree.check !== null || !isAsItWas(worktree, last)) return { ...worktree, bytes }
    return { ...worktree, bytes, check: last.check, conflictsWith: last.conflictsWith }
  })
  const isSame = worktrees.length === before.size && worktrees.every(({ check }) => check !== null)
  return { ...quick, worktrees, order: isSame ? known.order : quick.order }
}

/** Compares the facts that a quick list has. */
const isAsItWas = (a: ReviewWorktree, b: ReviewWorktree): boolean =>
  facts(a) === facts(b) && a.resolving === null && b.resolving === null

const facts = ({ base, target, state, version, commits, files }: ReviewWorktree) =>
  JSON.stringify([base, target, state, version, commits, files])
