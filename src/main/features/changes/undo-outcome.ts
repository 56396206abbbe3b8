/** An undo as its event records it, and as the user reads it. */
import type { ChangesUndone, UndoOutcome } from '../../../shared/changes/changes.ts'
import { keyOf } from './file-states.ts'
import type { PlannedFile, UndoPlan } from './plan-undo.ts'

export const recordOf = (files: readonly PlannedFile[]): Pick<ChangesUndone, 'changes' | 'files'> => ({
  changes: files.flatMap(({ keys }) => [...keys]),
  files: files
    .filter(({ now, next }) => keyOf(now) !== keyOf(next))
    .map(({ preview: { path }, now, next, choice }) => ({ path, before: now, after: next, choice })),
})

export function undoOutcomeOf(
  undoId: string,
  { files }: UndoPlan,
  {
    doable,
    failures,
  }: { readonly doable: readonly PlannedFile[]; readonly failures: ReadonlyMap<string, string> },
): Omit<UndoOutcome, 'conversationId'> {
  const done = new Set(doable)
  // Each file counts once: a conflict may be settled by a deletion.
  const isDeleted = ({ now, next }: PlannedFile) => now !== null && next === null
  const count = (...actions: readonly string[]) =>
    doable.filter((file) => actions.includes(file.preview.action) && !isDeleted(file)).length
  return {
    undoId,
    restored: count('restored', 'recreated'),
    merged: count('merged', 'choose'),
    deleted: doable.filter(isDeleted).length,
    left: files
      .filter((file) => !done.has(file))
      .map(({ preview: { path, shown, reason, action } }) => ({
        shown,
        reason: failures.get(path) ?? (action === 'choose' ? `${reason} Choose what to keep.` : reason),
      })),
  }
}
