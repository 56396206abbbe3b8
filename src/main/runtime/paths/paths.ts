/**
 * Paths as plain strings, without a file system: POSIX and Windows (`C:\x`), compared with slashes. Links are not
 * resolved; see locate-path.ts.
 */

/** A Windows path with slashes; other paths unchanged. */
export function withSlashes(path: string): string {
  return /^[A-Za-z]:[\\/]/.test(path) ? path.replaceAll('\\', '/') : path
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/') || /^[A-Za-z]:[\\/]/.test(path)
}

/** The absolute path, `.` and `..` resolved as text. */
export function resolvePath(folder: string, path: string): string {
  const whole = withSlashes(isAbsolute(path) ? path : `${withSlashes(folder)}/${path}`)
  const start = rootOf(whole)
  const names: string[] = []
  for (const name of whole.slice(start.length).split('/')) {
    if (name === '..') names.pop()
    else if (name !== '' && name !== '.') names.push(name)
  }
  return start + names.join('/')
}

/** `/` or `C:/`. */
export function rootOf(path: string): string {
  return /^[A-Za-z]:\//.exec(path)?.[0] ?? '/'
}

export function parentOf(path: string): string {
  return resolvePath(path, '..')
}

/** The path relative to the folder, `.` for the folder itself, null outside of it. Both are absolute. */
export function pathBelow(folder: string, path: string): string | null {
  const from = resolvePath(folder, '.')
  const to = resolvePath(path, '.')
  if (to === from) return '.'
  const start = from.endsWith('/') ? from : `${from}/`
  return to.startsWith(start) ? to.slice(start.length) : null
}
