/** Which folders a list of trusted folders covers. All paths are absolute with their links resolved. */

/**
 * Whether a folder is one of the trusted folders or inside one. `/repo-evil` is not inside `/repo`. A trusted home
 * folder, or a folder above it, covers only itself: otherwise each later download would be trusted.
 */
export function isCovered(trusted: readonly string[], folder: string, home: string): boolean {
  return trusted.some((each) => {
    const entry = withoutEndSlash(each)
    return folder === entry || (!isWithin(entry, home) && isWithin(entry, folder))
  })
}

/** Whether a path is the folder or below it. */
function isWithin(folder: string, path: string): boolean {
  const slash = folder.startsWith('/') ? '/' : '\\'
  return path === folder || path.startsWith(folder.endsWith(slash) ? folder : `${folder}${slash}`)
}

const withoutEndSlash = (path: string): string =>
  path.length > 1 ? path.replace(/(?<![:])[/\\]$/, '') : path
