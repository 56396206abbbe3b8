/** One agent's hold on a slot: acquired before it works, released while it is paused or everything it does waits. */
import type { Semaphore } from '../../../shared/kernel/semaphore.ts'
import type { AgentTranscript } from './agent-transcript.ts'

export class SlotHolder {
  private readonly slots: Semaphore
  private readonly transcript: AgentTranscript
  private isHeld = false
  private acquiring: Promise<void> | null = null
  private callsInFlight = 0
  private readonly waits = { permission: 0, answer: 0, children: 0 }

  constructor(slots: Semaphore, transcript: AgentTranscript) {
    this.slots = slots
    this.transcript = transcript
  }

  /** Resolves when the agent holds a slot and no pause is requested, or the signal aborts. */
  async acquire(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (!this.isHeld || this.transcript.state().pauseWanted)) {
      if (this.transcript.state().pauseWanted) {
        // Flush first: this wait may be long.
        await this.transcript.flush(signal)
        if (this.transcript.state().pauseWanted) await this.pause(signal)
      } else {
        this.acquiring ??= this.acquireSlot(signal).finally(() => {
          this.acquiring = null
        })
        await this.acquiring
      }
    }
  }

  release(): void {
    if (!this.isHeld) return
    this.isHeld = false
    this.slots.release()
  }

  /** The agent waits for a usage limit, without a slot. */
  beginLimitWait(): void {
    this.release()
    const { status, waitingFor } = this.transcript.state()
    if (status === 'waiting' && waitingFor === 'limit') return
    this.transcript.emit({ type: 'status-changed', status: 'waiting', waitingFor: 'limit' })
  }

  callStarted(): void {
    this.callsInFlight++
  }

  callEnded(): void {
    this.callsInFlight--
    this.releaseIfAllWait()
  }

  /** Waits; the slot is released once every call of the agent waits. */
  async waitFor<T>(reason: 'permission' | 'answer' | 'children', until: Promise<T>): Promise<T> {
    this.waits[reason]++
    this.releaseIfAllWait()
    try {
      return await until
    } finally {
      this.waits[reason]--
    }
  }

  private async pause(signal: AbortSignal): Promise<void> {
    this.release()
    if (this.transcript.state().status !== 'paused')
      this.transcript.emit({ type: 'status-changed', status: 'paused', waitingFor: null })
    await this.transcript.resumed(signal)
  }

  private async acquireSlot(signal: AbortSignal): Promise<void> {
    if (this.slots.isFull && this.transcript.state().status !== 'queued')
      this.transcript.emit({ type: 'status-changed', status: 'queued', waitingFor: null })
    // Without an await before it, so that agents get slots in the order in which they ask.
    const admitted = this.slots.acquire(signal)
    await this.transcript.flush(signal)
    if (!(await admitted)) return
    this.isHeld = true
    if (this.transcript.state().status !== 'running')
      this.transcript.emit({ type: 'status-changed', status: 'running', waitingFor: null })
  }

  private releaseIfAllWait(): void {
    const waiting = this.waits.permission + this.waits.answer + this.waits.children
    if (waiting === 0 || waiting < this.callsInFlight) return
    this.release()
    const waitingFor =
      this.waits.permission > 0 ? 'permission' : this.waits.answer > 0 ? 'answer' : 'children'
    const state = this.transcript.state()
    if (state.status === 'waiting' && state.waitingFor === waitingFor) return
    this.transcript.emit({ type: 'status-changed', status: 'waiting', waitingFor })
  }
}
