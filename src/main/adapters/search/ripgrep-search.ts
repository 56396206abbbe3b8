/** Searching with ripgrep, in a child process, so that a large folder is never felt here. */
import { stat } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileSearch } from '../../runtime/ports.ts'
import { findFiles } from './find-files.ts'
import { grepFiles } from './grep-files.ts'
import type { Ripgrep } from './run-ripgrep.ts'

export interface RipgrepOptions {
  /** The program, or how to find it when it is first needed; see findRipgrep. */
  readonly rgPath: string | (() => Promise<Result<string>>)
  /** What ripgrep sees of the environment: it looks up git's settings in the home folder. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** ms after which a search is given up; 60,000 by default. */
  readonly timeoutMs?: number
}

export function createRipgrepSearch(options: RipgrepOptions): FileSearch {
  const { rgPath, environment, timeoutMs = 60_000 } = options
  let found: Promise<Result<string>> | null = null

  async function program(): Promise<Result<Ripgrep>> {
    found ??= typeof rgPath === 'string' ? Promise.resolve(ok(rgPath)) : rgPath()
    const path = await found
    return path.ok ? ok({ rgPath: path.value, environment, timeoutMs }) : path
  }

  return {
    glob: async (query, signal) => {
      const ripgrep = await program()
      if (!ripgrep.ok) return ripgrep
      const place = await stat(query.path).catch(() => null)
      if (place === null) return fail(missing(query.path))
      if (!place.isDirectory()) return fail(noFolder(query.path))
      return findFiles(query, ripgrep.value, signal)
    },
    grep: async (query, signal) => {
      const ripgrep = await program()
      if (!ripgrep.ok) return ripgrep
      const place = await stat(query.path).catch(() => null)
      if (place === null) return fail(missing(query.path))
      return grepFiles({ ...query, isFolder: place.isDirectory() }, ripgrep.value, signal)
    },
  }
}

function missing(path: string) {
  return { type: 'not-found', message: `${path} does not exist.` }
}

function noFolder(path: string) {
  return { type: 'not-found', message: `${path} is not a folder.` }
}
