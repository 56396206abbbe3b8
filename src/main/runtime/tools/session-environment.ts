/** The environment that commands of one agent have besides that of all commands. */
import { pathBelow } from '../paths/paths.ts'
import type { ToolSession } from '../tool.ts'

/**
 * The variables that interceptors set, and those of the agent's worktree.
 * @param confined whether it runs in the sandbox. Elsewhere the folders of `PATH` that the agent may write come last:
 * a program there must not take the name of one that is allowed unasked.
 */
export function sessionEnvironment(
  { root, project, variables, worktree }: Pick<ToolSession, 'root' | 'project' | 'variables' | 'worktree'>,
  confined: boolean,
): Readonly<Record<string, string>> {
  const set = variables?.() ?? {}
  const isOwn = (path: string) =>
    !path.startsWith('/') || pathBelow(root, path) !== null || pathBelow(project, path) !== null
  const { PATH } = set
  const folders = PATH?.split(':').filter((path) => path !== '') ?? []
  const ordered = [...folders.filter((path) => !isOwn(path)), ...folders.filter(isOwn)]
  return {
    ...set,
    ...(PATH !== undefined && !confined && { PATH: ordered.join(':') }),
    ...worktree?.environment,
  }
}
