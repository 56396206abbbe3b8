/**
 * The events of an agent that a process outside this one carries out. The sender numbers its events from 0 on,
 * through all epochs; the transcript keeps that number in the event's origin and gives the event a sequence number and an order of its own.
 */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { upcastEvent } from '../../../shared/events/upcast-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { IngestFailure, IngestOrigin } from '../ports/agent-backing.ts'
import type { AgentTranscript } from './agent-transcript.ts'

export class OutsideEvents {
  private readonly transcript: AgentTranscript
  /** The newest epoch; -1 before the first. */
  private epoch: number

  constructor(transcript: AgentTranscript) {
    this.transcript = transcript
    this.epoch = transcript.state().origin?.epoch ?? -1
  }

  /** Begins a new epoch: older ones are refused from here on. @returns its number and the first event's `seq` */
  takeOver(): { readonly epoch: number; readonly seq: number } {
    return { epoch: ++this.epoch, seq: this.nextSeq }
  }

  /** Adds an event in the shape in which it was sent. True: it was added; false: a duplicate was dropped. */
  ingest({ agentId, backing, epoch }: IngestOrigin, raw: unknown): Result<boolean, IngestFailure> {
    if (epoch < this.epoch)
      return fail({
        type: 'old-epoch',
        message: `Epoch ${this.epoch} carries out the agent ${agentId} now. Stop epoch ${epoch}.`,
        epoch: this.epoch,
      })
    const lifted = upcastEvent(raw)
    if (!lifted.ok) return fail({ type: 'invalid-event', message: lifted.failure.message })
    const { v: _v, agentId: sentFor, seq, order: _o, at: _a, origin: _n, ...draft } = lifted.value
    if (sentFor !== agentId)
      return fail({ type: 'invalid-event', message: `The event is for ${sentFor}, not for ${agentId}.` })
    if (RUNTIME_ONLY.has(draft.type))
      return fail({ type: 'invalid-event', message: `Only the runtime writes ${draft.type}.` })
    const last = this.transcript.state().origin
    if (last?.epoch === epoch && seq <= last.seq) return ok(false)
    if (seq !== this.nextSeq)
      return fail({
        type: 'gap',
        message: `The next event of ${agentId} has number ${this.nextSeq}, not ${seq}.`,
        expectedSeq: this.nextSeq,
      })
    this.epoch = epoch
    this.transcript.emitFrom({ backing, epoch, seq }, draft)
    return ok(true)
  }

  private get nextSeq(): number {
    return (this.transcript.state().origin?.seq ?? -1) + 1
  }
}

/** Events that say who an agent is and that its run is over. */
const RUNTIME_ONLY: ReadonlySet<AgentEvent['type']> = new Set([
  'agent-spawned',
  'agent-ended',
  'definition-renewed',
  'worker-changed',
] as const)
