/** Files in a checkout whose changes git was told not to look at, so that no status tells of them. */
import { ok, type Result } from '../../../shared/result.ts'
import type { Git } from './git-client.ts'
import { exists } from './remove-worktree.ts'

/** Below the top. Those that a sparse checkout leaves out are not there, and not named. */
export async function hiddenFiles(
  git: Git,
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Result<readonly string[]>> {
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
