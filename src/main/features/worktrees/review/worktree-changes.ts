/** The changes of a worktree since the merge base with its target. Also works while its agent is running. */
import { isUtf8 } from 'node:buffer'
import { fail, ok } from '../../../../shared/kernel/result.ts'
import type {
  AskedChange,
  PictureSide,
  ReviewChanges,
  ReviewCommit,
  ReviewFileText,
  ReviewPicture,
  ReviewRange,
} from '../../../../shared/worktrees/review.ts'
import { branchRef } from '../../../platform/git/branches.ts'
import type { TreeChange } from '../../../platform/git/diff-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { blobSizes, type GitFile, isBinary, readBlobs, treeEntry } from '../../../platform/git/objects.ts'
import type { Repository } from '../../../platform/git/repository.ts'
import { commitOf } from '../../../platform/git/rev-parse.ts'
import { SUBMODULE_MODE } from '../../../platform/git/status.ts'
import { inParallel } from '../../../platform/system/in-parallel.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'
import { fileNotes } from './file-notes.ts'
import {
  comparedFrom,
  type FoundWorktree,
  type RecentWork,
  type ReviewTools,
  readWork,
} from './review-tools.ts'

/** Limits of the list; more files are only counted. */
const MOST_FILES = 3000
const MOST_COMMITS = 500

/** The trees that were compared. */
export interface Compared {
  readonly from: string
  readonly tree: string
}

/** The changes, and the compared trees, from which `changedFileText` reads the files. */
export async function worktreeChanges(
  tools: ReviewTools,
  found: FoundWorktree,
  { range, recent }: { readonly range: ReviewRange | null; readonly recent?: RecentWork | null },
): Promise<ReviewResult<{ readonly changes: ReviewChanges; readonly compared: Compared }>> {
  const { repository, record } = found
  const branch = record.target ?? repository.branch
  const [work, target] = recent
    ? [ok(recent.work), recent.target]
    : await Promise.all([
        readWork(tools, found, { lenient: true }),
        branch === null ? null : commitOf(tools.git, repository.top, branchRef(branch)),
      ])
  if (!work.ok) return work
  const { snapshot, tree, tip } = work.value
  const from = await comparedFrom(tools, found, { target, work: work.value })
  if (!from.ok) return from
  const head = snapshot?.head ?? tip
  const over = range === null ? ok({ from: from.value, tree }) : await rangeOf(tools, found, { range, tree })
  if (!over.ok) return over
  const [files, commits] = await Promise.all([
    tools.comparisons.files(repository.top, { from: over.value.from, to: over.value.tree }),
    readCommits(tools, repository, {
      // Of merged work, the target lacks no commit: list the commits that the files are compared over.
      beyond: from.value === record.base ? record.base : (target ?? record.base),
      tip: head,
    }),
  ])
  if (!files.ok) return files
  if (!commits.ok) return commits
  const isCommit = range?.kind === 'commit'
  const uncommitted = new Set(isCommit ? [] : snapshot?.changed)
  const unmerged = new Set(isCommit ? [] : snapshot?.unmerged)
  const { commit } = work.value
  const changedSince = async (asked: FoundWorktree['record']['asked'][number]): Promise<AskedChange> => {
    if (asked.commit === commit) return { ...asked, changedBy: 'nobody' }
    const between = await tools.comparisons.files(repository.top, { from: asked.commit, to: tree })
    const byAgents = await tools.changedByAgents(record.owner.conversationId, asked.at)
    return { ...asked, changedBy: between.ok ? changedBy(between.value, byAgents) : 'agent' }
  }
  const listed = files.value.slice(0, MOST_FILES)
  const notes = await fileNotes(tools.git, repository.top, listed)
  if (!notes.ok) return notes
  const shown = listed.map(({ before, after, ...file }, index) => ({
    ...file,
    content: [before, after].map((side) => (side ? `${side.mode} ${side.sha}` : '')).join(' '),
    notes: notes.value[index] ?? [],
    kind: unmerged.has(file.path) ? ('conflicted' as const) : file.kind,
    uncommitted: uncommitted.has(file.path),
  }))
  return ok({
    changes: {
      id: record.id,
      from: over.value.from,
      version: [over.value.from, head, over.value.tree, ...unmerged].join(' '),
      files: shown,
      commits: commits.value,
      moreFiles: files.value.length - shown.length,
      asked: (await inParallel(record.asked, 4, changedSince)).reverse(),
    },
    compared: over.value,
  })
}

/** @param byAgents the paths of files that agents changed; null: not known */
function changedBy(
  files: readonly { readonly path: string }[],
  byAgents: ReadonlySet<string> | null,
): AskedChange['changedBy'] {
  const count = files.filter(({ path }) => byAgents?.has(path) !== false).length
  if (files.length === 0) return 'nobody'
  if (count === 0) return 'user'
  return count === files.length ? 'agent' : 'both'
}

/** The trees of a part of the changes. */
async function rangeOf(
  { git }: ReviewTools,
  { repository, record }: FoundWorktree,
  { range, tree }: { readonly range: ReviewRange; readonly tree: string },
): Promise<ReviewResult<Compared>> {
  const { top } = repository
  const { kind, commit } = range
  const gone = (what: string) =>
    fail({ type: 'not-there', message: `${what} no longer exists. Show all changes instead.` } as const)
  if (kind === 'since') {
    const isKnown = record.asked.some((asked) => asked.commit === commit)
    const known = isKnown ? await commitOf(git, top, commit) : null
    return known === null ? gone('The work at the time of these comments') : ok({ from: commit, tree })
  }
  const parent = await commitOf(git, top, `${commit}^`)
  if (parent !== null) return ok({ from: parent, tree: commit })
  if ((await commitOf(git, top, commit)) === null) return gone(`The commit ${commit.slice(0, 10)}`)
  const empty = await git.run(top, ['mktree'], { input: '' })
  return empty.ok ? ok({ from: empty.value.trim(), tree: commit }) : empty
}

async function readCommits(
  { git }: ReviewTools,
  { top }: Repository,
  { beyond, tip }: { readonly beyond: string; readonly tip: string },
): Promise<ReviewResult<readonly ReviewCommit[]>> {
  const options = [
    '-z',
    `--max-count=${MOST_COMMITS}`,
    '--format=%H%x01%s%x01%an%x01%ct',
    '--no-show-signature',
  ]
  const output = await git.run(top, ['log', ...options, tip, `^${beyond}`, '--'])
  if (!output.ok) return output
  return ok(
    output.value
      .split('\0')
      .filter((entry) => entry !== '')
      .map((entry) => {
        const [sha = '', subject = '', author = '', at = '0'] = entry.split('\x01')
        return { sha, subject, author, at: Number(at) * 1000 }
      }),
  )
}

/** Both sides of a changed picture. */
export async function changedPicture(
  { git, comparisons }: ReviewTools,
  { top }: Repository,
  { path, compared }: { readonly path: string; readonly compared: Compared },
): Promise<ReviewResult<ReviewPicture>> {
  const files = await comparisons.files(top, { from: compared.from, to: compared.tree })
  if (!files.ok) return files
  const file = files.value.find((one) => one.path === path)
  if (file) return pictureSides(git, top, file)
  return fail({ type: 'not-there', message: `${path} did not change. Refresh the list of changes.` })
}

/** Both sides of a changed file. */
export async function changedFileText(
  { git, comparisons }: ReviewTools,
  { top }: Repository,
  { path, compared }: { readonly path: string; readonly compared: Compared },
): Promise<ReviewResult<ReviewFileText>> {
  const files = await comparisons.files(top, { from: compared.from, to: compared.tree })
  if (!files.ok) return files
  const file = files.value.find((one) => one.path === path)
  if (file) return fileSides(git, top, { ...file, isText: file.insertions !== null })
  const entry = await treeEntry(git, top, { tree: compared.tree, path })
  if (!entry.ok) return entry
  if (entry.value !== null)
    return fileSides(git, top, { before: entry.value, after: entry.value, isText: true })
  return fail({
    type: 'not-there',
    message: `${path} is on neither side. Refresh the list of changes.`,
  })
}

/** Bytes. Larger files are not read. */
const LARGEST = 2 * 1024 * 1024

/** `isText` is git's decision, which attributes may override. */
async function fileSides(
  git: Git,
  folder: string,
  {
    before,
    after,
    isText,
  }: { readonly before: GitFile | null; readonly after: GitFile | null; readonly isText: boolean },
): Promise<ReviewResult<ReviewFileText>> {
  if (before?.mode === SUBMODULE_MODE || after?.mode === SUBMODULE_MODE)
    return ok({ kind: 'submodule', before: submoduleCommit(before), after: submoduleCommit(after) })
  const sizes = await blobSizes(git, folder, [before?.sha ?? null, after?.sha ?? null])
  if (!sizes.ok) return sizes
  const [bytesBefore = null, bytesAfter = null] = sizes.value
  const bytes = { bytesBefore, bytesAfter }
  if ((bytesBefore ?? 0) > LARGEST || (bytesAfter ?? 0) > LARGEST) return ok({ kind: 'too-large', ...bytes })
  if (!isText) return ok({ kind: 'binary', ...bytes })
  const read = await readBlobs(git, folder, [before?.sha ?? null, after?.sha ?? null])
  if (!read.ok) return read
  const [old = null, now = null] = read.value
  if (isBinary(old) || isBinary(now)) return ok({ kind: 'binary', ...bytes })
  // In UTF-8, different bytes of another encoding would become the same character.
  const encoding = [old, now].every((side) => side === null || isUtf8(side)) ? 'utf8' : 'latin1'
  return ok({ kind: 'text', before: old?.toString(encoding) ?? null, after: now?.toString(encoding) ?? null })
}

const submoduleCommit = (entry: GitFile | null): string | null =>
  entry?.mode === SUBMODULE_MODE ? entry.sha : null

/** Bytes. Larger pictures are not read. */
const LARGEST_PICTURE = 10 * 1024 * 1024

/** Both sides of a picture in a comparison. Fails as `not-there` where no side is a picture. */
async function pictureSides(
  git: Git,
  folder: string,
  { path, oldPath, before, after }: TreeChange,
): Promise<ReviewResult<ReviewPicture>> {
  const shaOf = (side: GitFile | null) => (side?.mode.startsWith('100') ? side.sha : null)
  const shas = [shaOf(before), shaOf(after)]
  const sizes = await blobSizes(git, folder, shas)
  if (!sizes.ok) return sizes
  const small = shas.map((sha, index) => ((sizes.value[index] ?? 0) <= LARGEST_PICTURE ? sha : null))
  const read = await readBlobs(git, folder, small)
  if (!read.ok) return read
  const paths = [oldPath ?? path, path]
  const [old = null, now = null] = sizes.value.map((bytes, index) => {
    const content = read.value[index] ?? null
    const type = content && typeOf(content, paths[index] ?? '')
    return bytes === null ? null : sideOf({ bytes, type, content })
  })
  if (!old?.type && !now?.type) return fail({ type: 'not-there', message: `${path} is not a picture.` })
  return ok({ before: old, after: now })
}

const sideOf = ({
  bytes,
  type,
  content,
}: {
  readonly bytes: number
  readonly type: PictureSide['type']
  readonly content: Buffer | null
}): PictureSide => ({ bytes, type, data: type && content ? content.toString('base64') : null })

/** The type by the first bytes. SVG has none: there the name counts too. */
function typeOf(content: Buffer, path: string): PictureSide['type'] {
  const start = content.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (/^GIF8[79]a/.test(start)) return 'image/gif'
  if (start.startsWith('RIFF') && start.endsWith('WEBP')) return 'image/webp'
  if (path.toLowerCase().endsWith('.svg') && content.toString('utf8').includes('<svg')) return 'image/svg+xml'
  return null
}
