/** What is not committed in a checkout, as `git status` tells it. */
import { ok, type Result } from '../../../shared/result.ts'
import type { Git, GitOptions } from './git-client.ts'

export interface StatusEntry {
  /** Below the top. */
  readonly path: string
  /** `nested`: a repository in the checkout that is no part of it; its path ends with a slash. */
  readonly kind: 'changed' | 'unmerged' | 'untracked' | 'nested'
  /** Whether the index differs from HEAD, and the file from the index. */
  readonly staged: boolean
  readonly unstaged: boolean
  /** Modes in HEAD and in the index, octal: `160000` is a submodule. */
  readonly modes: { readonly head: string; readonly index: string }
  /** What is not committed within a submodule; null: it is none. */
  readonly submodule: { readonly moved: boolean; readonly dirty: boolean } | null
}

export const SUBMODULE_MODE = '160000'
/** The mode of a file where it is missing. */
export const NOT_THERE = '000000'

/** Whether a name as it was read is not the file's own, since that is not UTF-8: no file can be named by it. */
export const isUnreadable = (path: string): boolean => path.includes('\uFFFD')

const NO_MODES = { head: NOT_THERE, index: NOT_THERE }

/** Ignored files are left out, and each untracked file is named. */
export async function readStatus(
  git: Git,
  folder: string,
  options: GitOptions = {},
): Promise<Result<readonly StatusEntry[]>> {
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
  // Of "1" come 8 words before the path, of "u" 10.
  const words = type === '1' ? 8 : type === 'u' ? 10 : 0
  if (words === 0) return null
  const parts = line.split(' ')
  return {
    path: parts.slice(words).join(' '),
    kind: type === 'u' ? 'unmerged' : 'changed',
    staged: xy[0] !== '.',
    unstaged: xy[1] !== '.',
    modes: { head: parts[3] ?? '', index: parts[4] ?? '' },
    submodule: sub.startsWith('S')
      ? { moved: sub[1] === 'C', dirty: sub[2] === 'M' || sub[3] === 'U' }
      : null,
  }
}
