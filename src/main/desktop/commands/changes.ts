/** Handlers for the changes of agents and their undo. */
import type { Program } from '../services.ts'
import type { HandlersOf } from './command-handlers.ts'

export function changesCommands({
  program,
}: {
  readonly program: () => Promise<Program>
}): HandlersOf<'changes'> {
  return {
    'changes.list': async ({ conversationId }) => (await program()).changes.list(conversationId),
    'changes.space': async () => (await program()).changes.space(),
    'changes.clean': async () => {
      const { changes } = await program()
      await changes.clean()
      return changes.space()
    },
    'changes.history': async ({ conversationId, path }) =>
      (await program()).changes.history(conversationId, path),
    'changes.file': async (question) => (await program()).changes.file(question),
    'changes.preview': async ({ conversationId, scope, choices }) =>
      (await program()).changes.preview(conversationId, scope, choices),
    'changes.undo': async ({ conversationId, ...undo }) =>
      (await program()).changes.undo(conversationId, undo),
    'changes.previewRedo': async ({ conversationId, choices }) =>
      (await program()).changes.previewRedo(conversationId, choices),
    'changes.redo': async ({ conversationId, ...redo }) =>
      (await program()).changes.redo(conversationId, redo),
  }
}
