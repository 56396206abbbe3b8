/** The window's commands about definitions and their files. */
import { z } from 'zod'
import { command, none, path } from '../kernel/command.ts'
import type { ConversationSummary } from '../state/conversation-summary.ts'
import type { AgentCatalog, DefinitionText, PendingDefinition, RestoredDefinition } from './agent-catalog.ts'
import type { DefinitionTrash } from './agent-definition.ts'

const definitionText = z.string().max(1024 * 1024)

export const definitionContract = {
  /** Every definition for a folder, including shadowed, broken and locked ones. */
  'definition.catalog': command<AgentCatalog>()(z.object({ folder: path })),
  'definition.open': command<DefinitionText>()(z.object({ folder: path, id: path })),
  /** A project's definition that waits for the user, with the text that the user approved before. */
  'definition.pending': command<PendingDefinition>()(z.object({ folder: path, id: path })),
  /** Lets a waiting definition be used. Fails with `changed` if the file is no longer the version given. */
  'definition.approve': command<void>()(
    z.object({ folder: path, id: path, version: z.string().max(500).nullable() }),
  ),
  /** Fails with `changed` if the file is no longer the version given. */
  'definition.save': command<DefinitionText>()(
    z.object({ folder: path, id: path, text: definitionText, version: z.string().max(500).nullable() }),
  ),
  /** Creates a file at `path` in the agents folder, such as `review/name.md`. */
  'definition.create': command<DefinitionText>()(
    z.object({ folder: path, source: z.enum(['project', 'user']), path, text: definitionText }),
  ),
  'definition.move': command<DefinitionText>()(z.object({ folder: path, id: path, path })),
  'definition.trash': command<{ trashId: string }>()(
    z.object({ folder: path, id: path, unsaved: definitionText.nullable() }),
  ),
  'definition.restore': command<RestoredDefinition>()(z.object({ trashId: path })),
  /** The deleted definitions of all folders, the last deleted first. */
  'definition.listTrash': command<DefinitionTrash>()(none),
  'definition.readTrashed': command<string>()(z.object({ trashId: path })),
  /** Deletes definitions in the trash for good. */
  'definition.deleteTrashed': command<void>()(z.object({ trashIds: z.array(path).max(100_000) })),
  /**
   * Starts a scratch conversation. Its main agent uses this text as its definition and has a subagent's tools.
   * `worktree`: it works in a git worktree of its own instead of the folder.
   */
  'definition.tryOut': command<ConversationSummary>()(
    z.object({ folder: path, id: path.nullable(), text: definitionText, worktree: z.boolean() }),
  ),
  /** An agent writes a definition from the description. Takes as long as the model takes. */
  'definition.draft': command<{ text: string }>()(
    z.object({ folder: path, description: z.string().trim().min(1).max(20_000) }),
  ),
  /** Stops the draft in progress. */
  'definition.stopDraft': command<void>()(none),
} as const
