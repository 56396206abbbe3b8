/** The files that several attempts changed, in one list. */
import type { ReviewChanges, ReviewFile } from '../../../../shared/worktrees/review.ts'

export interface ComparedFile {
  readonly path: string
  /** The change of each attempt that changed the file, by agent. */
  readonly changes: ReadonlyMap<string, ReviewFile>
}

/** The files that any of the attempts changed, by path. */
export function comparedFiles(changes: ReadonlyMap<string, ReviewChanges>): readonly ComparedFile[] {
  const files = new Map<string, Map<string, ReviewFile>>()
  for (const [agentId, { files: changed }] of changes)
    for (const file of changed) {
      const known = files.get(file.path) ?? new Map<string, ReviewFile>()
      files.set(file.path, known.set(agentId, file))
    }
  return [...files]
    .map(([path, changed]) => ({ path, changes: changed }))
    .sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : 0))
}

/**
 * How the changes of a file compare in the shown columns. `same`: all made the same change. `one`: only one changed it.
 * `none`: it was changed by other attempts only.
 */
type Agreement =
  | { readonly kind: 'same' | 'different' | 'none' }
  | { readonly kind: 'one'; readonly agentId: string }

export function agreementOf({ changes }: ComparedFile, columns: readonly string[]): Agreement {
  const changed = columns.filter((agentId) => changes.has(agentId))
  const [first] = changed
  if (first === undefined) return { kind: 'none' }
  if (changed.length === 1 && columns.length > 1) return { kind: 'one', agentId: first }
  if (changed.length < columns.length) return { kind: 'different' }
  const content = changes.get(first)?.content
  const isSame = changed.every((agentId) => changes.get(agentId)?.content === content)
  return { kind: isSame ? 'same' : 'different' }
}
