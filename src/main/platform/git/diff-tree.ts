/** `git diff-tree`: the files that differ between two trees, from one call of git. */
import { ok } from '../../../shared/kernel/result.ts'
import type { ReviewFile } from '../../../shared/worktrees/review.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'
import type { GitFile } from './objects.ts'
import { NO_MODE } from './status.ts'

export interface TreeChange {
  readonly path: string
  readonly oldPath: string | null
  readonly kind: Exclude<ReviewFile['kind'], 'conflicted'>
  /** Null: the file is not text. */
  readonly insertions: number | null
  readonly deletions: number | null
  /** Null: the file is missing on this side. */
  readonly before: GitFile | null
  readonly after: GitFile | null
}

/** The flags keep git from running programs that the repository names (external diff, text conversion). */
export const RAW_NUMSTAT = [
  '--raw',
  '--numstat',
  '-z',
  '-M',
  '-C',
  '--no-rename-empty',
  '--no-ext-diff',
  '--no-textconv',
  '--no-relative',
  '--ignore-submodules=none',
] as const

export async function changedFiles(
  git: Git,
  folder: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<GitResult<readonly TreeChange[]>> {
  if (from === to) return ok([])
  const output = await git.run(folder, ['diff-tree', '-r', ...RAW_NUMSTAT, '--end-of-options', from, to], {
    // With more candidates, git detects only renames of unchanged files.
    config: ['diff.renameLimit=1000'],
  })
  return output.ok ? ok(readChangedFiles(output.value)) : output
}

const KINDS: Readonly<Record<string, TreeChange['kind']>> = {
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type-changed',
}

/** Parses the output of `--raw --numstat -z`: all raw lines, then all counts, in the same order. */
export function readChangedFiles(output: string): readonly TreeChange[] {
  const fields = output.split('\0')
  const found: Omit<TreeChange, 'insertions' | 'deletions'>[] = []
  let at = 0
  while (fields[at]?.startsWith(':')) {
    const [modeBefore, modeAfter, shaBefore, shaAfter, letter] = (fields[at] ?? '').slice(1).split(' ')
    const kind = KINDS[letter?.[0] ?? 'M'] ?? 'modified'
    const two = kind === 'renamed' || kind === 'copied'
    const [first = '', second = ''] = fields.slice(at + 1, at + 3)
    found.push({
      kind,
      path: two ? second : first,
      oldPath: two ? first : null,
      before: sideOf(modeBefore, shaBefore),
      after: sideOf(modeAfter, shaAfter),
    })
    at += two ? 3 : 2
  }
  return found.map((file) => {
    const [insertions, deletions] = (fields[at] ?? '').split('\t', 2)
    at += file.oldPath === null ? 1 : 3
    return { ...file, insertions: lines(insertions), deletions: lines(deletions) }
  })
}

const sideOf = (mode = NO_MODE, sha = ''): GitFile | null => (mode === NO_MODE ? null : { mode, sha })

const lines = (count: string | undefined): number | null =>
  count === undefined || count === '-' || count === '' ? null : Number(count)
