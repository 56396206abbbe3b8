/** What happens in a conversation that code above its state acts on. */
import type { EndedRun } from './agent-handle.ts'
import type { LoggedHappening } from './event-sequencer.ts'

export type Happening =
  | LoggedHappening
  /** The conversation was read from its log. It is not in use yet. */
  | { readonly type: 'reopened' }
  /** The conversation is in use: it was created, reopened or adopted. */
  | { readonly type: 'opened' }
  /** The notice of the end of a command in the background was queued. */
  | { readonly type: 'command-reported' }
  /** The run of a subagent is over and on disk. A team is told of it next. `signal`: that of the run. */
  | { readonly type: 'run-ended'; readonly ended: EndedRun; readonly signal: AbortSignal }
  /** The run of a subagent was reported, and its worktree was left. */
  | { readonly type: 'run-settled'; readonly agentId: string }
