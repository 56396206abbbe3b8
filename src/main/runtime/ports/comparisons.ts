/** The user's commands on comparisons: one task for several agents. Part of the runtime's interface. */
import type { Result } from '../../../shared/kernel/result.ts'

/** One of the agents that get the task. The same agent may be given several times. */
export interface WantedAttempt {
  /** The agent type. */
  readonly agent: string
  /** An alias or a full id; null: that of the definition. */
  readonly model: string | null
}

export interface NewComparison {
  readonly conversationId: string
  readonly task: string
  readonly attempts: readonly WantedAttempt[]
  /** The command that checks each attempt; null: none. */
  readonly command: string | null
}

/** A command that probably checks a project. */
export interface SuggestedCheck {
  readonly command: string
  /** The file that suggests it: "package.json". */
  readonly from: string
}

/** The last merge of an agent's work, as the repository tells it. */
export interface FoundMerge {
  readonly agentId: string
  readonly into: string
  readonly commit: string
  /** ms since the epoch. */
  readonly at: number
}

export interface Comparisons {
  /**
   * Starts the agents, each in its own worktree made from the same commit: all of them, or none. Fails with `not-possible`
   * (a wrong number of agents, a mode that only reads, no room), `not-trusted`, `unknown-agent`, `denied`, or if a worktree
   * can't be made.
   */
  compare(comparison: NewComparison): Promise<Result<{ readonly comparisonId: string }>>
  /** Stops every attempt and its check; resolves when they have ended. */
  stopComparison(conversationId: string, comparisonId: string): Promise<Result<void>>
  /** Runs the check of an attempt that has ended, again or for the first time; resolves when it has begun. */
  checkAttempt(conversationId: string, agentId: string): Promise<Result<void>>
  /** The command that the files of a folder suggest for checking it; null: none. */
  suggestCheck(folder: string): Promise<SuggestedCheck | null>
  /** The user merged the work of an agent, or undid the merge (null). Only attempts of comparisons are recorded. */
  workMerged(work: {
    readonly conversationId: string
    readonly agentId: string
    readonly merged: { readonly into: string; readonly commit: string } | null
  }): Promise<Result<void>>
  /**
   * Records merges that were made without this runtime, by a command or another Troupe: the newest of each comparison,
   * unless it is recorded already.
   */
  mergesFound(conversationId: string, merges: readonly FoundMerge[]): Promise<Result<void>>
}
