/** The task lists of conversations, which processes share. */
import type { Result } from '../../../shared/kernel/result.ts'
import type { TeamTask } from '../../../shared/teams/team-schema.ts'

/** A new task; the board chooses its id. */
export type NewTask = Omit<TeamTask, 'id' | 'version'>

interface BoardTasks {
  /** By id: `1`, `2`, … */
  readonly tasks: readonly TeamTask[]
  /** Tasks that can't be read, in words for a user. */
  readonly problems: readonly string[]
}

export type BoardFailure =
  /** Another process has changed the task: `current` is its newest version; null: it can't be read. */
  | { readonly type: 'changed'; readonly message: string; readonly current: TeamTask | null }
  | { readonly type: 'bad-name' | 'not-found' | 'io'; readonly message: string }

/** Each change is atomic across processes, and on disk when its promise resolves. */
export interface TaskBoard {
  list(conversationId: string): Promise<Result<BoardTasks, BoardFailure>>
  create(conversationId: string, task: NewTask): Promise<Result<TeamTask, BoardFailure>>
  /** Replaces the version before `task.version`. Of two processes that replace one version, one fails with `changed`. */
  update(conversationId: string, task: TeamTask): Promise<Result<TeamTask, BoardFailure>>
  /** Calls `changed` soon after another process changed a task; also after own changes. @returns stops watching */
  watch(conversationId: string, changed: () => void): () => void
}
