/** Words for changes that the lines of a file don't show: names, modes, empty files, links, submodules. */
import { ok } from '../../../../shared/kernel/result.ts'
import type { TreeChange } from '../../../platform/git/diff-tree.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import { type GitFile, readBlobs } from '../../../platform/git/objects.ts'
import { LINK_MODE, SUBMODULE_MODE } from '../../../platform/git/status.ts'
import type { ReviewResult } from '../../../runtime/ports/worktrees.ts'

/** The notes of each file, in the same order. Reads the targets of links, with one call of git if there are any. */
export async function fileNotes(
  git: Git,
  folder: string,
  files: readonly TreeChange[],
): Promise<ReviewResult<readonly (readonly string[])[]>> {
  const links = [
    ...new Set(
      files.flatMap(({ before, after }) =>
        [before, after].flatMap((side) => (side?.mode === LINK_MODE ? [side.sha] : [])),
      ),
    ),
  ]
  const read = await readBlobs(git, folder, links)
  if (!read.ok) return read
  const targets = new Map(links.map((sha, index) => [sha, read.value[index]?.toString('utf8') ?? '']))
  return ok(files.map((file) => [...nameNotes(file), ...contentNotes(file, targets)]))
}

function nameNotes({ kind, oldPath }: TreeChange): readonly string[] {
  if (oldPath === null) return []
  return [kind === 'copied' ? `Copied from ${oldPath}` : `Renamed from ${oldPath}`]
}

function contentNotes(
  { before, after }: TreeChange,
  targets: ReadonlyMap<string, string>,
): readonly string[] {
  const [old, now] = [factsOf(before, targets), factsOf(after, targets)]
  if (before === null) {
    if (now.type !== 'file') return [`Added: ${now.text}`]
    return [...(now.empty ? ['Empty file added'] : []), ...(now.executable ? ['Added with mode 755'] : [])]
  }
  if (after === null) {
    if (old.type !== 'file') return [`Deleted: ${old.text}`]
    return old.empty ? ['Empty file deleted'] : []
  }
  if (old.type !== now.type) return [`Replaced: ${old.text} → ${now.text}`]
  if (old.type === 'link') return before.sha === after.sha ? [] : [`Link to ${old.target} → ${now.target}`]
  if (old.type === 'submodule')
    return before.sha === after.sha ? [] : [`Submodule ${old.target} → ${now.target}`]
  return [
    ...(before.mode === after.mode ? [] : [`Mode changed ${before.mode.slice(3)} → ${after.mode.slice(3)}`]),
    ...(now.empty && !old.empty ? ['All content removed'] : []),
  ]
}

interface SideFacts {
  readonly type: 'file' | 'link' | 'submodule'
  readonly text: string
  /** Of a link: its path. Of a submodule: the short commit. */
  readonly target: string
  readonly empty: boolean
  readonly executable: boolean
}

function factsOf(side: GitFile | null, targets: ReadonlyMap<string, string>): SideFacts {
  const plain = { empty: false, executable: false }
  if (side?.mode === LINK_MODE) {
    const target = targets.get(side.sha) ?? ''
    return { ...plain, type: 'link', text: `link to ${target}`, target }
  }
  if (side?.mode === SUBMODULE_MODE) {
    const target = side.sha.slice(0, 10)
    return { ...plain, type: 'submodule', text: `submodule at ${target}`, target }
  }
  const empty = side !== null && EMPTY_BLOBS.has(side.sha)
  return { type: 'file', text: 'file', target: '', empty, executable: side?.mode === '100755' }
}

/** The ids of the empty file, in repositories of SHA-1 and of SHA-256. */
const EMPTY_BLOBS: ReadonlySet<string> = new Set([
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
])
