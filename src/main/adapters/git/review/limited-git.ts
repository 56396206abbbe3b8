/** Git with a limit to how many of its processes run at a time: a list of twenty worktrees asks a hundred things. */
import type { Git } from '../git-client.ts'

/** The same git; calls beyond the limit wait their turn, first come, first served. */
export function limitGit(git: Git, most: number): Git {
  const waiting: (() => void)[] = []
  let running = 0

  async function inTurn<T>(call: () => Promise<T>): Promise<T> {
    if (running >= most) await new Promise<void>((go) => waiting.push(go))
    else running += 1
    try {
      return await call()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    run: (folder, args, options) => inTurn(() => git.run(folder, args, options)),
    bytes: (folder, args, options) => inTurn(() => git.bytes(folder, args, options)),
    answers: (folder, args, options) => inTurn(() => git.answers(folder, args, options)),
  }
}
