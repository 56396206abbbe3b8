/** The window's commands about definitions and their files. */
import { z } from 'zod'
import { command, none, path } from '../kernel/command.ts'
import type { ConversationSummary } from '../state/conversation-summary.ts'
import type { AgentCatalog, DefinitionText, PendingDefinition, RestoredDefinition } from './agent-catalog.ts'
import type { DefinitionTrash } from './agent-definition.ts'

const definitionText = z.string().max(1024 * 1024)

export const definitionContract = {
  /** Every definition for a folder, including shadowed, broken and locked ones. */
  'definition.catalog': command<AgentCatalog>()(() => z.object({ folder: path })),
  /** Fails with `not-found`, `too-large`, `not-text` or `io`. */
  'definition.open': command<DefinitionText>()(() => z.object({ folder: path, id: path })),
  /** A project's definition that waits for the user, with the text that the user approved before. Fails with `not-waiting`, and like `open`. */
  'definition.pending': command<PendingDefinition>()(() => z.object({ folder: path, id: path })),
  /** Lets a waiting definition be used. Fails with `changed` if the file is no longer the version given, `not-waiting` or `io`. */
  'definition.approve': command<void>()(() =>
    z.object({ folder: path, id: path, version: z.string().max(500).nullable() }),
  ),
  /**
   * Atomic. Fails with `locked`, `changed` (the file is no longer the version given), `denied` or `io`; with `not-utf8` if
   * the file is not UTF-8 and `converts` is missing.
   */
  'definition.save': command<DefinitionText>()(() =>
    z.object({
      folder: path,
      id: path,
      text: definitionText,
      version: z.string().max(500).nullable(),
      converts: z.literal(true).optional(),
    }),
  ),
  /** Brings back the bytes that a save converted. Fails with `changed` if the file is no longer the version given, or `not-found`. */
  'definition.unconvert': command<void>()(() =>
    z.object({ folder: path, id: path, version: z.string().max(500).nullable() }),
  ),
  /** Creates a file at `path` in the agents folder, such as `review/name.md`. Fails with `exists`, `bad-path` or `io`. */
  'definition.create': command<DefinitionText>()(() =>
    z.object({ folder: path, source: z.enum(['project', 'user']), path, text: definitionText }),
  ),
  /** Renames a file within its agents folder; the name in its text stays. Fails with `exists`, `locked`, `bad-path` or `io`. */
  'definition.move': command<DefinitionText>()(() => z.object({ folder: path, id: path, path })),
  /** Moves a file to the trash of the data folder, and keeps what the editor has not saved beside it. */
  'definition.trash': command<{ trashId: string }>()(() =>
    z.object({ folder: path, id: path, unsaved: definitionText.nullable() }),
  ),
  /** Restores a file to its former path. Fails with `exists`, `not-found` or `io`. */
  'definition.restore': command<RestoredDefinition>()(() => z.object({ trashId: path })),
  /** The deleted definitions of all folders, the last deleted first. */
  'definition.listTrash': command<DefinitionTrash>()(() => none),
  'definition.readTrashed': command<string>()(() => z.object({ trashId: path })),
  /** Deletes definitions in the trash for good. */
  'definition.deleteTrashed': command<void>()(() => z.object({ trashIds: z.array(path).max(100_000) })),
  /**
   * Starts a scratch conversation. Its main agent uses this text as its definition and has a subagent's tools.
   * `worktree`: it works in a git worktree of its own instead of the folder.
   */
  'definition.tryOut': command<ConversationSummary>()(() =>
    z.object({ folder: path, id: path.nullable(), text: definitionText, worktree: z.boolean() }),
  ),
  /** An agent writes a definition from the description. Takes as long as the model takes. */
  'definition.draft': command<{ text: string }>()(() =>
    z.object({ folder: path, description: z.string().trim().min(1).max(20_000) }),
  ),
  /** Stops the draft in progress. */
  'definition.stopDraft': command<void>()(() => none),
} as const
