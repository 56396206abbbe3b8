/** How a run ends, and what a backing asks on the way. */
import type { Stopper } from '../../../shared/events/agent-event.ts'
import type { FormContent } from '../../../shared/forms/form.ts'
import type { Failure } from '../../../shared/kernel/result.ts'
import type { ModelFailure } from './model.ts'

type RunFailureType =
  | ModelFailure['type']
  /** A limit was reached before the first request. */
  | 'limit'
  /** The model announced a tool call again and again without making one. */
  | 'no-call'
  /** The model's messages were cut off again and again. */
  | 'output-limit'
  /** The conversation does not fit even after compaction. */
  | 'context-full'
  | 'refusal'
  | 'unknown-stop-reason'
  /** The agent's worktree could not be restored. */
  | 'worktree'
  /** No worker carries out the agent. */
  | 'worker'
  | 'bug'

export interface FailedRun {
  readonly kind: 'failed'
  readonly type: RunFailureType
  readonly message: string
  /** Set for `limit`. */
  readonly limit?: LimitReached
  /** Set for `worktree`: git's failure, whose type the log records. */
  readonly cause?: Failure
}

/** The end of a run. */
export type RunEnd =
  | { readonly kind: 'answered'; readonly text: string; readonly reachedLimit: LimitReached | null }
  | FailedRun
  /** `by`: set if a hook stopped it, or the process that carries out the agent. */
  | { readonly kind: 'stopped'; readonly by?: Stopper }
  /** The process that carried out the agent is gone. */
  | { readonly kind: 'interrupted'; readonly message: string }

/** The end of an answer, before it is the end of the run. */
export interface AnswerEnd {
  readonly text: string
  readonly reachedLimit: LimitReached | null
  /** The number of times that interceptors already made this run continue. */
  readonly continuations: number
}

/** A form of one call. */
export interface NewForm {
  readonly toolUseId: string
  readonly toolName: string
  readonly form: FormContent
}

/** A limit that ends an agent, or keeps it from starting. */
export interface LimitReached {
  readonly kind: 'turns' | 'tokens' | 'money' | 'time'
  readonly of: 'agent' | 'parent' | 'conversation'
  /** "the conversation's limit of $20"; the whole reason if `isRefusal`. */
  readonly description: string
  /** Whether even a last request for a report is refused. */
  readonly isRefusal: boolean
}
