/** What the window asks of worktrees and their review. */
import { fail, ok } from '../../../shared/result.ts'
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export function reviewCommands({
  program,
}: {
  readonly program: () => Promise<Program>
}): HandlersOf<'review'> {
  const missing = { type: 'git', message: 'Not there yet.' }
  return {
    'review.watch': async ({ folder }) =>
      ok(await (await program()).review.list(folder, { thorough: false })),
    'review.changes': async ({ folder, id }) => (await program()).review.changes({ folder, id }),
    'review.file': async ({ folder, id, path }) => (await program()).review.file({ folder, id }, path),
    'review.conflicts': async ({ folder, id, with: other, into }) =>
      (await program()).review.conflicts({ folder, id }, other === null ? { into } : { id: other }),
    'review.merge': async ({ folder, id, message, ...options }) =>
      (await program()).review.merge(
        { folder, id },
        { ...options, ...(message === null ? {} : { message }) },
      ),
    'review.resolve': async () => fail(missing),
    'review.abortResolve': async ({ folder, id }) => (await program()).review.abortResolving({ folder, id }),
    'review.comment': async () => fail(missing),
    'review.carryOver': async ({ folder, id }) => (await program()).review.carryOver({ folder, id }),
    'review.discard': async ({ folder, id, confirm }) =>
      (await program()).review.discard({ folder, id }, confirm),
    'review.undoDiscard': async ({ folder, id }) => (await program()).review.undoDiscard({ folder, id }),
    'review.removeMerged': async ({ folder }) => (await program()).review.removeMerged(folder),
  }
}
