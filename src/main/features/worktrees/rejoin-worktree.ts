/** Reconnects the folder of a worktree with its repository, where its `.git` file or its entry in git is gone. */
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { fail, ok } from '../../../shared/kernel/result.ts'
import { repositoryGit } from '../../platform/git/branches.ts'
import type { Git } from '../../platform/git/git-client.ts'
import { isJoined, removeWorktreeEntry, worktreeEntryOf } from '../../platform/git/worktree-entry.ts'
import { exists } from '../../platform/system/exists.ts'
import type { WorktreeFailure, WorktreeResult } from '../../runtime/ports/worktrees.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { checkoutFor, ensureBranch } from './worktree-sources.ts'

/** Whether git finds the repository from inside the worktree. */
export async function isConnected({ commonFolder, path }: WorktreeRecord): Promise<boolean> {
  const entry = await worktreeEntryOf(commonFolder, path)
  return entry !== null && (await isJoined(entry, path))
}

/** Changes no file of the worktree but `.git`. Throws errors of the disk. @returns the repairs, as text for the user */
export async function rejoinWorktree(
  git: Git,
  record: WorktreeRecord,
): Promise<WorktreeResult<readonly string[]>> {
  const { path, commonFolder } = record
  if (await isConnected(record)) return ok([])
  const entry = await worktreeEntryOf(commonFolder, path)
  const link = join(path, '.git')
  const found = await lstat(link).catch(() => null)
  if (found !== null && !found.isFile()) return fail(notJoined(record))
  if (entry !== null) {
    await writeFile(link, `gitdir: ${entry}\n`)
    return ok(['The .git file of the worktree was damaged. It names its repository again.'])
  }
  await removeDraft(record)
  if (await leadsElsewhere(path)) return fail(notJoined(record))
  const made = await makeEntry(git, record)
  return made.ok ? ok([ENTRY_RESTORED]) : made
}

const ENTRY_RESTORED =
  'Git had dropped this worktree (as `git worktree prune` does). It is connected with its branch again. An unfinished merge or rebase is no longer recorded; the files are unchanged.'

/** Lets git make an entry for a temporary folder, then hands it over in one step. An interrupted attempt is repeated. */
async function makeEntry(git: Git, record: WorktreeRecord): Promise<WorktreeResult<void>> {
  const { path, commonFolder, branch } = record
  const draft = draftOf(record)
  const repository = repositoryGit(git, { folder: dirname(path), commonFolder })
  const begun = await ensureBranch(repository, record)
  if (!begun.ok) return begun
  try {
    await mkdir(dirname(draft))
    const add = ['worktree', 'add', '--no-checkout', '--quiet', '--', draft, branch]
    const from = await checkoutFor(record)
    const added = await (from === null ? repository.run(add) : git.run(from, add))
    if (!added.ok) return added
    const indexed = await readIndex(git, draft)
    if (!indexed.ok) return indexed
    const entry = await worktreeEntryOf(commonFolder, draft)
    if (entry === null) return fail(notJoined(record))
    await writeFile(join(path, '.git'), `gitdir: ${entry}\n`)
    await writeFile(join(entry, 'gitdir'), `${join(path, '.git')}\n`)
    return ok(undefined)
  } finally {
    await removeDraft(record)
  }
}

const draftOf = ({ path, id }: WorktreeRecord): string => join(dirname(path), `.again-${id}`, id)

async function removeDraft(record: WorktreeRecord): Promise<void> {
  const draft = draftOf(record)
  await removeWorktreeEntry(record.commonFolder, draft)
  await rm(dirname(draft), { recursive: true, force: true })
}

/** Git records which files a sparse checkout leaves out only while it writes the others. */
async function readIndex(git: Git, folder: string): Promise<WorktreeResult<unknown>> {
  const args = ['config', '--type=bool', 'core.sparseCheckout']
  const sparse = await git.answers(folder, args, { accepts: [1] })
  if (!sparse.ok) return sparse
  const isSparse = sparse.value.output.trim() === 'true'
  return git.run(folder, isSparse ? ['reset', '--hard', '--quiet'] : ['read-tree', 'HEAD'])
}

/** Whether the `.git` file names another existing folder. */
async function leadsElsewhere(path: string): Promise<boolean> {
  const text = await readFile(join(path, '.git'), 'utf8').catch(() => '')
  const named = /^gitdir: (.+)$/m.exec(text)?.[1]?.trim()
  return named !== undefined && (await exists(resolve(path, named)))
}

export const notJoined = ({ path, commonFolder }: WorktreeRecord): WorktreeFailure => ({
  type: 'git',
  message: `The folder ${path} no longer belongs to its repository (${commonFolder}): its .git was replaced. Nothing was changed. Copy what you need from the folder, then discard the worktree in Review.`,
})
