/** The clock of an agent's work: stands while the agent is paused, waits in the queue, for a usage limit or for a message, or has ended. */
import type { EventOf } from './agent-event.ts'

/** Times in ms since the epoch. */
export interface WorkTime {
  /** Start of the current period of work; the time limit counts from here. Moves on by the time the clock stood. */
  readonly runStartedAt: number | null
  /** Since when the agent has been paused, queued or waiting for a usage limit within its period of work; null: the clock runs, or no period. */
  readonly heldAt: number | null
  /** Work before the current period, in ms. */
  readonly workedMs: number
}

/** The clock after a change of status. */
export function workTimeAfter(
  time: WorkTime,
  { status, waitingFor, at }: EventOf<'status-changed'>,
): WorkTime {
  // For the time limit, a main agent that waits for a message has ended.
  if (waitingFor === 'message') return workTimeEnded(time, at)
  const { runStartedAt, heldAt, workedMs } = time
  if (status === 'paused' || status === 'queued' || waitingFor === 'limit')
    return { runStartedAt, heldAt: runStartedAt === null ? null : (heldAt ?? at), workedMs }
  if (runStartedAt === null) return { runStartedAt: at, heldAt: null, workedMs }
  const heldMs = heldAt === null ? 0 : Math.max(0, at - heldAt)
  return { runStartedAt: runStartedAt + heldMs, heldAt: null, workedMs }
}

/** The clock after the period of work ended at the given time. */
export function workTimeEnded(time: WorkTime, at: number): WorkTime {
  return { runStartedAt: null, heldAt: null, workedMs: workedUntil(time, at) }
}

/** The work up to the given time, in ms. */
export function workedUntil(time: WorkTime, at: number): number {
  return time.workedMs + periodUntil(time, at)
}

/** The work in the current period up to the given time, in ms; 0 without a period. */
export function periodUntil({ runStartedAt, heldAt }: WorkTime, at: number): number {
  return runStartedAt === null ? 0 : Math.max(0, Math.min(at, heldAt ?? at) - runStartedAt)
}

/** Whether the clock runs. */
export function isClockRunning({ runStartedAt, heldAt }: WorkTime): boolean {
  return runStartedAt !== null && heldAt === null
}
