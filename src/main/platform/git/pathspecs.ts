/** Pathspecs that git reads from its standard input. */

/** Arguments of commands that take `allExcept` as their input. */
export const PATHSPECS_FROM_INPUT = ['--pathspec-from-file=-', '--pathspec-file-nul'] as const

/** Input that selects everything but some paths. */
export function allExcept(paths: readonly string[]): string {
  return ['.', ...paths.map((path) => `:(top,exclude,literal)${path.replace(/\/$/, '')}`)]
    .map((pathspec) => `${pathspec}\0`)
    .join('')
}
