/** Which files differ between two trees, by one call of git however many they are. */
import { ok, type Result } from '../../../../shared/result.ts'
import type { ReviewFile } from '../../../../shared/review.ts'
import type { Git } from '../git-client.ts'
import { NOT_THERE } from '../git-status.ts'
import type { FileSide } from './file-sides.ts'

export interface ChangedFile {
  readonly path: string
  readonly oldPath: string | null
  readonly kind: Exclude<ReviewFile['kind'], 'conflicted'>
  /** Null where it is not text. */
  readonly insertions: number | null
  readonly deletions: number | null
  /** Null where it is missing. */
  readonly before: FileSide | null
  readonly after: FileSide | null
}

/** Never runs a program that the repository names: no external diff, no text conversion. */
export async function changedFiles(
  git: Git,
  folder: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<Result<readonly ChangedFile[]>> {
  if (from === to) return ok([])
  const options = [
    '-r',
    '-M',
    '--raw',
    '--numstat',
    '-z',
    '--no-ext-diff',
    '--no-textconv',
    '--no-relative',
    '--ignore-submodules=none',
  ]
  const output = await git.run(folder, ['diff-tree', ...options, '--end-of-options', from, to], {
    // Beyond it, git looks for renames of unchanged content only.
    config: ['diff.renameLimit=1000'],
  })
  return output.ok ? ok(readChangedFiles(output.value)) : output
}

const KINDS: Readonly<Record<string, ChangedFile['kind']>> = {
  A: 'added',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type-changed',
}

/** Reads what `--raw --numstat -z` prints: all of the one, then all of the other, in the same order. */
export function readChangedFiles(output: string): readonly ChangedFile[] {
  const words = output.split('\0')
  const found: Omit<ChangedFile, 'insertions' | 'deletions'>[] = []
  let at = 0
  while (words[at]?.startsWith(':')) {
    const [modeBefore, modeAfter, shaBefore, shaAfter, letter] = (words[at] ?? '').slice(1).split(' ')
    const kind = KINDS[letter?.[0] ?? 'M'] ?? 'modified'
    const two = kind === 'renamed' || kind === 'copied'
    const [first = '', second = ''] = words.slice(at + 1, at + 3)
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
    const [insertions, deletions] = (words[at] ?? '').split('\t', 2)
    at += file.oldPath === null ? 1 : 3
    return { ...file, insertions: lines(insertions), deletions: lines(deletions) }
  })
}

const sideOf = (mode = NOT_THERE, sha = ''): FileSide | null => (mode === NOT_THERE ? null : { mode, sha })

const lines = (word: string | undefined): number | null =>
  word === undefined || word === '-' || word === '' ? null : Number(word)
