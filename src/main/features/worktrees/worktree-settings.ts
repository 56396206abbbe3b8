/**
 * What settings files say of new worktrees: `worktree.baseRef` and `worktree.sparsePaths`, as other programs have them.
 * What can't be followed is a note, and the worktree starts as it would without it.
 */
import { ok } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { SettingsLayer } from '../../../shared/settings/settings-layers.ts'
import type { Git } from '../../platform/git/git-client.ts'
import type { GitResult } from '../../platform/git/git-failure.ts'
import type { Repository } from '../../platform/git/repository.ts'
import { commitOf } from '../../platform/git/rev-parse.ts'

export interface WorktreeStartSettings {
  /** `fresh`: the remote's default branch, as it was fetched last. Null: nothing is said. */
  readonly baseRef: 'fresh' | 'head' | null
  /** Folders below the top. Empty: all. */
  readonly sparsePaths: readonly string[]
  readonly notes: readonly string[]
}

export const NO_SETTINGS: WorktreeStartSettings = { baseRef: null, sparsePaths: [], notes: [] }

/** The value of the strongest layer counts, of each key by itself. */
export function readWorktreeSettings(layers: readonly SettingsLayer[]): WorktreeStartSettings {
  const notes: string[] = []
  const setting = <T>(key: string, read: (value: unknown) => T | null, meant: string): T | null => {
    for (const { file, raw } of layers) {
      const value = (raw['worktree'] as Readonly<Record<string, unknown>> | null | undefined)?.[key]
      if (value === undefined) continue
      const found = read(value)
      if (found === null)
        notes.push(
          `worktree.${key} in ${file ?? 'the settings of the command line'} is not ${meant}, so it does not apply.`,
        )
      return found
    }
    return null
  }
  return {
    baseRef: setting(
      'baseRef',
      (value) => (value === 'fresh' || value === 'head' ? value : null),
      '"fresh" or "head"',
    ),
    sparsePaths: setting('sparsePaths', pathsOf, 'a list of folders of the repository') ?? [],
    notes,
  }
}

/** Null: not a list of folders below the top. */
function pathsOf(value: unknown): readonly string[] | null {
  if (!Array.isArray(value) || value.length > 1000) return null
  const paths = value.map((each) =>
    typeof each === 'string' ? each.replace(/^(?:\.\/)+|\/+$/g, '').replace(/\/{2,}/g, '/') : '',
  )
  const isFolder = (path: string) =>
    path !== '' &&
    path.length <= 1000 &&
    !/^[/!#-]|[\0-\x1f\\*?[\]]/.test(path) &&
    !path.split('/').some((part) => part === '..' || part === '.' || part === '.git')
  return paths.every(isFolder) ? [...new Set(paths)] : null
}

/** The commit that a worktree starts from, with notes. */
export async function baseOf(
  git: Git,
  { top, head }: { readonly top: string; readonly head: string },
  { settings, carriesOver }: { readonly settings: WorktreeStartSettings; readonly carriesOver: boolean },
): Promise<{ readonly base: string; readonly notes: readonly string[] }> {
  if (settings.baseRef !== 'fresh') return { base: head, notes: [] }
  const remote = await remoteBranch(git, top)
  if (remote === null)
    return {
      base: head,
      notes: [
        'The worktree starts from your last commit and not from the remote (worktree.baseRef is "fresh"), because no default branch of origin is known here. `git remote set-head origin --auto` finds it.',
      ],
    }
  if (remote.commit === head) return { base: head, notes: [] }
  if (carriesOver)
    return {
      base: head,
      notes: [
        `The worktree starts from your last commit and not from ${remote.name} (worktree.baseRef is "fresh"), because it includes your uncommitted changes.`,
      ],
    }
  return {
    base: remote.commit,
    notes: [
      `The worktree starts from ${remote.name} as it was fetched last, because worktree.baseRef is "fresh". Commits that were not pushed are not in it.`,
    ],
  }
}

async function remoteBranch(git: Git, top: string) {
  const asked = await git.answers(top, ['symbolic-ref', '--quiet', 'refs/remotes/origin/HEAD'], {
    accepts: [1],
  })
  const known = asked.ok ? asked.value.output.trim() : ''
  for (const ref of [known, 'refs/remotes/origin/main', 'refs/remotes/origin/master']) {
    const commit = ref === '' ? null : await commitOf(git, top, ref)
    if (commit !== null) return { name: makeVisible(ref.replace('refs/remotes/', '')), commit }
  }
  return null
}

/**
 * Limits an empty worktree to the folders of the settings, before its files are written. Files at the top are always
 * there, and so is the folder that the agent works in. @returns notes
 */
export async function limitToPaths(
  git: Git,
  { path, base, below }: { readonly path: string; readonly base: string } & Pick<Repository, 'below'>,
  { sparsePaths }: WorktreeStartSettings,
): Promise<GitResult<readonly string[]>> {
  if (sparsePaths.length === 0) return ok([])
  const kinds = await Promise.all(
    sparsePaths.map(async (each) => {
      const answer = await git.answers(path, ['cat-file', '-t', `${base}:${each}`], { accepts: [128] })
      return answer.ok && answer.value.output.trim() === 'tree'
    }),
  )
  const there = sparsePaths.filter((_, at) => kinds[at])
  const missing = sparsePaths.filter((_, at) => !kinds[at])
  const lacking =
    missing.length === 0
      ? []
      : [
          `Not folders of the commit, so they were left out of worktree.sparsePaths: ${missing.map(makeVisible).join(', ')}.`,
        ]
  if (there.length === 0) return ok([...lacking, 'All folders are checked out.'])
  const wanted = [...new Set(below === '' ? there : [...there, below])]
  const set = await git.run(path, ['sparse-checkout', 'set', '--cone', '--', ...wanted])
  if (!set.ok) return set
  return ok([
    ...lacking,
    `Only these folders are checked out, and the files at the top (worktree.sparsePaths): ${wanted.map(makeVisible).join(', ')}. Others are in the commit: \`git sparse-checkout add FOLDER\` brings one.`,
  ])
}
