/** `git status --porcelain=v2`: the uncommitted changes of a checkout. */
import { ok } from '../../../shared/result.ts'
import type { Git, GitOptions } from './git-client.ts'
import type { GitResult } from './git-failure.ts'

export interface StatusEntry {
  /** Relative to the top. */
  readonly path: string
  /** `nested`: a separate repository inside the checkout; its path ends with a slash. */
  readonly kind: 'changed' | 'unmerged' | 'untracked' | 'nested'
  /** Whether the index differs from HEAD, and whether the file differs from the index. */
  readonly staged: boolean
  readonly unstaged: boolean
  /** Modes in HEAD and in the index, octal: `160000` is a submodule. */
  readonly modes: { readonly head: string; readonly index: string }
  /** The state of a submodule; null: the path is no submodule. `moved`: another commit is checked out in it. */
  readonly submodule: { readonly moved: boolean; readonly dirty: boolean } | null
}

export const SUBMODULE_MODE = '160000'
export const LINK_MODE = '120000'
/** The mode of a file that is missing. */
export const NO_MODE = '000000'

/** Whether a file's name is not UTF-8. Such a name is not read intact, so it can't be passed back to git. */
export const isUnreadable = (path: string): boolean => path.includes('\uFFFD')

const NO_MODES = { head: NO_MODE, index: NO_MODE }

/** Lists each untracked file, and no ignored files. */
export async function readStatus(
  git: Git,
  folder: string,
  options: GitOptions = {},
): Promise<GitResult<readonly StatusEntry[]>> {
  const args = [
    'status',
    '--porcelain=v2',
    '-z',
    '--untracked-files=all',
    '--no-renames',
    '--ignore-submodules=none',
  ]
  const printed = await git.run(folder, args, options)
  return printed.ok ? ok(parseStatus(printed.value)) : printed
}

function parseStatus(printed: string): readonly StatusEntry[] {
  return printed.split('\0').flatMap((line) => {
    const entry = entryOf(line)
    return entry ? [entry] : []
  })
}

function entryOf(line: string): StatusEntry | null {
  if (line.startsWith('? ')) {
    const path = line.slice(2)
    const kind = path.endsWith('/') ? 'nested' : 'untracked'
    return { path, kind, staged: false, unstaged: true, modes: NO_MODES, submodule: null }
  }
  const [type, xy = '', sub = ''] = line.split(' ', 3)
  // The path follows 8 fields in a line of type `1`, and 10 fields in a line of type `u`.
  const fields = type === '1' ? 8 : type === 'u' ? 10 : 0
  if (fields === 0) return null
  const parts = line.split(' ')
  return {
    path: parts.slice(fields).join(' '),
    kind: type === 'u' ? 'unmerged' : 'changed',
    staged: xy[0] !== '.',
    unstaged: xy[1] !== '.',
    modes: { head: parts[3] ?? '', index: parts[4] ?? '' },
    submodule: sub.startsWith('S')
      ? { moved: sub[1] === 'C', dirty: sub[2] === 'M' || sub[3] === 'U' }
      : null,
  }
}
