/** The `Search` port on ripgrep, in a child process, so that a large folder never blocks this process. */
import { stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import type { FileSearch } from '../../runtime/ports/files.ts'
import { findFiles, firstFile } from './find-files.ts'
import { grepFiles } from './grep-files.ts'
import type { Ripgrep } from './run-ripgrep.ts'

export interface RipgrepOptions {
  /** The executable, or a function that locates it at the first search; see findRipgrep. */
  readonly rgPath: string | (() => Promise<Result<string>>)
  /** The environment of ripgrep, which reads git's settings in the home folder. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Time limit of a search in ms. Default: 60,000. */
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
      const found = await stat(query.path).catch(() => null)
      if (found === null) return fail(missing(query.path))
      if (!found.isDirectory()) return fail(noFolder(query.path))
      return findFiles(query, ripgrep.value, signal)
    },
    first: async (query, signal) => {
      const ripgrep = await program()
      return ripgrep.ok ? firstFile(query, ripgrep.value, signal) : ripgrep
    },
    grep: async (query, signal) => {
      const ripgrep = await program()
      if (!ripgrep.ok) return ripgrep
      const found = await stat(query.path).catch(() => null)
      if (found === null) return fail(missing(query.path))
      return grepFiles({ ...query, isFolder: found.isDirectory() }, ripgrep.value, signal)
    },
  }
}

function missing(path: string) {
  return { type: 'not-found', message: `${path} does not exist.` }
}

function noFolder(path: string) {
  return { type: 'not-found', message: `${path} is not a folder.` }
}

/** Locates the ripgrep executable. Fails with `not-found` where no package for this platform is installed. */
export async function findRipgrep(): Promise<Result<string>> {
  try {
    // The package does the same when it is loaded, but loading takes longer.
    const ripgrep = createRequire(import.meta.url).resolve('@vscode/ripgrep')
    const program = process.platform === 'win32' ? 'rg.exe' : 'rg'
    return ok(
      createRequire(ripgrep).resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/${program}`),
    )
  } catch (thrown) {
    return fail({
      type: 'not-found',
      message: `The search program (ripgrep) is missing: ${messageOf(thrown)} Reinstall Troupe.`,
      cause: thrown,
    })
  }
}
