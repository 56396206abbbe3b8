/** Paths as calls give them and as people read them. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import { pathBelow, resolvePath } from '../permissions/paths.ts'
import type { FileSystem } from '../ports.ts'
import type { ToolContext, ToolSession } from '../tool.ts'

/** The absolute path a call means: as it is, or counted from the agent's folder. `~` is a name like any other. */
export function absolutePath(path: string, { root }: Pick<ToolSession, 'root'>): string {
  return resolvePath(root, path)
}

/** The path below the agent's folder, `.` for the folder itself; as it is where it lies elsewhere. */
export function shownPath(path: string, { root }: Pick<ToolSession, 'root'>): string {
  return pathBelow(root, path) ?? path
}

/**
 * The real path to work on, found anew when the tool runs. Where it is another than the permission was
 * given for, somebody has put a link in the way meanwhile: a failure, `moved`.
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
      message: `The path changed between the check and the use: ${path} now leads to another place than was allowed. Nothing was done.`,
    })
  return ok(real.value)
}
