/**
 * What ends a run from outside: Ctrl+C, a signal, or a reader of the output that has gone. The first stops
 * the agents in good order; a second one ends at once, and takes all their processes with it.
 */
import type { EventEmitter } from 'node:events'
import { EXIT } from './usage.ts'

export interface Interruption {
  /** Aborts at the first. */
  readonly signal: AbortSignal
  /** From now on signals do what they always do. */
  over(): void
}

/** The part of Node's `process` that is used here. */
export interface InterruptedProcess extends Pick<EventEmitter, 'on' | 'off'> {
  readonly stdout: Pick<EventEmitter, 'on' | 'off'>
  exit(code: number): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function createInterruption(options: {
  readonly process: InterruptedProcess
  /** Ends everything that agents started, by force. */
  readonly endNow: () => void
  readonly say: (text: string) => void
}): Interruption {
  const { process, endNow, say } = options
  const controller = new AbortController()
  const onSignal = () => {
    if (controller.signal.aborted) {
      endNow()
      process.exit(EXIT.interrupted)
      return
    }
    say('Stopping the agents. Once more ends at once.')
    controller.abort()
  }
  // Nobody reads any more, so there is nobody to tell.
  const onGone = () => controller.abort()
  for (const name of SIGNALS) process.on(name, onSignal)
  process.stdout.on('error', onGone)
  // Whatever ends the program: nothing that agents started outlives it.
  process.on('exit', endNow)
  return {
    signal: controller.signal,
    over: () => {
      for (const name of SIGNALS) process.off(name, onSignal)
      process.off('exit', endNow)
    },
  }
}
