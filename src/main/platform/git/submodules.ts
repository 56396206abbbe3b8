/** `.gitmodules`. */
import type { Git } from './git-client.ts'

/** The paths that `.gitmodules` of a checkout names. */
export async function submodulePaths(git: Git, folder: string): Promise<ReadonlySet<string>> {
  const args = ['config', '-z', '-f', '.gitmodules', '--get-regexp', '^submodule\\..*\\.path$']
  const named = await git.answers(folder, args, { accepts: [1] })
  if (!named.ok) return new Set()
  return new Set(named.value.output.split('\0').flatMap((entry) => entry.split('\n')[1] ?? []))
}
