/** `git rev-parse --verify`. */
import type { Git } from './git-client.ts'

/** The commit that a revision names; null: no such commit exists. */
export async function commitOf(git: Git, folder: string, revision: string): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`]
  const found = await git.answers(folder, args, { accepts: [1] })
  return found.ok && found.value.code === 0 ? found.value.output.trim() : null
}
