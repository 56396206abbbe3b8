/**
 * Ends a run from outside: Ctrl+C, a signal, or a closed output pipe. The first interruption stops the agents
 * cleanly; a second one exits at once and kills their processes.
 */
import type { EventEmitter } from 'node:events'
import { EXIT } from '../../platform/command-line/terminal.ts'

export interface Interruption {
  /** Aborts at the first interruption. */
  readonly signal: AbortSignal
  /** Restores the default handling of signals. */
  over(): void
}

/** The part of Node's `process` in use here. */
interface InterruptedProcess extends Pick<EventEmitter, 'on' | 'off'> {
  readonly stdout: Pick<EventEmitter, 'on' | 'off'>
  exit(code: number): void
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export function createInterruption(options: {
  readonly process: InterruptedProcess
  /** Kills everything that agents started. */
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
    say('Stopping the agents. Press Ctrl+C again to exit at once.')
    controller.abort()
  }
  // The reader is gone, so no message is printed.
  const onGone = () => controller.abort()
  for (const name of SIGNALS) process.on(name, onSignal)
  process.stdout.on('error', onGone)
  // No process of an agent may outlive the program.
  process.on('exit', endNow)
  return {
    signal: controller.signal,
    over: () => {
      for (const name of SIGNALS) process.off(name, onSignal)
      process.off('exit', endNow)
    },
  }
}
