/** Describes one worktree for the list of Review. */

import type { Stats } from 'node:fs'
import { lstat, opendir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { memoizeAsync } from '../../../../shared/kernel/memoize-async.ts'
import { ok } from '../../../../shared/kernel/result.ts'
import type { ReviewWorktree } from '../../../../shared/worktrees/review.ts'
import type { MergeCheck } from '../../../../shared/worktrees/worktree.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import { hasMarkers } from '../../../platform/git/conflict-markers.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { exists } from '../../../platform/system/exists.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import type { WorktreeRecord } from '../worktree-record.ts'
import { mergeCheck } from './comparisons.ts'
import type { TouchedFiles } from './may-clash.ts'
import {
  comparedFrom,
  type FoundWorktree,
  isInUse,
  type ReviewTools,
  readWork,
  recentKey,
  type WorkInWorktree,
  workVersionOf,
} from './review-tools.ts'

export interface DescribedWorktree {
  readonly worktree: ReviewWorktree
  /** The work, for comparisons with other worktrees; null: it can't be read. */
  readonly work: (TouchedFiles & { readonly commit: string }) | null
}

interface DescribeOptions {
  readonly thorough: boolean
  /** The folder that the list was requested for. */
  readonly folder: string
  /** The commits of all branches, by full ref. */
  readonly refs: ReadonlyMap<string, string>
}

const sizes = memoizeAsync<number | null>(200)

/** Null: folder and branch are gone, or the worktree is being created. */
export async function describeWorktree(
  tools: ReviewTools,
  found: FoundWorktree,
  { refs: reading, ...given }: Omit<DescribeOptions, 'refs'> & { readonly refs: Promise<Refs> },
): Promise<DescribedWorktree | null> {
  const { record } = found
  const [used, folderExists] = await Promise.all([isInUse(record), exists(record.path)])
  if (used && record.state === 'making') return null
  const read = () =>
    readWork(tools, found, {
      lenient: true,
      tip: reading.then((refs) => refs.get(branchRef(record.branch))),
    })
  // Git reads the files and the refs at the same time.
  const early = folderExists ? read() : null
  const options = { ...given, refs: await reading }
  const tip = options.refs.get(branchRef(record.branch))
  if (!folderExists && tip === undefined) return null
  const worktree = facts(found, { used, folderExists, refs: options.refs })
  const target = worktree.target === null ? undefined : options.refs.get(branchRef(worktree.target))
  if (tip !== undefined && target !== undefined) {
    // Fills the cache for the calls below while git reads the files.
    void tools.comparisons.base(found.repository.top, { target, tip })
    void tools.comparisons.ahead(found.repository.top, { target, tip })
  }
  const work = await (early ?? read())
  if (!work.ok) return { worktree: { ...worktree, problem: work.failure.message }, work: null }
  const seen = await withWork(tools, found, { ...options, work: work.value, worktree, used })
  if (!seen.ok) return { worktree: { ...worktree, problem: seen.failure.message }, work: null }
  tools.snapshots.put(recentKey({ folder: options.folder, id: record.id }), {
    found,
    work: work.value,
    target: target ?? null,
  })
  return seen.value
}

/** The facts that the record holds. */
function facts(
  { record, repository }: FoundWorktree,
  {
    used,
    folderExists,
    refs,
  }: { readonly used: boolean; readonly folderExists: boolean } & Pick<DescribeOptions, 'refs'>,
): ReviewWorktree {
  const { owner } = record
  return {
    id: record.id,
    path: record.path,
    branch: record.branch,
    base: record.base,
    target: record.target ?? repository.branch,
    agentId: owner.agentId,
    conversationId: owner.conversationId,
    agentName: owner.name,
    color: owner.color,
    task: owner.task,
    createdAt: record.createdAt,
    state: used ? 'working' : record.state === 'making' ? 'orphaned' : 'ready',
    ended: used ? null : record.ended,
    folderGone: !folderExists,
    version: '',
    commits: 0,
    files: 0,
    insertions: 0,
    deletions: 0,
    uncommitted: 0,
    check: null,
    conflictsWith: [],
    merged: mergedOf(record, refs),
    takenBack: takenBackOf(record, refs),
    resolving: null,
    bytes: null,
    notes: record.notes,
    problem: null,
  }
}

type Refs = DescribeOptions['refs']

function mergedOf({ merged }: WorktreeRecord, refs: Refs): ReviewWorktree['merged'] {
  if (merged === null) return null
  const { into, commit, method, at, before } = merged
  return { into, commit, method, at, undoable: before !== null && refs.get(branchRef(into)) === commit }
}

function takenBackOf({ branch, takenBack }: WorktreeRecord, refs: Refs): ReviewWorktree['takenBack'] {
  const last = takenBack.at(-1)
  if (last === undefined || refs.get(branchRef(branch)) !== last.commit) return null
  return { what: last.what, at: last.at }
}

async function withWork(
  tools: ReviewTools,
  found: FoundWorktree,
  {
    thorough,
    refs,
    work,
    worktree,
    used,
  }: DescribeOptions & {
    readonly work: WorkInWorktree
    readonly worktree: ReviewWorktree
    readonly used: boolean
  },
): Promise<ReviewResult<DescribedWorktree>> {
  const { comparisons } = tools
  const { top } = found.repository
  const { record } = found
  const target = worktree.target === null ? undefined : refs.get(branchRef(worktree.target))
  const from = await comparedFrom(tools, found, { target: target ?? null, work })
  if (!from.ok) return from
  const [ahead, files, merged, exists, check, bytes, resolving] = await Promise.all([
    comparisons.ahead(top, { target: target ?? record.base, tip: work.tip }),
    comparisons.files(top, { from: from.value, to: work.tree }),
    isMerged(tools, found, { work, target }),
    tools.conversationExists(record.owner.conversationId),
    thorough ? checkOf(tools, found, { worktree, work, target }) : null,
    thorough ? sizeOf(record, work) : null,
    stillInConflict(tools, record, work),
  ])
  if (!ahead.ok) return ahead
  if (!files.ok) return files
  const sum = (counts: readonly (number | null)[]) => counts.reduce<number>((all, one) => all + (one ?? 0), 0)
  const described: ReviewWorktree = {
    ...worktree,
    version: workVersionOf(work),
    state: used ? 'working' : merged ? 'merged' : exists ? worktree.state : 'orphaned',
    commits: ahead.value,
    files: files.value.length,
    insertions: sum(files.value.map(({ insertions }) => insertions)),
    deletions: sum(files.value.map(({ deletions }) => deletions)),
    uncommitted: work.snapshot?.changed.length ?? 0,
    // A merge would treat remaining conflict markers as work.
    check: check && resolving && resolving.length > 0 ? { kind: 'conflicts', files: [...resolving] } : check,
    resolving,
    bytes,
    notes: [...worktree.notes, ...strayNotes(record, work)],
  }
  return ok({ worktree: described, work: { commit: work.commit, from: from.value, files: files.value } })
}

/** Whether removing the folder and the branch would lose nothing. */
export async function isMerged(
  tools: ReviewTools,
  { repository, record }: FoundWorktree,
  { work, target }: { readonly work: WorkInWorktree; readonly target: string | undefined },
): Promise<boolean> {
  if (work.snapshot && (work.snapshot.changed.length > 0 || work.snapshot.head !== work.tip)) return false
  const { git, comparisons } = tools
  const { top } = repository
  const { merged } = record
  // A cherry-pick may have left out commits.
  if (merged && merged.head === work.tip && merged.method !== 'cherry-pick') {
    const into = await commitOf(git, top, branchRef(merged.into))
    const still = into ? await comparisons.base(top, { target: into, tip: merged.commit }) : null
    if (still?.ok && still.value === merged.commit) return true
  }
  if (!target) return false
  const isIn = await comparisons.isIn(top, { target, tip: work.tip })
  return isIn.ok && isIn.value
}

async function checkOf(
  { comparisons }: ReviewTools,
  { repository }: FoundWorktree,
  {
    worktree,
    work,
    target,
  }: {
    readonly worktree: ReviewWorktree
    readonly work: WorkInWorktree
    readonly target: string | undefined
  },
): Promise<MergeCheck> {
  if (worktree.target === null) return { kind: 'unknown', because: 'no branch is checked out to merge into' }
  if (target === undefined) return { kind: 'unknown', because: `the branch ${worktree.target} is gone` }
  return mergeCheck(comparisons, repository.top, { target, tip: work.commit })
}

/** Counted again after a new commit, an uncommitted change or a new entry in its top folder. */
async function sizeOf({ path }: WorktreeRecord, { commit }: WorkInWorktree): Promise<number | null> {
  const top = await stat(path).catch(() => null)
  if (top === null) return 0
  const size = await sizes(`${path} ${commit} ${top.mtimeMs}`, async () => ok(await folderSize(path)))
  return size.ok ? size.value : null
}

/** The files still in conflict; null: no merge is unfinished. */
async function stillInConflict(
  { git }: ReviewTools,
  { path, resolving }: WorktreeRecord,
  { snapshot }: WorkInWorktree,
): Promise<readonly string[] | null> {
  if (resolving === null || !snapshot || snapshot.merging.length === 0) return null
  if (snapshot.unmerged.length === 0) return []
  const stages = await git.run(path, ['ls-files', '--unmerged', '-z'])
  const hasBoth = (file: string) =>
    stages.ok && [2, 3].every((stage) => stages.value.includes(` ${stage}\t${file}\0`))
  const open = await Promise.all(
    snapshot.unmerged.map(async (file) => {
      if (!hasBoth(file)) return true
      const text = await readFile(join(path, file), 'latin1').catch(() => null)
      return text !== null && hasMarkers(text)
    }),
  )
  return snapshot.unmerged.filter((_, index) => open[index])
}

function strayNotes({ branch }: WorktreeRecord, { snapshot }: WorkInWorktree): readonly string[] {
  if (!snapshot || snapshot.ref === branchRef(branch)) return []
  const other = snapshot.ref?.slice('refs/heads/'.length)
  return [
    other
      ? `The branch ${other} is checked out, not ${branch}. Commits on ${other} are not merged with it.`
      : `No branch is checked out. Newer commits are not on ${branch}.`,
  ]
}

/** Concurrent `lstat` calls, so that other disk access is not delayed. */
const AT_A_TIME = 32

/** Bytes. Links are not followed, unreadable entries count as 0. Null: the folder is missing. */
async function folderSize(folder: string): Promise<number | null> {
  const top = await lstat(folder).catch(() => null)
  if (top === null) return null
  let bytes = diskSize(top)
  const folders = [folder]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const here = next
    let pending: Promise<void>[] = []
    const entries = await opendir(here).catch(() => null)
    if (entries === null) continue
    for await (const entry of entries) {
      const path = join(here, entry.name)
      if (entry.isDirectory()) folders.push(path)
      pending.push(
        lstat(path).then(
          (stats) => {
            bytes += diskSize(stats)
          },
          () => undefined,
        ),
      )
      if (pending.length < AT_A_TIME) continue
      await Promise.all(pending)
      pending = []
    }
    await Promise.all(pending)
  }
  return bytes
}

/** Windows reports no block count. */
const diskSize = ({ blocks, size }: Stats): number => (blocks ? blocks * 512 : size)
