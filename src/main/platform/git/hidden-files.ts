/** `git ls-files`: files that `git status` does not list, although they may hold work. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ok } from '../../../shared/kernel/result.ts'
import { exists } from '../system/exists.ts'
import type { Git, GitOptions } from './git-client.ts'
import type { GitResult } from './git-failure.ts'

/**
 * Files whose changes `git status` ignores (`assume-unchanged`, `skip-worktree`). Files that a sparse checkout leaves
 * out are missing from the folder and are not listed.
 */
export async function hiddenFiles(
  git: Git,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<GitResult<readonly string[]>> {
  const listed = await git.run(folder, ['ls-files', '-v', '-z'], { environment })
  if (!listed.ok) return listed
  const named = (letters: RegExp) =>
    listed.value
      .split('\0')
      .filter((line) => letters.test(line))
      .map((line) => line.slice(2))
  const skipped = named(/^S /)
  const present = await Promise.all(skipped.map((name) => exists(`${folder}/${name}`)))
  return ok([...named(/^[a-z] /), ...skipped.filter((_, index) => present[index])])
}

/** The paths that git ignores: files, and folders whose whole content is ignored, with a slash at the end. */
export async function ignoredPaths(
  git: Git,
  folder: string,
  options: GitOptions = {},
): Promise<GitResult<readonly string[]>> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const listed = await git.run(folder, args, options)
  return listed.ok ? ok(listed.value.split('\0').filter((path) => path !== '')) : listed
}

/** The untracked files that no `.gitignore` names: they are missing from `git status` only because of `info/exclude`. */
export async function excludedFiles(
  git: Git,
  folder: string,
  {
    commonFolder,
    environment = {},
  }: { readonly commonFolder: string; readonly environment?: Readonly<Record<string, string>> },
): Promise<GitResult<readonly string[]>> {
  const list = join(commonFolder, 'info', 'exclude')
  const patterns = await readFile(list, 'utf8').catch(() => '')
  if (!/^[^#\s]/m.test(patterns)) return ok([])
  const others = ['ls-files', '-z', '--others']
  const [named, unignored] = await Promise.all([
    git.run(folder, [...others, '--ignored', `--exclude-from=${list}`], { environment }),
    git.run(folder, [...others, '--exclude-per-directory=.gitignore'], { environment }),
  ])
  if (!named.ok) return named
  if (!unignored.ok) return unignored
  const visible = new Set(unignored.value.split('\0'))
  // A path that ends with a slash is a nested repository.
  return ok(named.value.split('\0').filter((path) => path !== '' && !path.endsWith('/') && visible.has(path)))
}
