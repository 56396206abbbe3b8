/** `git status --porcelain=v2`: the uncommitted changes of a checkout. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import type { Git, GitOptions } from './git-client.ts'
import type { GitResult } from './git-failure.ts'
import { submodulePaths } from './submodules.ts'

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
    // With `none`, git would start itself in each submodule, with the programs that its settings name.
    '--ignore-submodules=dirty',
  ]
  const printed = await git.run(folder, args, options)
  if (!printed.ok) return printed
  const entries = parseStatus(printed.value)
  return ok(
    existsSync(join(folder, '.gitmodules')) ? await withDirty(entries, { git, folder, options }) : entries,
  )
}

/** Adds the submodules with uncommitted changes, and marks those among the entries. */
async function withDirty(
  entries: readonly StatusEntry[],
  { git, folder, options }: { readonly git: Git; readonly folder: string; readonly options: GitOptions },
): Promise<readonly StatusEntry[]> {
  const found = [...entries]
  for (const path of await submodulePaths(git, folder)) {
    const nested = join(folder, path)
    if (!existsSync(join(nested, '.git')) || !(await isDirty(git, nested, options.signal))) continue
    const at = found.findIndex((entry) => entry.path === path)
    const known = found[at]
    const submodule = { moved: known?.submodule?.moved ?? false, dirty: true }
    const modes = { head: SUBMODULE_MODE, index: SUBMODULE_MODE }
    if (known === undefined)
      found.push({ path, kind: 'changed', staged: false, unstaged: true, modes, submodule })
    else found[at] = { ...known, unstaged: true, submodule }
  }
  return found
}

/** Whether a nested repository has uncommitted changes, or can't be read. None of the programs that its settings name is run. */
async function isDirty(git: Git, folder: string, signal: AbortSignal | undefined): Promise<boolean> {
  const named = await git.answers(folder, ['config', '-z', '--name-only', '--get-regexp', '^filter[.]'], {
    accepts: [1],
  })
  if (!named.ok) return true
  const programs = [...new Set(named.value.output.split('\0'))].filter((key) => key !== '')
  const printed = await git.run(folder, ['status', '--porcelain', '-z', '--ignore-submodules=all'], {
    config: programs.map((key) => `${key}=`),
    // Missing objects are not fetched: that would run a program too.
    environment: { GIT_ALLOW_PROTOCOL: 'none' },
    ...(signal && { signal }),
  })
  return !printed.ok || printed.value !== ''
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
