/** `git merge-base`. */
import type { Git } from './git-client.ts'

/** Also false if git fails. */
export async function isAncestor(
  git: Git,
  folder: string,
  { older, newer }: { readonly older: string; readonly newer: string },
): Promise<boolean> {
  const asked = await git.answers(folder, ['merge-base', '--is-ancestor', older, newer], { accepts: [1] })
  return asked.ok && asked.value.code === 0
}
