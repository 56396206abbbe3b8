/** Finds files by a pattern of their path, the most recently changed first. */
import { stat } from 'node:fs/promises'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { FileQuery, FileSearch } from '../../runtime/ports/files.ts'
import { comparePaths } from './found-lines.ts'
import { pathFilter } from './path-filter.ts'
import { type Ripgrep, runRipgrep, SCOPE } from './run-ripgrep.ts'

interface FilesFound {
  /** Absolute. */
  readonly paths: readonly string[]
  readonly truncated: boolean
}

/** The files of a folder whose relative path matches, at most `limit`. */
export async function findFiles(
  { pattern, path, limit, skip = () => false }: Parameters<FileSearch['glob']>[0],
  program: Ripgrep,
  signal: AbortSignal,
): Promise<Result<FilesFound>> {
  const matches = pathFilter(pattern)
  const start = path.endsWith('/') ? path.length : path.length + 1
  const paths: string[] = []
  let truncated = false
  const ran = await runRipgrep(program, {
    args: ['--files', ...SCOPE, '--null', '--sortr=modified', '--', path],
    separator: '\0',
    signal,
    onRecord: (record) => {
      if (!matches(record.slice(start)) || skip(record)) return true
      truncated = paths.length >= limit
      if (!truncated) paths.push(record)
      return !truncated
    },
  })
  return ran.ok ? ok({ paths: await newestFirst(paths), truncated }) : ran
}

/** The first file that passes, in no order. The search ends there. */
export async function firstFile(
  { path, hidden, ignored, filters, passes }: FileQuery,
  program: Ripgrep,
  signal: AbortSignal,
): Promise<Result<string | null>> {
  const start = path.endsWith('/') ? path.length : path.length + 1
  let found: string | null = null
  const scope = [...(hidden ? ['--hidden'] : []), ...(ignored ? ['--no-ignore'] : []), '--path-separator=/']
  const ran = await runRipgrep(program, {
    args: ['--files', ...scope, ...filters, '--null', '--color=never', '--', path],
    separator: '\0',
    signal,
    onRecord: (record) => {
      const below = record.slice(start)
      if (passes(below)) found = below
      return found === null
    },
  })
  return ran.ok ? ok(found) : ran
}

/** By time, and files of the same time by path, which ripgrep leaves unsorted. */
async function newestFirst(paths: readonly string[]): Promise<readonly string[]> {
  const dated = await Promise.all(
    paths.map(async (path) => {
      const found = await stat(path, { bigint: true }).catch(() => null)
      return { path, time: found?.mtimeNs ?? 0n }
    }),
  )
  dated.sort((one, other) =>
    one.time === other.time ? comparePaths(one.path, other.path) : one.time < other.time ? 1 : -1,
  )
  return dated.map(({ path }) => path)
}
