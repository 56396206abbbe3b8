/** The originator of a stop, as the reason of an agent's abort signal. */
import type { Stopper } from '../../../shared/events/agent-event.ts'

export class AgentStop extends Error {
  readonly by: Stopper
  /** Null if another agent stopped it. All runs that one stop aborts share it. */
  readonly id: string | null

  /** Whether all agents of the conversation were stopped at once. */
  readonly everyone: boolean

  constructor(by: Stopper, id: string | null = null, everyone = false) {
    super(`Stopped by ${STOPPERS[by]}.`)
    this.by = by
    this.id = id
    this.everyone = everyone
  }
}

/** The stop that aborted a signal. A signal that was aborted for another reason counts as stopped by the program. */
export function stopOf({ reason }: AbortSignal): AgentStop {
  return reason instanceof AgentStop ? reason : new AgentStop('program')
}

/** The stop of a run that ended as stopped: its signal's, or the one that the run itself names. */
export function stopOfRun({ by }: { readonly by?: Stopper }, signal: AbortSignal): AgentStop {
  return signal.aborted || by === undefined ? stopOf(signal) : new AgentStop(by)
}

/** Begins a sentence for a model about what a stop ended: "The user stopped this call." */
export const whoStopped = (by: Stopper): string => STOPPED[by]

/** For a model: the result of a call that did not begin before its agent was stopped. */
export const notBegun = (by: Stopper): string => `Not run. ${whoStopped(by)} you before this call began.`

const STOPPED: Readonly<Record<Stopper, string>> = {
  user: 'The user stopped',
  agent: 'Another agent stopped',
  program: 'Troupe was closed, which stopped',
  hook: 'A hook of the user stopped',
}

/** Completes "stopped by …", for a model. */
export const STOPPERS: Readonly<Record<Stopper, string>> = {
  user: 'the user',
  agent: 'another agent',
  program: 'Troupe, because the program was closed',
  hook: 'a hook of the user',
}
