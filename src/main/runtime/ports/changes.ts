/** The ports of recorded changes and their undo. Part of the list in ports.ts. */
import type { ConflictChoice, FileChange } from '../../../shared/changes/changes.ts'
import type { changesContract } from '../../../shared/changes/contract.ts'
import type { PortOf } from '../../../shared/kernel/command.ts'
import type { Result } from '../../../shared/kernel/result.ts'

/** A call that may change files. */
export interface JournaledCall {
  readonly conversationId: string
  readonly agentId: string
  readonly toolUseId: string
  /** The agent's folder: shown paths are below it. */
  readonly root: string
  /** The file that the call writes, by its real path, or the folder in which a command, if known, may change anything. */
  readonly target:
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'folder'; readonly path: string; readonly command?: string }
}

/** The fields of the event `files-changed`. */
export interface RecordedChanges {
  readonly toolUseId: string
  readonly cause: 'tool' | 'command' | 'user'
  readonly files: FileChange[]
  readonly ignored: number
  readonly note: string
}

export interface OpenChanges {
  /** What changed since. Called once, after the call. */
  end(): Promise<readonly RecordedChanges[]>
}

/** Keeps the former content of files that calls change. */
export interface ChangeJournal {
  /**
   * Keeps what the call may change; the content of a file is on the disk once this resolves. Fails with `io` if that
   * content could not be kept.
   */
  begin(call: JournaledCall): Promise<Result<OpenChanges>>
  /** Looks at the disk for calls that were cut off when the program ended, by the ids of the calls. */
  recover(
    call: Pick<JournaledCall, 'conversationId' | 'agentId'>,
    toolUseIds: readonly string[],
  ): Promise<readonly RecordedChanges[]>
}

/** The choices for conflicts, by path. */
export type ConflictChoices = Readonly<Record<string, ConflictChoice>>

/** The changes of conversations, for the window and the command line. */
export interface Changes extends Omit<PortOf<typeof changesContract, 'changes'>, 'clean'> {
  /** The files that agents changed since a time in ms, by the path below the agent's folder. */
  changedSince(conversationId: string, since: number): Promise<Result<ReadonlySet<string>>>
  /** Deletes kept content over the limits of age and size, the oldest conversations first. */
  clean(): Promise<void>
}
