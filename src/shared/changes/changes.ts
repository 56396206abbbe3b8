/**
 * What agents change: the recorded changes of files, their list for people, the preview of an undo and its outcome.
 * The content of changed files is in the data folder, by digest; see src/main/features/changes.
 */
import { z } from 'zod'

/** One state of a file. `digest` names its kept content: SHA-256, or `stat:…` for content that was not read. */
export const fileSide = z.object({
  digest: z.string(),
  /** Bytes. */
  size: z.number(),
  /** Permission bits. 0 for links. */
  mode: z.number().int(),
  /** The content of a link is its target. */
  kind: z.enum(['file', 'link']),
})
export type FileSide = z.infer<typeof fileSide>

/** The change of one file by one call. A renamed file is two changes: one file is gone, the other is new. */
const fileChange = z.object({
  /** The absolute path, links in its folders resolved. */
  path: z.string(),
  /** The path below the agent's folder, or the absolute path of a file outside it. */
  shown: z.string(),
  /** Null: the file did not exist. */
  before: fileSide.nullable(),
  /** Null: the file no longer exists. */
  after: fileSide.nullable(),
  /** Lines. Null: not text, or too large to compare. */
  added: z.number().int().nullable(),
  removed: z.number().int().nullable(),
  /** The shown path of the file that was renamed to this one. */
  renamedFrom: z.string().nullable().default(null),
  /**
   * Whether the former content is kept, so that the change can be undone. `ignored`: the file is large, or in a folder that git ignores.
   * `unavailable`: it could not be read.
   */
  kept: z.enum(['yes', 'too-large', 'ignored', 'unavailable']),
  /** Other agents whose commands ran at the same time in the folder, if nothing tells whose the change is. */
  maybeBy: z.array(z.string()).default([]),
})
export type FileChange = z.infer<typeof fileChange>

/** `user`: found before the call, and made by no agent: the user's own change, or another program's. */
const changeCause = z.enum(['tool', 'command', 'user'])
export type ChangeCause = z.infer<typeof changeCause>

/** The fields of the event `files-changed`, which an agent's call leaves. */
export const filesChanged = {
  toolUseId: z.string(),
  cause: changeCause,
  files: z.array(fileChange),
  /** The number of changed files that are not in `files`, because there are many. They are not kept. */
  ignored: z.number().int().default(0),
  /** Why something could not be recorded; empty otherwise. */
  note: z.string().default(''),
} as const

/** Identifies a recorded change: one file of one call. */
const changeKey = z.object({ agentId: z.string(), toolUseId: z.string(), path: z.string() })
export type ChangeKey = z.infer<typeof changeKey>

/** The changes that an undo takes back. */
export const undoScope = z.discriminatedUnion('kind', [
  /** One file: the changes of one agent, or of all agents. */
  z.object({
    kind: z.literal('file'),
    path: z.string().min(1).max(4096),
    agentId: z.string().max(100).nullable(),
  }),
  z.object({ kind: z.literal('call'), agentId: z.string().max(100), toolUseId: z.string().max(200) }),
  z.object({ kind: z.literal('agent'), agentId: z.string().max(100) }),
  /** Everything since the user's message with this number in the main agent's transcript. */
  z.object({ kind: z.literal('message'), seq: z.number().int().nonnegative() }),
  z.object({ kind: z.literal('all') }),
])
export type UndoScope = z.infer<typeof undoScope>

/**
 * For a file whose later changes overlap. `keep`: undone except for the overlapping lines, which stay as they are
 * now. `old`: the overlapping lines are undone too, and the later change of them is lost. `leave`: the file is not
 * touched.
 */
export const conflictChoice = z.enum(['keep', 'old', 'leave'])
export type ConflictChoice = z.infer<typeof conflictChoice>

/** The fields of the conversation event `changes-undone`. */
export const changesUndone = {
  undoId: z.string(),
  scope: undoScope,
  /** The undo that this redo takes back; null: this is an undo. */
  redoOf: z.string().nullable(),
  /** The changes that are undone; for a redo: that are in effect again. */
  changes: z.array(changeKey),
  files: z.array(
    z.object({
      path: z.string(),
      /** The states around the undo. */
      before: fileSide.nullable(),
      after: fileSide.nullable(),
      choice: conflictChoice.nullable(),
    }),
  ),
} as const

const undone = z.object(changesUndone)
export type ChangesUndone = z.infer<typeof undone>

// ---- the list -----------------------------------------------------------------------------------

/** One file of a call, as the list shows it. */
export interface ListedFile extends FileChange {
  readonly letter: 'A' | 'M' | 'D' | 'R'
  readonly undone: boolean
  /** Other agents that changed the file in this conversation, or may have made this change. */
  readonly alsoBy: readonly string[]
  /** Why the change can't be undone; null: it can. */
  readonly cannot: string | null
}

/** One call that changed files, or a command. */
export interface ListedCall {
  readonly agentId: string
  readonly toolUseId: string
  /** In the conversation; -1: it was before the branch, in the original. */
  readonly order: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly cause: 'tool' | 'command'
  /** The command, or the tool's name and the path. */
  readonly label: string
  readonly files: readonly ListedFile[]
  readonly ignored: number
  readonly note: string
  /** The number of the user's message, in the main agent's transcript, after which the call ran; null: before any. */
  readonly messageSeq: number | null
}

export interface ListedAgent {
  readonly agentId: string
  /** Its task if several agents have its name. */
  readonly name: string
  /** The name that several agents have; absent: no other agent has its name. */
  readonly sharedName?: string
  /** One of the eight color names, or `#hex`. */
  readonly color: string
  /** The agent's worktree; null: it works in the conversation's folder. `merged` and `gone`: Review undoes a merge. */
  readonly worktree: { readonly path: string; readonly state: 'present' | 'merged' | 'gone' } | null
}

/** A message of the user to the main agent. */
export interface ListedMessage {
  readonly seq: number
  readonly order: number
  readonly at: number
  /** Its first line. */
  readonly text: string
}

/** A file with a change that no agent made. An undo never takes it back. */
export interface UserFile {
  readonly path: string
  readonly shown: string
  /** When the last and the first change was found, ms since the epoch. */
  readonly at: number
  readonly since: number
  readonly letter: 'A' | 'M' | 'D'
}

export interface ChangesList {
  readonly conversationId: string
  /** Agents that changed something, in the order of their first change. */
  readonly agents: readonly ListedAgent[]
  /** The messages of the user, oldest first. */
  readonly messages: readonly ListedMessage[]
  /** Oldest first. */
  readonly calls: readonly ListedCall[]
  readonly user: readonly UserFile[]
  /** Each undo and redo, oldest first: which changes were undone at a moment. */
  readonly undos: readonly {
    readonly order: number
    readonly isRedo: boolean
    readonly changes: readonly ChangeKey[]
  }[]
  /** The undo that a redo takes back; null: there is none. */
  readonly redo: { readonly undoId: string; readonly at: number; readonly scope: UndoScope } | null
  /** How long the content is kept, and its size in this conversation. */
  readonly kept: { readonly days: number; readonly bytes: number }
}

// ---- undo ---------------------------------------------------------------------------------------

/** What an undo does to one file. */
export interface PreviewedFile {
  readonly path: string
  readonly shown: string
  /**
   * `restored`: has its former content again. `deleted`: an agent made it. `recreated`: an agent deleted it.
   * `merged`: later changes of other lines stay. `choose`: later changes overlap, see `conflict`. `unchanged`: it is as
   * it was already. `impossible`: see `reason`.
   */
  readonly action: 'restored' | 'deleted' | 'recreated' | 'merged' | 'choose' | 'unchanged' | 'impossible'
  /** For people: which agents' or commands' changes, whose changes stay, or why it can't be undone. */
  readonly reason: string
  /** Lines that the undo adds and removes; for `choose`: with the choice. Null: not text. */
  readonly added: number | null
  readonly removed: number | null
  /** Set for `choose`. */
  readonly conflict: {
    /** The authors of the overlapping later changes. */
    readonly with: readonly ('user' | { readonly agentId: string })[]
    /** Lines of the file as it is now that overlap, 1-based; empty: the whole file. */
    readonly lines: readonly { readonly from: number; readonly to: number }[]
    readonly choice: ConflictChoice
  } | null
}

/** Nothing has happened yet. */
export interface UndoPreview {
  readonly scope: UndoScope
  /** Set for a redo. */
  readonly redoOf: string | null
  /** Identifies the state that was previewed. `changes.undo` refuses another state with `moved`. */
  readonly version: string
  readonly files: readonly PreviewedFile[]
  /** Commands whose effects are not all undone, with the reason. */
  readonly notUndone: readonly { readonly label: string; readonly reason: string }[]
  /** For a message: the messages that the new conversation leaves out, and the agents that are stopped. */
  readonly messages: number
  readonly stops: readonly { readonly agentId: string; readonly name: string }[]
  /** The text of the first message that is left out, for the composer. */
  readonly messageText: string
}

export interface UndoOutcome {
  readonly undoId: string
  readonly restored: number
  readonly merged: number
  readonly deleted: number
  /** Files that were not touched: shown paths, with the reason. */
  readonly left: readonly { readonly shown: string; readonly reason: string }[]
  /** The conversation that continues from the message; null: the conversation was not changed. */
  readonly conversationId: string | null
}

/** The contents of a text file: before the changes that are recorded here, and after each change that is not undone. */
export interface FileHistory {
  /** Null: the file did not exist. */
  readonly first: string | null
  readonly steps: readonly {
    /** Null: the user, or another program. */
    readonly agentId: string | null
    readonly toolUseId: string | null
    /** Milliseconds since the epoch. */
    readonly at: number
    readonly text: string | null
  }[]
}

/** Both sides of a file's changes. */
export type ChangedFileText =
  | { readonly kind: 'text'; readonly before: string | null; readonly after: string | null }
  | { readonly kind: 'binary'; readonly bytesBefore: number | null; readonly bytesAfter: number | null }
  /** The content is not kept. */
  | { readonly kind: 'unavailable'; readonly reason: string }
