/** The worktree that a person means: by its id, its branch, or the beginning of one that no other has. */
import { fail, ok, type Result } from '../../shared/result.ts'
import { oneLine } from './definition-block.ts'

interface Named {
  readonly id: string
  readonly branch: string
}

/** Failures: `not-there`, `ambiguous`. `what`: how they are called in the message, in the plural. */
export function findWorktree<T extends Named>(name: string, all: readonly T[], what: string): Result<T> {
  const exact = all.find(({ id, branch }) => id === name || branch === name)
  if (exact !== undefined) return ok(exact)
  const begun = all.filter(({ id, branch }) => id.startsWith(name) || branch.startsWith(name))
  const [only, other] = begun
  if (only !== undefined && other === undefined) return ok(only)
  if (only !== undefined)
    return fail({
      type: 'ambiguous',
      message: oneLine(`"${name}" is the beginning of several: ${idsOf(begun)}. Give more of it.`),
    })
  const there = all.length === 0 ? `There are no ${what} here.` : `There are: ${idsOf(all)}.`
  return fail({ type: 'not-there', message: oneLine(`There is no ${name} among the ${what}. ${there}`) })
}

const idsOf = (all: readonly Named[]): string => all.map(({ id }) => id).join(', ')
