/**
 * Paths as plain strings, without a file system: POSIX ones, and those of Windows (`C:\x`), which are
 * compared with slashes. Nothing here follows links; see locate-path.ts.
 */

/** Slashes instead of backslashes where the path is one of Windows. */
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

/** The path below the folder, `.` for the folder itself, or null where it lies outside. Both are absolute. */
export function pathBelow(folder: string, path: string): string | null {
  const from = resolvePath(folder, '.')
  const to = resolvePath(path, '.')
  if (to === from) return '.'
  const start = from.endsWith('/') ? from : `${from}/`
  return to.startsWith(start) ? to.slice(start.length) : null
}
