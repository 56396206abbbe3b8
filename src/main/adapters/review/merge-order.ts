/**
 * The recommended merge order of worktrees: first those without conflicts with their target, then those with conflicts
 * with the fewest others, which minimizes the conflicts to resolve, then the oldest.
 */
import type { ReviewWorktree } from '../../../shared/review.ts'

type Waiting = Pick<ReviewWorktree, 'id' | 'state' | 'check' | 'conflictsWith' | 'createdAt'>

/** @returns the ids of the worktrees that are ready */
export function mergeOrder(worktrees: readonly Waiting[]): readonly string[] {
  const left = new Map(worktrees.filter(({ state }) => state === 'ready').map((one) => [one.id, one]))
  const order: string[] = []
  while (left.size > 0) {
    const [next] = [...left.values()]
      .map((one) => ({ one, clashes: one.conflictsWith.filter(({ id }) => left.has(id)).length }))
      .sort(
        (a, b) =>
          Number(isStuck(a.one)) - Number(isStuck(b.one)) ||
          a.clashes - b.clashes ||
          a.one.createdAt - b.one.createdAt ||
          (a.one.id < b.one.id ? -1 : 1),
      )
    if (!next) break
    order.push(next.one.id)
    left.delete(next.one.id)
  }
  return order
}

const isStuck = ({ check }: Waiting): boolean => check?.kind === 'conflicts' || check?.kind === 'unknown'
