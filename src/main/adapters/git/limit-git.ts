/** A git client with a limit on concurrent processes. */
import { Semaphore } from '../../../shared/semaphore.ts'
import type { Git } from './git-client.ts'

/** Calls above the limit wait in the order they were made. */
export function limitGit(git: Git, maxProcesses: number): Git {
  const semaphore = new Semaphore(() => maxProcesses)
  return {
    run: (folder, args, options) => semaphore.run(() => git.run(folder, args, options)),
    bytes: (folder, args, options) => semaphore.run(() => git.bytes(folder, args, options)),
    answers: (folder, args, options) => semaphore.run(() => git.answers(folder, args, options)),
  }
}
