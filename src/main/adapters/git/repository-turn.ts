/** One after the other, per repository: what makes, restores or removes worktrees in this process. */

const turns = new Map<string, Promise<unknown>>()

/** @param commonFolder what all checkouts of the repository share, links resolved */
export function inRepositoryTurn<T>(commonFolder: string, act: () => Promise<T>): Promise<T> {
  const before = turns.get(commonFolder) ?? Promise.resolve()
  const result = before.then(act)
  const settled = result.catch(() => undefined)
  turns.set(commonFolder, settled)
  void settled.then(() => {
    if (turns.get(commonFolder) === settled) turns.delete(commonFolder)
  })
  return result
}
