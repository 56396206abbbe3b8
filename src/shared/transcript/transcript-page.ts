import type { AgentEvent, LiveEvent } from '../events/agent-event.ts'

/** A page of a transcript, oldest event first. */
export interface TranscriptPage {
  readonly events: readonly AgentEvent[]
  /** Whether there are older events. */
  readonly older: boolean
  /** The live events of the message that is streaming, from its start. */
  readonly live: readonly LiveEvent[]
}
