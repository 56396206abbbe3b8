/** Paths as tools get and show them. POSIX and Windows shapes are both understood. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileSystem } from '../ports.ts'
import type { ToolContext, ToolSession } from '../tool.ts'

const isAbsolute = (path: string): boolean => /^([/\\]|[A-Za-z]:[/\\])/.test(path)

/** The absolute path a call means: as given, or below the agent's folder. `.` and `..` are resolved. */
export function absolutePath(path: string, { root }: Pick<ToolSession, 'root'>): string {
  const joined = isAbsolute(path) ? path : `${root}/${path}`
  const parts: string[] = []
  for (const part of joined.split('/')) {
    if (part === '' || part === '.') continue
    if (part === '..') parts.pop()
    else parts.push(part)
  }
  return `${joined.startsWith('/') ? '/' : ''}${parts.join('/')}`
}

/** The path below the agent's folder, or as it is where it lies elsewhere. */
export function shownPath(path: string, { root }: Pick<ToolSession, 'root'>): string {
  if (path === root) return '.'
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
}

/** The real path to work on: the one the permission was given for, or a failure. */
export async function realPathFor(
  path: string,
  files: FileSystem,
  { session, approvedRealPath }: Pick<ToolContext, 'session' | 'approvedRealPath'>,
): Promise<Result<string>> {
  const real = await files.realPath(absolutePath(path, session))
  if (!real.ok) return real
  if (approvedRealPath !== undefined && approvedRealPath !== real.value)
    return fail({
      type: 'moved',
      message: `${path} led somewhere else when this ran than when it was allowed, so nothing was done.`,
    })
  return ok(real.value)
}
