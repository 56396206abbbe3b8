/**
 * Worktrees in another process: `node child-program.ts <order as JSON>`. Prints a JSON line for each completed step.
 * `life` runs through all states of a worktree and is killed before its n-th call of git; `many` runs agents in
 * parallel.
 */

import { writeFile } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { createGit, type Git } from '../../../platform/git/git-client.ts'
import { createWorktrees } from '../create-worktrees.ts'

// A process that is killed keeps nothing of what it compiled.
flushCompileCache()

export interface ChildOrder {
  readonly do: 'life' | 'many'
  readonly project: string
  readonly dataFolder: string
  readonly environment: Readonly<Record<string, string>>
  /** For `life`: the number of the git call before which the process dies. */
  readonly killAt?: number
  /** For `many`. */
  readonly agents?: number
}

export type ChildLine =
  | { readonly did: 'create' | 'save' | 'release' | 'restore'; readonly location: WorktreeLocation }
  | { readonly did: 'end'; readonly calls: number }
  | { readonly did: 'fail'; readonly message: string }

const order = JSON.parse(process.argv[2] ?? '') as ChildOrder
let calls = 0
const git = dying(createGit({ environment: order.environment }))
const worktrees = createWorktrees({
  git,
  dataFolder: order.dataFolder,
  now: () => 1_750_000_000_000,
  onProblem: (message) => say({ did: 'fail', message }),
})

if (order.do === 'life') await life()
else await Promise.all(Array.from({ length: order.agents ?? 0 }, (_, index) => work(index)))
say({ did: 'end', calls })

async function life(): Promise<void> {
  const worker = await create('worker', true)
  await writeFile(join(worker.path, 'work.txt'), 'work')
  await save(worker)
  await worktrees.release(worker)
  say({ did: 'release', location: worker })
  const idler = await create('idler', false)
  await save(idler)
  await worktrees.release(idler)
  say({ did: 'release', location: idler })
  const restored = await worktrees.restore(idler, new AbortController().signal)
  if (!restored.ok) throw new Error(restored.failure.message)
  say({ did: 'restore', location: idler })
}

async function work(index: number): Promise<void> {
  const location = await create(`w${process.pid}x${index}`, false)
  await writeFile(join(location.path, `by-${location.id}.txt`), location.id)
  await save(location)
  await worktrees.release(location)
  say({ did: 'release', location })
}

async function create(agentId: string, carryOver: boolean): Promise<WorktreeLocation> {
  const owner = { agentId, conversationId: 'c', name: 'Builder', color: 'blue', task: 'Work' }
  const made = await worktrees.create(
    { folder: order.project, owner, carryOver: carryOver ? 'commit' : 'no' },
    new AbortController().signal,
  )
  if (!made.ok) throw new Error(made.failure.message)
  say({ did: 'create', location: made.value.location })
  return made.value.location
}

async function save(location: WorktreeLocation): Promise<void> {
  const saved = await worktrees.save(location, { task: 'Work', ended: 'completed' })
  if (!saved.ok) throw new Error(saved.failure.message)
  if (saved.value.problems.length > 0) throw new Error(saved.value.problems.join('\n'))
  say({ did: 'save', location })
}

function dying(inner: Git): Git {
  const counted =
    <Rest extends readonly unknown[], Done>(call: (...rest: Rest) => Promise<Done>) =>
    (...rest: Rest): Promise<Done> => {
      calls++
      if (calls === order.killAt) process.kill(process.pid, 'SIGKILL')
      return call(...rest)
    }
  return { run: counted(inner.run), bytes: counted(inner.bytes), answers: counted(inner.answers) }
}

function say(line: ChildLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
