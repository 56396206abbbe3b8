/** `git ls-files -v`: files whose changes `git status` ignores (`assume-unchanged`, `skip-worktree`). */
import { ok } from '../../../shared/result.ts'
import { exists } from '../system/exists.ts'
import type { Git } from './git-client.ts'
import type { GitResult } from './git-failure.ts'

/** Paths below the top. Files that a sparse checkout leaves out are missing from the folder and are not listed. */
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
