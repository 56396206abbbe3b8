/** A lock on the index of a worktree, checked while a process works there and while none does. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { WorktreeLocation } from '../../../../shared/worktrees/worktree.ts'
import { commitAll } from '../commit-all.ts'
import { withoutStaleLock } from '../stale-lock.ts'
import type { GitBench } from './git-bench.ts'

export async function removeStaleLockOf(
  bench: GitBench,
  location: WorktreeLocation,
): Promise<{ readonly whileInUse: 'kept' | 'committed'; readonly whenDead: 'kept' | 'committed' }> {
  const record = (await bench.records.all()).find(({ id }) => id === location.id)
  if (!record) throw new Error('no record')
  const attempt = async () => {
    // Without retries, so that no test waits for a lock that stays.
    const done = await withoutStaleLock(record, () =>
      commitAll(bench.git, location.path, { message: 'x', excludesFile: null }),
    )
    return done.ok ? 'committed' : 'kept'
  }
  const worker: ChildProcess = spawn('cat', [], { cwd: location.path, stdio: ['pipe', 'pipe', 'inherit'] })
  worker.stdin?.write('ready\n')
  if (worker.stdout) await once(worker.stdout, 'data')
  const whileInUse = await attempt()
  worker.stdin?.end()
  await once(worker, 'exit')
  return { whileInUse, whenDead: await attempt() }
}
