/** A project folder as the window shows it. */
export interface FolderInfo {
  readonly path: string
  readonly name: string
  readonly trusted: boolean
  readonly gitBranch: string | null
  /** Number of files with uncommitted changes; null outside a repository. */
  readonly dirtyFiles: number | null
  readonly bypassAllowed: boolean
}
