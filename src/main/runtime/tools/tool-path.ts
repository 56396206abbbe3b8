/** Paths of calls: absolute, real, and for people. */
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { pathBelow, resolvePath } from '../paths/paths.ts'
import type { FileSystem } from '../ports/files.ts'
import type { ToolContext, ToolSession } from '../ports/tool.ts'

/** The absolute path. A relative one starts at the agent's folder; `~` was expanded before. */
export function absolutePath(path: string, { root }: Pick<ToolSession, 'root'>): string {
  return resolvePath(root, path)
}

/** The path relative to the agent's folder (`.` for the folder itself); absolute outside of it. */
export function shownPath(path: string, { root }: Pick<ToolSession, 'root'>): string {
  return pathBelow(root, path) ?? path
}

/**
 * The real path, resolved again when the tool runs. Fails with `moved` where a link changed since the permission: the
 * tool must touch only the path that was approved.
 */
export async function realPathFor(
  path: string,
  files: Pick<FileSystem, 'realPath'>,
  { session, approvedRealPath }: Pick<ToolContext, 'session' | 'approvedRealPath'>,
): Promise<Result<string>> {
  const real = await files.realPath(absolutePath(path, session))
  if (!real.ok) return real
  if (approvedRealPath !== undefined && resolvePath(approvedRealPath, '.') !== resolvePath(real.value, '.'))
    return fail({
      type: 'moved',
      message: `${path} was not used: since the permission check a link on the path changed, so it now leads to another file. Check the path, then try again.`,
    })
  return ok(real.value)
}
