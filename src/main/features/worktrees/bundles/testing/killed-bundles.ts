/**
 * A process that moves a repository's files and dies right before its n-th call of git, or after its last one. Prints
 * the result. `node killed-bundles.ts <order as JSON>`
 */
import type { JobRepository } from '../../../../../shared/workers/worker-protocol.ts'
import type { WorktreeLocation } from '../../../../../shared/worktrees/worktree.ts'
import { createGit, type Git } from '../../../../platform/git/git-client.ts'
import { createJobFiles } from '../job-files.ts'
import { createWorkspaces } from '../workspaces.ts'
import { folderStore } from './folder-store.ts'

export interface KilledOrder {
  readonly do: 'send' | 'open' | 'land'
  readonly killAt: number
  readonly environment: Readonly<Record<string, string>>
  readonly storeFolder: string
  readonly dataFolder: string
  readonly jobId: string
  readonly location: WorktreeLocation
  /** For `open`. */
  readonly repository: JobRepository | null
}

const order = JSON.parse(process.argv[2] ?? '') as KilledOrder
let calls = 0
const inner = createGit({ environment: order.environment })
const dying =
  <Rest extends readonly unknown[], Done>(call: (...rest: Rest) => Promise<Done>) =>
  (...rest: Rest): Promise<Done> => {
    calls++
    if (calls === order.killAt) process.kill(process.pid, 'SIGKILL')
    return call(...rest)
  }
const git: Git = { run: dying(inner.run), bytes: dying(inner.bytes), answers: dying(inner.answers) }
const { jobId, location, dataFolder, repository } = order
const store = await folderStore(order.storeFolder)
const limits = { maxBytes: 50_000_000, maxCheckoutBytes: 100_000_000 }
const signal = new AbortController().signal
const files = createJobFiles({
  git,
  store,
  dataFolder,
  limits,
  onProblem: (message) => process.stderr.write(message),
})
const actions = {
  send: () => files.send({ location, jobId }),
  land: () => files.land(jobId, signal),
  async open() {
    if (repository === null) throw new Error('no repository')
    const opened = await createWorkspaces({ git, store, limits, dataFolder }).open(
      { jobId, repository, work: null },
      signal,
    )
    return opened.ok ? { ok: true as const, value: opened.value.folder } : opened
  },
}
process.stdout.write(JSON.stringify(await actions[order.do]()))
