/** Git that waits where another program holds a lock: none of those errors reaches an agent. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Result } from '../../../shared/result.ts'
import type { Git } from './git-client.ts'

const HELD =
  /Unable to create '[^\n]*\.lock': File exists|could not lock config file [^\n]*: File exists|Unable to write new index file/i

/** ms; together half a minute. */
const WAITS = [10, 20, 40, 80, 160, 320, 640, 1280, 2500, 5000, 10_000, 10_000]

/** Whether git's words say that a lock is held. */
export const isLockHeld = (message: string): boolean => HELD.test(message)

/** @param options.wait for tests: waits so many ms, each up to half as much longer so that two don't meet again */
export function createPatientGit(
  git: Git,
  {
    wait = (ms) => delay(ms * (1 + Math.random() / 2)),
    waits = WAITS,
  }: { readonly wait?: (ms: number) => Promise<unknown>; readonly waits?: readonly number[] } = {},
): Git {
  async function patiently<T>(
    call: () => Promise<Result<T>>,
    signal: AbortSignal | undefined,
  ): Promise<Result<T>> {
    for (const ms of waits) {
      const result = await call()
      if (result.ok || signal?.aborted || !isLockHeld(result.failure.message)) return result
      await wait(ms)
    }
    return call()
  }

  return {
    run: (folder, args, options) => patiently(() => git.run(folder, args, options), options?.signal),
    bytes: (folder, args, options) => patiently(() => git.bytes(folder, args, options), options?.signal),
    answers: (folder, args, options) => patiently(() => git.answers(folder, args, options), options.signal),
  }
}
