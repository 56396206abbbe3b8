/** A git client that waits for locks of other programs, so that agents never see lock errors. */
import { setTimeout as delay } from 'node:timers/promises'
import { randomFraction } from '../system/random-names.ts'
import type { Git } from './git-client.ts'
import { type GitResult, gitReason } from './git-failure.ts'

/** ms; half a minute in total. */
const WAITS = [10, 20, 40, 80, 160, 320, 640, 1280, 2500, 5000, 10_000, 10_000]

export interface LockRetryOptions {
  /** Replaced in tests. The default adds up to 50% jitter, so that two waiting calls do not collide again. */
  readonly wait?: (ms: number) => Promise<unknown>
  readonly waits?: readonly number[]
}

export function retryLocks(
  git: Git,
  { wait = (ms) => delay(ms * (1 + randomFraction() / 2)), waits = WAITS }: LockRetryOptions = {},
): Git {
  async function retry<T>(
    call: () => Promise<GitResult<T>>,
    signal: AbortSignal | undefined,
  ): Promise<GitResult<T>> {
    for (const ms of waits) {
      const result = await call()
      if (result.ok || signal?.aborted || gitReason(result.failure) !== 'lock-held') return result
      await wait(ms)
    }
    return call()
  }

  return {
    run: (folder, args, options) => retry(() => git.run(folder, args, options), options?.signal),
    bytes: (folder, args, options) => retry(() => git.bytes(folder, args, options), options?.signal),
    answers: (folder, args, options) => retry(() => git.answers(folder, args, options), options.signal),
  }
}
