/** Finds a worktree by id, branch, or a unique prefix of either or of its agent's name. */
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import { oneLine } from '../../../platform/command-line/text-table.ts'

interface Named {
  readonly id: string
  readonly branch: string
  readonly agentName: string
}

/** @param what the plural noun for the message */
export function findWorktree<T extends Named>(name: string, all: readonly T[], what: string): Result<T> {
  const exact = all.find(({ id, branch }) => id === name || branch === name)
  if (exact !== undefined) return ok(exact)
  const matching = all.filter((worktree) =>
    [worktree.id, worktree.branch, worktree.agentName].some((part) => part.startsWith(name)),
  )
  const [only, other] = matching
  if (only !== undefined && other === undefined) return ok(only)
  if (only !== undefined)
    return fail({
      type: 'ambiguous',
      message: oneLine(`"${name}" matches several: ${idsOf(matching)}. Give a longer prefix.`),
    })
  const available = all.length === 0 ? `There are no ${what} here.` : `Available: ${idsOf(all)}.`
  return fail({ type: 'not-there', message: oneLine(`"${name}" matches none of the ${what}. ${available}`) })
}

const idsOf = (all: readonly Named[]): string => all.map(({ id }) => id).join(', ')
