/** Merges a worktree with conflicts that the user resolved. Nothing is written to a checkout before the target moves. */
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type { MergedWork, ResolvedFile } from '../../../../shared/worktrees/review.ts'
import { commitTree } from '../../../platform/git/commit-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { mergeTrees, type UnmergedPath } from '../../../platform/git/merge-tree.ts'
import { readBlobs, treeEntry, writeBlob } from '../../../platform/git/objects.ts'
import type { RefusedReview, ResolvedMerge, ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { fileListText } from '../named-files.ts'
import type { CommitPair } from './comparisons.ts'
import { conflictsVersion } from './conflicts-of-merge.ts'
import { editedTree, type TreeEdit } from './edited-tree.ts'
import { findTarget } from './merge-work.ts'
import { defaultMessage, publishMerge } from './publish-merge.ts'
import { type FoundWorktree, inUse, isInUse, type ReviewTools, readWork } from './review-tools.ts'
import { savedBranch } from './saved-branch.ts'
import { checkFinished } from './unfinished-work.ts'

export async function mergeResolved(
  tools: ReviewTools,
  found: FoundWorktree,
  { into: chosen, version, files, message }: ResolvedMerge,
): Promise<ReviewResult<MergedWork>> {
  const { git, comparisons } = tools
  const { repository, record } = found
  const { top } = repository
  if (await isInUse(record)) return fail(inUse(record))
  const into = await findTarget(git, repository, { record, into: chosen })
  if (!into.ok) return into
  const work = await readWork(tools, found, { lenient: true })
  if (!work.ok) return work
  const ours = { commit: into.value.commit, name: into.value.branch }
  const shown = conflictsVersion({ ours, theirs: { commit: work.value.commit, name: record.branch } })
  if (shown !== version)
    return fail({
      type: 'moved',
      message: `${into.value.branch} or ${record.branch} changed since the conflicts were shown. Nothing was merged. Check the conflicts again.`,
    })
  // Before the uncommitted changes are committed: a refusal leaves everything as it was shown.
  const trial = await resolvedTree(git, top, { target: ours.commit, tip: work.value.commit, files })
  if (!trial.ok) return trial
  const tip = await savedBranch(tools, found)
  if (!tip.ok) return tip
  const pair = { target: into.value.commit, tip: tip.value }
  const base = await comparisons.base(top, pair)
  if (!base.ok) return base
  const range = { from: base.value ?? record.base, tip: tip.value }
  const finished = await checkFinished(tools, { folder: top, record, range })
  if (!finished.ok) return finished
  const [tree, ahead] = await Promise.all([
    resolvedTree(git, top, { ...pair, files }),
    comparisons.ahead(top, pair),
  ])
  if (!tree.ok) return tree
  if (!ahead.ok) return ahead
  const made = await commitTree(git, top, {
    tree: tree.value,
    parents: [pair.target, pair.tip],
    message: message?.trim() || defaultMessage(record, 'merge'),
  })
  if (!made.ok) return made
  return publishMerge(tools, found, {
    into: into.value,
    head: tip.value,
    result: made.value,
    commits: ahead.value,
    method: 'merge',
  })
}

/** The merged tree with the resolutions. */
async function resolvedTree(
  git: Git,
  folder: string,
  { target, tip, files }: CommitPair & Pick<Resolutions, 'files'>,
): Promise<ReviewResult<string>> {
  const merged = await mergeTrees(git, folder, { ours: target, theirs: tip })
  if (!merged.ok) return merged
  const { tree: mergedTree, conflicts } = merged.value
  const edits = await resolvedEdits(git, folder, { mergedTree, conflicts, files })
  return edits.ok ? editedTree(git, folder, { base: mergedTree, edits: edits.value }) : edits
}

interface Resolutions {
  readonly mergedTree: string
  readonly conflicts: readonly UnmergedPath[]
  readonly files: readonly ResolvedFile[]
}

/** The edits of the merged tree. A path that neither side has, such as the old name of a rename, needs no resolution. */
async function resolvedEdits(
  git: Git,
  folder: string,
  { mergedTree, conflicts, files }: Resolutions,
): Promise<ReviewResult<readonly TreeEdit[]>> {
  const chosen = new Map(files.map((file) => [file.path, file]))
  const unknown = files.filter(({ path }) => !conflicts.some((conflict) => conflict.path === path))
  if (unknown.length > 0)
    return fail({
      type: 'not-there',
      message: `${fileListText(unknown.map(({ path }) => path))} has no conflict in this merge. Nothing was merged.`,
    })
  const open = conflicts.filter(({ path, ours, theirs }) => (ours || theirs) && !chosen.has(path))
  if (open.length > 0)
    return fail(unfinished(`No resolution for ${fileListText(open.map(({ path }) => path))}.`))
  const edits: TreeEdit[] = []
  for (const conflict of conflicts) {
    for (const side of [conflict.base, conflict.ours, conflict.theirs])
      if (side && side.storedAs !== conflict.path) edits.push([side.storedAs, null])
    const resolution = chosen.get(conflict.path)
    if (resolution === undefined) edits.push([conflict.path, null])
    else if ('use' in resolution) {
      const side = conflict[resolution.use]
      // Without the file, a folder of the same name stays as it is.
      const isFolder = side === null && conflict.conflictType.includes('directory')
      if (!isFolder) edits.push([conflict.path, side])
    } else {
      const edit = await resolvedText(git, folder, { mergedTree, conflict, text: resolution.text })
      if (!edit.ok) return edit
      edits.push(edit.value)
    }
  }
  return ok(edits)
}

async function resolvedText(
  git: Git,
  folder: string,
  {
    mergedTree,
    conflict,
    text,
  }: { readonly mergedTree: string; readonly conflict: UnmergedPath; readonly text: string },
): Promise<ReviewResult<TreeEdit>> {
  const { path, ours, theirs } = conflict
  const sides = [ours, theirs].filter((side) => side?.mode.startsWith('100'))
  if (sides.length === 0)
    return fail(unfinished(`${path} is not a file with text. Choose one of its sides instead.`))
  const read = await readBlobs(
    git,
    folder,
    sides.map((side) => side?.sha ?? null),
  )
  if (!read.ok) return read
  const known = new Set(read.value.flatMap((blob) => markersIn(blob?.toString('utf8') ?? '')))
  const left = markersIn(text).filter((marker) => !known.has(marker))
  if (left.length > 0) return fail(unfinished(`Conflict markers are left in ${path}: ${left[0]}`))
  const entry = await treeEntry(git, folder, { tree: mergedTree, path })
  if (!entry.ok) return entry
  const written = await writeBlob(git, folder, Buffer.from(text))
  if (!written.ok) return written
  const merged = entry.value?.mode.startsWith('100') ? entry.value.mode : null
  return ok([path, { mode: merged ?? sides[0]?.mode ?? '100644', sha: written.value }])
}

/** Lines that look like conflict markers. */
const markersIn = (text: string): readonly string[] =>
  text.match(/^(?:<{7}|>{7}|\|{7})(?: .*)?$|^={7}\r?$/gm)?.map((line) => line.trimEnd()) ?? []

const unfinished = (because: string): RefusedReview => ({
  type: 'unfinished',
  message: `${because} Nothing was merged.`,
})
