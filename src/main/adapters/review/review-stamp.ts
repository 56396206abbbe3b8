/** A cheap check for changes in the worktrees of a repository. */
import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { repositoryAround } from '../git/repository.ts'
import { confineGit } from '../git/with-options.ts'
import { exists } from '../system/exists.ts'
import type { WorktreeRecord } from '../worktrees/worktree-record.ts'
import type { ReviewTools } from './review-tools.ts'

/** Changed files of a worktree whose times are compared. Changes of further files show when their number changes. */
const MOST_FILES = 1000

/** A text that changes when the list of worktrees or their changes may change. */
export async function reviewStamp(tools: ReviewTools, folder: string): Promise<string> {
  const repository = await repositoryAround(tools.git, folder)
  if (!repository.ok) return repository.failure.message
  const { top, branch, head, commonFolder } = repository.value
  const refs = ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/troupe']
  const [records, named] = await Promise.all([
    tools.records.ofRepository(commonFolder),
    tools.git.run(top, refs),
  ])
  const worktrees = await Promise.all(
    records
      .filter(({ state }) => state === 'there')
      .map(async (record) => [record, await worktreeStamp(tools, record)]),
  )
  return JSON.stringify([branch, head, named.ok ? named.value : named.failure.message, worktrees])
}

async function worktreeStamp({ git }: ReviewTools, { path }: WorktreeRecord): Promise<string> {
  if (!(await exists(path))) return 'gone'
  const args = ['status', '--porcelain=v2', '--branch', '-z', '--untracked-files=all', '--no-renames']
  const status = await confineGit(git, dirname(path)).run(path, args)
  if (!status.ok) return status.failure.message
  const files = status.value
    .split('\0')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) =>
      line
        .split(' ')
        .slice(FIELDS[line[0] ?? ''] ?? 1)
        .join(' '),
    )
  const times = await Promise.all(files.slice(0, MOST_FILES).map((file) => timeOf(join(path, file))))
  return `${status.value}${times.join(' ')}`
}

/** The fields before the path, by the type of the line. */
const FIELDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 }

const timeOf = (path: string): Promise<string> =>
  lstat(path).then(
    ({ mtimeMs, ctimeMs, size }) => `${mtimeMs}-${ctimeMs}-${size}`,
    () => '',
  )
