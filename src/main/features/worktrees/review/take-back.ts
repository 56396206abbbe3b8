/** Takes back a file or a part of it from the work of a worktree, as a commit on its branch that can be undone. */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { DiffPart } from '../../../../shared/worktrees/review.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import { commitTree } from '../../../platform/git/commit-tree.ts'
import type { TreeChange } from '../../../platform/git/diff-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { readBlobs, treeEntry, writeBlob } from '../../../platform/git/objects.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import type { ReviewResult, TakeBack } from '../../../runtime/ports/worktrees.ts'
import { fileListText } from '../named-files.ts'
import { advanceBranch, branchMovedFailure, retreatBranch } from './advance-branch.ts'
import { editedTree, type TreeEdit } from './edited-tree.ts'
import { type FoundWorktree, inUse, isInUse, type ReviewTools } from './review-tools.ts'
import { savedBranch } from './saved-branch.ts'
import { worktreeChanges } from './worktree-changes.ts'

/** Commits that can be undone one after the other. */
const MOST_UNDONE = 50

/** Uncommitted changes are committed first. Fails as `moved` if the changes are no longer those of `version`. */
export async function takeBack(
  tools: ReviewTools,
  found: FoundWorktree,
  { path, version, part }: TakeBack,
): Promise<ReviewResult<void>> {
  const { git, comparisons, records } = tools
  const { record, repository } = found
  const { top } = repository
  if (await isInUse(record)) return fail(inUse(record))
  const seen = await worktreeChanges(tools, found, { range: null })
  if (!seen.ok) return seen
  const { changes, compared } = seen.value
  if (changes.version !== version) return fail(notAsShown(path))
  const files = await comparisons.files(top, { from: compared.from, to: compared.tree })
  if (!files.ok) return files
  const file = files.value.find((one) => one.path === path)
  if (file === undefined) return fail({ type: 'not-there', message: `${path} has no changes to take back.` })
  const blocked = pathsInTheWay(file, files.value)
  if (blocked.length > 0)
    return fail({
      type: 'would-overwrite',
      message: `${fileListText(blocked)} is in the way of ${file.oldPath ?? path}. Take that back first. Nothing was changed.`,
    })
  const edits = part === null ? ok(wholeFile(file)) : await partOfFile(git, top, { file, part })
  if (!edits.ok) return edits
  const tip = await savedBranch(tools, found)
  if (!tip.ok) return tip
  const entry = await treeEntry(git, top, { tree: tip.value, path })
  if (!entry.ok) return entry
  if ((entry.value?.sha ?? null) !== (file.after?.sha ?? null)) return fail(notAsShown(path))
  const tree = await editedTree(git, top, { base: tip.value, edits: edits.value })
  if (!tree.ok) return tree
  const what = part === null ? path : `a part of ${path}`
  const message = `Take back ${what}`
  const made = await commitTree(git, top, { tree: tree.value, parents: [tip.value], message })
  if (!made.ok) return made
  const moved = await advanceBranch(git, repository, {
    branch: record.branch,
    from: tip.value,
    to: made.value,
    why: 'take back',
  })
  if (!moved.ok) return moved
  const noted = await records.update(record.path, (now) => ({
    ...now,
    head: made.value,
    takenBack: [...now.takenBack, { commit: made.value, before: tip.value, what, at: tools.now() }].slice(
      -MOST_UNDONE,
    ),
  }))
  return noted.ok ? ok(undefined) : noted
}

/** Removes the newest commit of `takeBack`. Fails as `moved` if the branch has newer commits. */
export async function undoTakeBack(tools: ReviewTools, found: FoundWorktree): Promise<ReviewResult<void>> {
  const { git, records } = tools
  const { record, repository } = found
  const last = record.takenBack.at(-1)
  if (last === undefined) return fail({ type: 'nothing', message: `Nothing was taken back in ${record.id}.` })
  if (await isInUse(record)) return fail(inUse(record))
  const tip = await commitOf(git, repository.top, branchRef(record.branch))
  // An interrupted undo has moved the branch already.
  if (tip !== last.before) {
    if (tip !== last.commit)
      return fail({
        ...branchMovedFailure(record.branch),
        message: `${record.branch} has newer commits than the one that took back ${last.what}. Ask its agent to restore it, or use git. Nothing was changed.`,
      })
    const moved = await retreatBranch(git, repository, {
      branch: record.branch,
      from: last.commit,
      to: last.before,
      why: 'undo take back',
    })
    if (!moved.ok) return moved
  }
  const noted = await records.update(record.path, (now) => ({
    ...now,
    head: last.before,
    takenBack: now.takenBack.slice(0, -1),
  }))
  return noted.ok ? ok(undefined) : noted
}

const notAsShown = (path: string) =>
  ({
    type: 'moved',
    message: `${path} changed since it was shown. Nothing was taken back. Check its changes, then try again.`,
  }) as const

function wholeFile({ path, oldPath, kind, before }: TreeChange): readonly TreeEdit[] {
  if (oldPath === null) return [[path, before]]
  return kind === 'copied'
    ? [[path, null]]
    : [
        [path, null],
        [oldPath, before],
      ]
}

/** Files of the work that a restored path would replace: a folder that is a file now, or the reverse. */
function pathsInTheWay(file: TreeChange, files: readonly TreeChange[]): readonly string[] {
  const restored = file.kind === 'copied' || file.before === null ? null : (file.oldPath ?? file.path)
  if (restored === null) return []
  return files
    .filter(({ path, after }) => after !== null && path !== file.path)
    .map(({ path }) => path)
    .filter((path) => path === restored || path.startsWith(`${restored}/`) || restored.startsWith(`${path}/`))
}

async function partOfFile(
  git: Git,
  folder: string,
  { file: { path, before, after }, part }: { readonly file: TreeChange; readonly part: DiffPart },
): Promise<ReviewResult<readonly TreeEdit[]>> {
  if (before === null || after === null)
    return fail({ type: 'nothing', message: `${path} exists on one side only. Take back the whole file.` })
  const read = await readBlobs(git, folder, [before.sha, after.sha])
  if (!read.ok) return read
  // As Latin-1, each byte stays as it is.
  const [old = [], now = []] = read.value.map((blob) => linesOf(blob?.toString('latin1') ?? ''))
  if (part.before + part.beforeCount > old.length || part.after + part.afterCount > now.length)
    return fail({ type: 'not-there', message: `${path} has no such lines. Refresh the list of changes.` })
  const restored = old.slice(part.before, part.before + part.beforeCount)
  const text = now.toSpliced(part.after, part.afterCount, ...restored).join('')
  const written = await writeBlob(git, folder, Buffer.from(text, 'latin1'))
  return written.ok ? ok([[path, { mode: after.mode, sha: written.value }]]) : written
}

/** Lines with their line breaks. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
