/** The ports to files: reading, writing and searching. */
import type { Result } from '../../../shared/kernel/result.ts'

export interface FileStat {
  readonly kind: 'file' | 'folder' | 'other'
  readonly size: number
  readonly mtimeMs: number
  /** Differs after every change, where the file system can tell. */
  readonly version?: string
}

interface FileUse {
  /** The path was resolved before. If it contains a link now, nothing is touched (`moved`). */
  readonly real?: boolean
}

export interface FileRead extends FileUse {
  /** In bytes; default: 64 MB. A larger file is not read (`too-large`), regardless of the size in its `stat`. */
  readonly limit?: number
}

export interface FileWrite extends FileUse {
  /** The file that must exist when the content is replaced; null: no file may exist (`changed`). */
  readonly expected?: FileStat | null
  /** The content of that file: with another mode or time, but this content, it is still the same. */
  readonly was?: Uint8Array
}

/**
 * Files by absolute path. Methods fail with `not-found`, `denied`, `is-folder`, `io`, or a failure that the options
 * name.
 */
export interface FileSystem {
  stat(path: string): Promise<Result<FileStat>>
  read(path: string, options?: FileRead): Promise<Result<Uint8Array>>
  /** Atomic: a reader sees the old content or the new. Creates missing folders and keeps the file's mode. */
  write(path: string, content: string | Uint8Array, options?: FileWrite): Promise<Result<FileStat>>
  /** The names in a folder, in no order. */
  list?(path: string): Promise<Result<readonly string[]>>
  /** The path with every link resolved. Of a path that does not exist yet, the existing part is resolved. */
  realPath(path: string): Promise<Result<string>>
}

export interface GrepQuery {
  readonly pattern: string
  readonly path: string
  readonly glob?: string
  readonly type?: string
  readonly mode: 'content' | 'files_with_matches' | 'count'
  readonly ignoreCase: boolean
  readonly lineNumbers: boolean
  readonly before: number
  readonly after: number
  readonly multiline: boolean
  /** Lines or files to skip before the first one of the result. */
  readonly offset: number
  readonly limit: number
  /** Excludes files, by their path below the searched folder. */
  readonly skip?: (path: string) => boolean
}

/** A folder and the limits of a search in it. */
export interface FileQuery {
  readonly path: string
  /** Whether hidden files count. */
  readonly hidden: boolean
  /** Whether ignored files count. */
  readonly ignored: boolean
  /** Further options of ripgrep: `--type=ts`. */
  readonly filters: readonly string[]
  /** Whether a file is wanted, by its path below `path`. */
  readonly passes: (path: string) => boolean
}

/** Searches with ripgrep in a child process. Fails with `bad-pattern`, `not-found`, `aborted`, `timeout` or `io`. */
export interface FileSearch {
  /** At most `limit` absolute paths below a folder that match a glob, newest first. */
  glob(
    query: {
      readonly pattern: string
      readonly path: string
      readonly limit: number
      /** Excludes files, by their absolute path. */
      readonly skip?: (path: string) => boolean
    },
    signal: AbortSignal,
  ): Promise<Result<{ readonly paths: readonly string[]; readonly truncated: boolean }>>
  /** The first file that passes, as a path below the folder. Links are not followed. Null: none. */
  first(query: FileQuery, signal: AbortSignal): Promise<Result<string | null>>
  /** ripgrep's lines, and the number of matches (of files in the other two modes). */
  grep(
    query: GrepQuery,
    signal: AbortSignal,
  ): Promise<Result<{ readonly text: string; readonly matches: number; readonly truncated: boolean }>>
}
