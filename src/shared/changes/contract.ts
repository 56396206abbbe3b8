/** The window's commands about the changes of a conversation. */
import { z } from 'zod'
import { command, id, none, path } from '../kernel/command.ts'
import {
  type ChangedFileText,
  type ChangesList,
  conflictChoice,
  type FileHistory,
  type UndoOutcome,
  type UndoPreview,
  undoScope,
} from './changes.ts'

/** By path. A file without a choice is left as it is. */
const choices = z.record(path, conflictChoice).default({})

export const changesContract = {
  /** What agents and the user changed. Reload it after `files-changed` and `changes-undone`. */
  'changes.list': command<ChangesList>()(() => z.object({ conversationId: id })),
  /** The size of the kept content of all conversations, in bytes. */
  'changes.space': command<{ readonly bytes: number }>()(() => none),
  /** Deletes kept content over the limits of age and size now, and tells the size of the rest, in bytes. */
  'changes.clean': command<{ readonly bytes: number }>()(() => none),
  /** The file before and after the changes of one call or one agent; both null: of all agents. */
  'changes.file': command<ChangedFileText>()(() =>
    z.object({
      conversationId: id,
      path,
      agentId: id.nullable(),
      toolUseId: z.string().max(200).nullable().default(null),
    }),
  ),
  /** Who changed which lines. Null: not text, no longer kept, or too large to attribute its lines. */
  'changes.history': command<FileHistory | null>()(() => z.object({ conversationId: id, path })),
  /** What an undo would do. Nothing happens. Fails with `not-found` if the scope has no changes. */
  'changes.preview': command<UndoPreview>()(() =>
    z.object({ conversationId: id, scope: undoScope, choices }),
  ),
  /**
   * Undoes changes. Fails with `moved` if a file changed since the preview, and touches nothing then. For a message,
   * `continues` also starts a conversation that continues from before the message.
   */
  'changes.undo': command<UndoOutcome>()(() =>
    z.object({
      conversationId: id,
      scope: undoScope,
      version: z.string().max(200),
      choices,
      continues: z.boolean().default(true),
    }),
  ),
  /** What a redo of the last undo would do. Fails with `not-found` if there is no undo to take back. */
  'changes.previewRedo': command<UndoPreview>()(() => z.object({ conversationId: id, choices })),
  'changes.redo': command<UndoOutcome>()(() =>
    z.object({ conversationId: id, version: z.string().max(200), choices }),
  ),
} as const
