/**
 * Worktrees in another process: `node child-program.ts <order as JSON>`. It prints a JSON line for each thing that
 * is done. `life` goes through all that can happen to a worktree and is killed before its n-th call of git;
 * `many` lets agents work side by side.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorktreePlace } from '../../../../shared/worktree.ts'
import { createWorktrees } from '../create-worktrees.ts'
import { createGit, type Git } from '../git-client.ts'

export interface ChildOrder {
  readonly do: 'life' | 'many'
  readonly project: string
  readonly dataFolder: string
  readonly environment: Readonly<Record<string, string>>
  /** Of `life`: before which call of git the process dies. */
  readonly killAt?: number
  /** Of `many`. */
  readonly agents?: number
}

export type ChildLine =
  | { readonly did: 'create' | 'save' | 'release' | 'restore'; readonly place: WorktreePlace }
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
  say({ did: 'release', place: worker })
  const idler = await create('idler', false)
  await save(idler)
  await worktrees.release(idler)
  say({ did: 'release', place: idler })
  const restored = await worktrees.restore(idler, new AbortController().signal)
  if (!restored.ok) throw new Error(restored.failure.message)
  say({ did: 'restore', place: idler })
}

async function work(index: number): Promise<void> {
  const place = await create(`w${process.pid}x${index}`, false)
  await writeFile(join(place.path, `by-${place.id}.txt`), place.id)
  await save(place)
  await worktrees.release(place)
  say({ did: 'release', place })
}

async function create(agentId: string, carryOver: boolean): Promise<WorktreePlace> {
  const owner = { agentId, conversationId: 'c', name: 'Builder', color: 'blue', task: 'Work' }
  const made = await worktrees.create(
    { folder: order.project, owner, carryOver },
    new AbortController().signal,
  )
  if (!made.ok) throw new Error(made.failure.message)
  say({ did: 'create', place: made.value.place })
  return made.value.place
}

async function save(place: WorktreePlace): Promise<void> {
  const saved = await worktrees.save(place, { task: 'Work', ended: 'completed' })
  if (!saved.ok) throw new Error(saved.failure.message)
  if (saved.value.problems.length > 0) throw new Error(saved.value.problems.join('\n'))
  say({ did: 'save', place })
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
