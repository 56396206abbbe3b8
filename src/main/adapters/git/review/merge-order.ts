/**
 * The order in which waiting worktrees are best merged: those first that merge into their target without
 * conflicts; of them those that conflict with the fewest others, so that a person resolves as little as can
 * be; of equal ones the oldest.
 */
import type { ReviewWorktree } from '../../../../shared/review.ts'

type Waiting = Pick<ReviewWorktree, 'id' | 'state' | 'check' | 'conflictsWith' | 'createdAt'>

/** @returns ids of those that are ready */
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
