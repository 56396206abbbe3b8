/** Ties the folder of a worktree to its repository again: its `.git` may be gone, or its entry in git, as after a prune. */
import { lstat, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { repositoryGit } from './branch-ref.ts'
import type { Git } from './git-client.ts'
import { exists } from './remove-worktree.ts'
import { entryOf, isJoined, removeEntry } from './worktree-entry.ts'
import type { WorktreeRecord } from './worktree-record.ts'
import { branchAgain, checkoutFor } from './worktree-sources.ts'

/** Whether git finds its repository from within it. */
export async function isTied({ commonFolder, path }: WorktreeRecord): Promise<boolean> {
  const entry = await entryOf(commonFolder, path)
  return entry !== null && (await isJoined(entry, path))
}

/** No file in it is touched. @returns what was mended, in words. Failures: `git`, `not-there`; throws what the disk says */
export async function rejoinWorktree(git: Git, record: WorktreeRecord): Promise<Result<readonly string[]>> {
  const { path, commonFolder } = record
  if (await isTied(record)) return ok([])
  const entry = await entryOf(commonFolder, path)
  const link = join(path, '.git')
  const found = await lstat(link).catch(() => null)
  if (found !== null && !found.isFile()) return fail(notJoined(record))
  if (entry !== null) {
    await writeFile(link, `gitdir: ${entry}\n`)
    return ok(['Its .git file was damaged; it leads to its repository again.'])
  }
  await removeDraft(record)
  if (await leadsElsewhere(path)) return fail(notJoined(record))
  const made = await makeEntry(git, record)
  return made.ok ? ok([ENTRY_AGAIN]) : made
}

const ENTRY_AGAIN =
  'Git had forgotten this worktree (as `git worktree prune` does): it is tied to its branch again. A merge or rebase that was under way in it is not any more; its files are as they were.'

/** Made by git for a folder beside it, then handed over in one step: what is cut off before is begun anew. */
async function makeEntry(git: Git, record: WorktreeRecord): Promise<Result<void>> {
  const { path, commonFolder, branch } = record
  const draft = draftOf(record)
  const repository = repositoryGit(git, { folder: dirname(path), commonFolder })
  const begun = await branchAgain(repository, record)
  if (!begun.ok) return begun
  try {
    await mkdir(dirname(draft))
    const add = ['worktree', 'add', '--no-checkout', '--quiet', '--', draft, branch]
    const from = await checkoutFor(record)
    const added = await (from === null ? repository.run(add) : git.run(from, add))
    if (!added.ok) return added
    const indexed = await readIndex(git, draft)
    if (!indexed.ok) return indexed
    const entry = await entryOf(commonFolder, draft)
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
  await removeEntry(record.commonFolder, draft)
  await rm(dirname(draft), { recursive: true, force: true })
}

/** Which files a sparse checkout leaves out, git notes only as it writes the others. */
async function readIndex(git: Git, folder: string): Promise<Result<unknown>> {
  const args = ['config', '--type=bool', 'core.sparseCheckout']
  const sparse = await git.answers(folder, args, { accepts: [1] })
  if (!sparse.ok) return sparse
  const isSparse = sparse.value.output.trim() === 'true'
  return git.run(folder, isSparse ? ['reset', '--hard', '--quiet'] : ['read-tree', 'HEAD'])
}

/** Whether its `.git` names a folder that is there: that of somebody else. */
async function leadsElsewhere(path: string): Promise<boolean> {
  const text = await readFile(join(path, '.git'), 'utf8').catch(() => '')
  const named = /^gitdir: (.+)$/m.exec(text)?.[1]?.trim()
  return named !== undefined && (await exists(resolve(path, named)))
}

export const notJoined = ({ path, commonFolder }: WorktreeRecord): Failure => ({
  type: 'git',
  message: `The folder ${path} does not belong to its repository (${commonFolder}) any more: its .git is not what git made. Nothing was touched. Copy what you need out of it, then discard it in Review.`,
})
