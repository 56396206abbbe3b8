/** What runs of environments in this program, by worktree and name. Other programs ask with files to stop something. */
import { readdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../../../shared/kernel/result.ts'
import { watchFolder } from '../../platform/system/watch-folder.ts'

export interface Works {
  /** Runs something under a name that is free. */
  start(worktree: string, name: string, work: (signal: AbortSignal) => Promise<unknown>): void
  namesOf(worktree: string): readonly string[]
  /** Resolves when these have ended. */
  stop(worktree: string, names: readonly string[]): Promise<void>
  /** Asks another program to stop something; null: everything. */
  askToStop(worktree: string, name: string | null): Promise<void>
  /** Resolves when nothing of the worktree runs here. */
  idle(worktree: string): Promise<void>
  /** Ends everything. */
  close(): Promise<void>
}

interface Work {
  readonly stopping: AbortController
  readonly done: Promise<unknown>
}

/** Begins the names of files that ask to stop a run command; alone: everything. */
const STOP = 'stop-'

export function createWorks(options: {
  readonly folderOf: (worktree: string) => string
  readonly onProblem: (message: string) => void
  /** Called after an end. */
  readonly onEnd: () => void
}): Works {
  const works = new Map<string, Map<string, Work>>()
  const watches = new Map<string, () => void>()
  const namesOf = (worktree: string): readonly string[] => [...(works.get(worktree)?.keys() ?? [])]

  async function stop(worktree: string, names: readonly string[]): Promise<void> {
    const meant = names.flatMap((name) => works.get(worktree)?.get(name) ?? [])
    for (const { stopping } of meant) stopping.abort()
    await Promise.all(meant.map(({ done }) => done))
  }

  function watchRequests(worktree: string): () => void {
    const folder = options.folderOf(worktree)
    return watchFolder(folder, () => {
      const asked = readdirSync(folder).flatMap((file) =>
        file.startsWith(STOP) ? [file.slice(STOP.length)] : [],
      )
      for (const name of asked) rmSync(join(folder, `${STOP}${name}`), { force: true })
      if (asked.length > 0) void stop(worktree, asked.includes('') ? namesOf(worktree) : asked)
    })
  }

  return {
    namesOf,
    stop,
    start(worktree, name, work) {
      const its = works.get(worktree) ?? new Map<string, Work>()
      works.set(worktree, its)
      if (its.size === 0) watches.set(worktree, watchRequests(worktree))
      const stopping = new AbortController()
      const done = work(stopping.signal)
        .catch((thrown: unknown) => options.onProblem(`Internal error: ${messageOf(thrown)}`))
        .finally(() => {
          if (its.get(name)?.stopping === stopping) its.delete(name)
          if (its.size === 0) {
            watches.get(worktree)?.()
            watches.delete(worktree)
          }
          options.onEnd()
        })
      its.set(name, { stopping, done })
    },
    askToStop: (worktree, name) => writeFile(join(options.folderOf(worktree), `${STOP}${name ?? ''}`), ''),
    async idle(worktree) {
      await Promise.all([...(works.get(worktree)?.values() ?? [])].map(({ done }) => done))
    },
    async close() {
      await Promise.all([...works.keys()].map((worktree) => stop(worktree, namesOf(worktree))))
    },
  }
}
