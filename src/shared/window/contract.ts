/** The window's commands about a window: its folder, its start, the system around it. */
import { z } from 'zod'
import type { DefinitionInfo } from '../agent-definition/agent-catalog.ts'
import { agent, command, id, none, path } from '../kernel/command.ts'
import type { AccessInfo } from '../models/model-access.ts'
import type { Settings } from '../settings/settings.ts'

/** Everything the page needs for its first frame. */
export interface StartInfo {
  readonly version: string
  readonly platform: string
  readonly dataFolder: string
  readonly settings: Settings
  readonly access: AccessInfo
  /** The folder to open at once: the one on the command line, or the most recent one. */
  readonly folder: FolderInfo | null
  /** Coordinator mode of new conversations as the environment sets it; null: the settings decide. */
  readonly coordinatorMode: boolean | null
  /** The version of Electron. */
  readonly electron: string
}

/** A project folder as the window shows it. */
export interface FolderInfo {
  readonly path: string
  readonly name: string
  readonly trusted: boolean
  readonly gitBranch: string | null
  /** Number of files with uncommitted changes; null outside a repository. */
  readonly dirtyFiles: number | null
  readonly bypassAllowed: boolean
}

/** What a folder brings for agents, counted without interpreting it, for the question whether to trust it. */
export interface FolderContents {
  readonly agents: number
  readonly skills: number
  readonly commands: number
  readonly hooks: number
  readonly mcpServers: number
  /** Files with instructions, relative to the folder: `CLAUDE.md`. */
  readonly instructions: readonly string[]
}

export const windowContract = {
  start: command<StartInfo>()(() => none),
  /** Null: canceled, or another window shows the folder. */
  'folder.pick': command<FolderInfo | null>()(() =>
    z.object({ newWindow: z.boolean().default(false) }).strict(),
  ),
  /**
   * Opens a folder in this window. A folder that another window has is shown there, with the conversation if one is
   * given; then the answer is null, as with `newWindow`.
   */
  'folder.open': command<FolderInfo | null>()(() =>
    z.object({ path, newWindow: z.boolean().default(false), conversationId: id.nullable().default(null) }),
  ),
  /** Copies the bundled sample project to a new folder and opens it. */
  'folder.sample': command<FolderInfo>()(() => none),
  /**
   * Trusts a folder, with the agents that it has now, or no more. A folder that is gone can lose its trust. The answer has
   * its real path, and whether it is trusted now: by itself, or through a folder around it.
   */
  'folder.trust': command<Pick<FolderInfo, 'path' | 'trusted'>>()(() =>
    z.object({ path, trusted: z.boolean() }),
  ),
  'folder.bypass': command<FolderInfo>()(() => z.object({ path, allowed: z.boolean() })),
  /** What a folder brings, counted without interpreting it. */
  'folder.contents': command<FolderContents>()(() => z.object({ path })),
  'folder.definitions': command<{
    definitions: readonly DefinitionInfo[]
    /** `waits`: the problem is that the user must approve the definition. */
    problems: readonly { file: string; message: string; waits?: true }[]
    /** The instructions of the folder that changed and wait for the user. Missing: none. */
    waitingTexts?: number
  }>()(() => z.object({ path })),
  /** Paths in the folder that match the query, best match first. Files that git ignores are left out. */
  'folder.files': command<readonly string[]>()(() => z.object({ path, query: z.string().max(200) })),
  /** Opens a file of the folder in the user's editor, or in the system's program for it. */
  'system.openFile': command<void>()(() =>
    z.object({ folder: path, path, line: z.number().int().positive().nullable() }),
  ),
  /** Opens a file of the user's setup, or shows its folder: only what `setup.report` names. */
  'system.openSetup': command<void>()(() => z.object({ folder: path, path })),
  /** Asks for a file and writes a text into it. @returns its path; null: canceled. Fails with `io`. */
  'system.saveText': command<string | null>()(() =>
    z.object({ name: z.string().min(1).max(200), text: z.string().max(100_000_000) }),
  ),
  'system.openTerminal': command<void>()(() => z.object({ folder: path })),
  'system.reveal': command<void>()(() => z.object({ path })),
  /** https and mailto only; the main process shows the address and asks first. */
  'system.openLink': command<void>()(() => z.object({ url: z.string().max(4096) })),
  'system.notify': command<void>()(() =>
    z.object({
      title: z.string().max(200),
      body: z.string().max(500),
      needsYou: z.number().int().nonnegative(),
    }),
  ),
  /** Shows one agent in a window of its own, or brings that window to the front. The delta `agent-windows` follows. */
  'agentWindow.open': command<void>()(() => agent),
  /** Closes the agent's own window. The agent continues. */
  'agentWindow.close': command<void>()(() => agent),
} as const
