/** The sandbox's thread, as a function. */
import { Worker } from 'node:worker_threads'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FromThread, ThreadData, ToThread, WrapRequest } from './sandbox-messages.ts'

export interface WrappedCommand {
  /** A line for `/bin/sh`. */
  readonly line: string
  /** To be called when the command has ended. @returns the hosts that it did not reach */
  end(): Promise<readonly string[]>
}

export interface SandboxThread {
  /** Fails with `sandbox`. */
  wrap(request: Omit<WrapRequest, 'id'>): Promise<Result<WrappedCommand>>
  close(): Promise<void>
}

export function startSandboxThread(script: string, data: ThreadData): SandboxThread {
  const thread = new Worker(script, {
    workerData: data,
    env: { PATH: process.env['PATH'] ?? '' },
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  thread.unref()
  const waiting = new Map<number, (message: FromThread) => void>()
  let count = 0
  let died: string | null = null
  thread.on('message', (message: FromThread) => take(message))
  thread.once('error', ({ message }) => die(message))
  thread.once('exit', () => die('its thread ended'))

  function take(message: FromThread): void {
    const answer = waiting.get(message.id)
    waiting.delete(message.id)
    answer?.(message)
  }

  function die(message: string): void {
    died ??= message
    for (const id of [...waiting.keys()]) take({ kind: 'failed', id, message })
  }

  function ask(id: number, message: ToThread): Promise<FromThread> {
    if (died !== null) return Promise.resolve({ kind: 'failed', id, message: died })
    return new Promise((resolve) => {
      waiting.set(id, resolve)
      thread.postMessage(message)
    })
  }

  async function end(id: number): Promise<readonly string[]> {
    const answer = await ask(id, { kind: 'end', id })
    return answer.kind === 'ended' ? answer.refusedHosts : []
  }

  return {
    async wrap(request) {
      const id = ++count
      const answer = await ask(id, { kind: 'wrap', request: { ...request, id } })
      if (answer.kind === 'wrapped') return ok({ line: answer.line, end: () => end(id) })
      const why = answer.kind === 'failed' ? answer.message : 'no answer'
      return fail({
        type: 'sandbox',
        message: `The sandbox could not start, so the command was not run: ${why}`,
      })
    },
    close: async () => {
      await thread.terminate()
    },
  }
}
