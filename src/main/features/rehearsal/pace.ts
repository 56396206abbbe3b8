/** The pace of scripted replies. It may change while replies are streamed. */
import type { RehearsalPace } from '../../../shared/models/rehearsal-pace.ts'
import { pause } from './pause.ts'

export interface Pace {
  /** 0: no limit. */
  readonly tokensPerSecond: number
  /** ms before a reply begins. Default: 0. */
  readonly delayMs?: number
  /** How many times faster the inputs of tools come, which nobody reads along. Default: 1. */
  readonly inputFactor?: number
}

/** `readable`: the survey of the sample project takes a bit more than a minute. */
export const PACES: Readonly<Record<RehearsalPace, Pace>> = {
  readable: { tokensPerSecond: 25, delayMs: 1000, inputFactor: 10 },
  faster: { tokensPerSecond: 100, delayMs: 250, inputFactor: 10 },
  instant: { tokensPerSecond: 0 },
}

/** Maximum ms until a change of the pace takes effect. */
const CHECK_MS = 50

/** Waits the pace's `delayMs`, as the pace is meanwhile. `elapsed`: ms, for durations. */
export async function delayReply(
  pace: () => Pace,
  elapsed: () => number,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = elapsed()
  const left = () => startedAt + (pace().delayMs ?? 0) - elapsed()
  for (let ms = left(); ms > 0 && !signal.aborted; ms = left()) await pause(Math.min(ms, CHECK_MS), signal)
}

/** Waits between the tokens of one reply. A reply that fell behind catches up. */
export class TokenClock {
  private readonly pace: () => Pace
  private readonly elapsed: () => number
  private dueAt: number

  /** @param elapsed ms, for durations */
  constructor(pace: () => Pace, elapsed: () => number) {
    this.pace = pace
    this.elapsed = elapsed
    this.dueAt = elapsed()
  }

  /** ms until the next token; 0 or less: it is due. */
  get early(): number {
    return this.pace().tokensPerSecond === 0 ? 0 : this.dueAt - this.elapsed()
  }

  /** Counts a token, of a tool's input or of text. */
  count(isInput: boolean): void {
    const { tokensPerSecond, inputFactor = 1 } = this.pace()
    if (tokensPerSecond === 0) this.dueAt = this.elapsed()
    else this.dueAt += 1000 / (tokensPerSecond * (isInput ? inputFactor : 1))
  }
}
