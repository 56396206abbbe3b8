/** Worktrees in a repository of 50,000 files: time to an agent's first tool, and to its changes in Review. */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createWorktrees } from '../src/main/features/worktrees/create-worktrees.ts'
import { createReview } from '../src/main/features/worktrees/review/create-review.ts'
import { createGit } from '../src/main/platform/git/git-client.ts'
import { childEnvironment } from '../src/main/platform/shell/child-environment.ts'
import type { NewWorktree } from '../src/main/runtime/ports/worktrees.ts'
import type { Result } from '../src/shared/kernel/result.ts'
import { type Figure, median } from './figure.ts'
import { inFreshFolders } from './troupe.ts'

const FOLDERS = 500
const FILES = 100
const MADE = 5
const OPENED = 9

export function measure(): Promise<readonly Figure[]> {
  return inFreshFolders({}, async ({ folder, home }) => {
    const environment = { ...childEnvironment(process.env), HOME: home, GIT_CONFIG_NOSYSTEM: '1' }
    const plain = (cwd: string, ...words: readonly string[]) =>
      promisify(execFile)('git', words, { cwd, env: environment, maxBuffer: 2 ** 28 })
    await fill(folder, plain)

    const deps = {
      git: createGit({ environment }),
      dataFolder: home,
      now: Date.now,
      onProblem: (message: string) => console.error(message),
    }
    const worktrees = createWorktrees(deps)
    const create = async (name: string): Promise<NewWorktree> =>
      unwrapped(
        await worktrees.create(
          {
            folder,
            owner: { agentId: `agent-${name}`, conversationId: 'c', name, color: 'blue', task: 'Measure' },
            carryOver: 'no',
          },
          new AbortController().signal,
        ),
      )

    const made: number[] = []
    const added: number[] = []
    const makeOurs = async (run: number) => {
      const begun = performance.now()
      const { location } = await create(`made${run}`)
      made.push(performance.now() - begun)
      // An empty worktree is removed.
      unwrapped(await worktrees.save(location, { task: 'Measure', ended: 'completed' }))
      await worktrees.release(location)
    }
    const addPlain = async (run: number) => {
      const path = join(home, `plain-${run}`)
      const add = ['worktree', 'add', '-q', '-b', `plain-${run}`, path, 'HEAD']
      added.push(await timed(() => plain(folder, ...add)))
      await plain(folder, 'worktree', 'remove', '--force', path)
    }
    // The first of a pair leaves disk writes that slow the second, so the order alternates.
    for (let run = 0; run < MADE; run++)
      for (const work of run % 2 === 0 ? [addPlain, makeOurs] : [makeOurs, addPlain]) await work(run)

    const { location } = await create('writer')
    for (let at = 0; at < 40; at++)
      await writeFile(
        join(location.path, `folder-${at * 7}`, `file-${at}.ts`),
        `export const changed = ${at}\n`,
      )
    unwrapped(await worktrees.save(location, { task: 'Measure', ended: 'completed' }))
    await worktrees.release(location)
    const measureReview = async () => {
      const opened: number[] = []
      const asked: number[] = []
      for (let run = 0; run < OPENED; run++) {
        asked.push(
          await timed(async () => {
            await plain(location.path, 'status', '--porcelain')
            await plain(location.path, 'diff', '--stat', location.base)
          }),
        )
        // A new one each time, without caches from earlier runs.
        const review = createReview(deps)
        opened.push(
          await timed(async () => {
            const { worktrees: listed, problem } = await review.list(folder, { thorough: false })
            if (listed.length !== 1) throw new Error(problem ?? `${listed.length} worktrees are listed.`)
            unwrapped(await review.changes({ folder, id: location.id }))
          }),
        )
      }
      return { opened, asked }
    }
    const committed = await measureReview()
    await writeFile(join(location.path, 'folder-3', 'open.ts'), 'export const open = true\n')
    const uncommitted = await measureReview()
    return [
      {
        name: 'own worktree, 50,000 files: until the agent can use its first tool',
        unit: 'ms',
        runs: made,
        reference: { name: '`git worktree add`', runs: added },
        target: '≤ 1.25×',
        met: median(made) <= 1.25 * median(added),
      },
      reviewFigure('whose agent has ended', committed),
      reviewFigure('with uncommitted changes', uncommitted),
    ]
  })
}

function reviewFigure(
  what: string,
  { opened, asked }: { readonly opened: readonly number[]; readonly asked: readonly number[] },
): Figure {
  return {
    name: `Review, 50,000 files: until the changes of a worktree ${what} are there`,
    unit: 'ms',
    runs: opened,
    reference: { name: '`git status` and `git diff --stat`', runs: asked },
    target: '≤ 2×',
    met: median(opened) <= 2 * median(asked),
  }
}

/** A repository with one commit. */
async function fill(folder: string, git: (cwd: string, ...words: readonly string[]) => Promise<unknown>) {
  for (let at = 0; at < FOLDERS; at++) {
    const inside = join(folder, `folder-${at}`)
    await mkdir(inside)
    const files = Array.from({ length: FILES }, (_, file) =>
      writeFile(join(inside, `file-${file}.ts`), `export const value = ${at * FILES + file}\n`.repeat(8)),
    )
    await Promise.all(files)
  }
  await git(folder, 'init', '-q', '-b', 'main')
  await git(folder, 'config', 'user.name', 'Bench')
  await git(folder, 'config', 'user.email', 'bench@example.org')
  await git(folder, 'add', '-A')
  await git(folder, 'commit', '-qm', 'All')
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

function unwrapped<T>(result: Result<T>): T {
  if (result.ok) return result.value
  throw new Error(result.failure.message)
}
