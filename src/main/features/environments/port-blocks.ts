/**
 * Blocks of ten ports, one a worktree. A block is a file `<first port>` with the path of its worktree: two programs cannot
 * claim the same, and it is the same after a restart. Programs with other data folders are on the same machine, so the
 * files of all of them are in the data folder that the user has without choosing one. A block is free again when its
 * worktree is gone.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { BLOCK } from '../../../shared/environments/environment.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { FILE_MODE, makeFolder } from '../../platform/system/atomic-file.ts'
import { codeOf } from '../../platform/system/error-code.ts'

export interface PortBlocks {
  /** The first port of a worktree's block; null: it has none. */
  of(worktree: string): number | null
  /** The block of a worktree, or a new one whose ports are free. Fails with `no-ports` or `io`. */
  reserve(worktree: string): Promise<Result<number>>
  /** Gives up the block and reserves another one. */
  replace(worktree: string): Promise<Result<number>>
  release(worktree: string): Promise<void>
}

/** Below the ports that systems give to programs that ask for any. */
const FIRST = 20_010
const LAST = 29_990

/** @param options `usual`: the data folder of the user if none is named */
export function createPortBlocks({
  usual,
  dataFolder,
  isFree = isFreePort,
}: {
  readonly usual: string
  readonly dataFolder: string
  readonly isFree?: (port: number) => Promise<boolean>
}): PortBlocks {
  const folder = portFolder(usual)
  const known = new Map<string, number>()

  /** The worktrees by their first port. Earlier versions kept them in their own data folder. */
  const claims = (): ReadonlyMap<number, string> =>
    new Map([portFolder(dataFolder), folder].flatMap(claimsIn))

  function of(worktree: string): number | null {
    const before = known.get(worktree)
    if (before !== undefined) return before
    for (const [base, owner] of claims())
      if (owner === worktree) {
        known.set(worktree, base)
        return base
      }
    return null
  }

  async function claim(worktree: string, without: number | null): Promise<Result<number>> {
    const taken = claims()
    try {
      await makeFolder(folder)
      for (let base = FIRST; base <= LAST; base += BLOCK) {
        const owner = taken.get(base)
        if (base === without || (owner !== undefined && existsSync(owner))) continue
        if (!(await isFreeBlock(base))) continue
        if (owner !== undefined) await rm(join(folder, String(base)), { force: true })
        if (!(await wrote(join(folder, String(base)), worktree))) continue
        known.set(worktree, base)
        return ok(base)
      }
    } catch (thrown) {
      return fail({ type: 'io', message: `No ports could be reserved in ${folder}.`, cause: thrown })
    }
    return fail({
      type: 'no-ports',
      message: `All blocks of ports from ${FIRST} to ${LAST} are in use. Discard worktrees in Review.`,
    })
  }

  async function isFreeBlock(base: number): Promise<boolean> {
    const ports = Array.from({ length: BLOCK }, (_, at) => base + at)
    return (await Promise.all(ports.map(isFree))).every(Boolean)
  }

  async function release(worktree: string): Promise<void> {
    const base = of(worktree)
    known.delete(worktree)
    if (base === null) return
    for (const each of new Set([portFolder(dataFolder), folder]))
      if (readClaim(join(each, String(base))) === worktree)
        await rm(join(each, String(base)), { force: true })
  }

  return {
    of,
    release,
    async reserve(worktree) {
      const base = of(worktree)
      return base === null ? claim(worktree, null) : ok(base)
    },
    async replace(worktree) {
      const before = of(worktree)
      await release(worktree)
      return claim(worktree, before)
    },
  }
}

const portFolder = (dataFolder: string) => join(dataFolder, 'environments', 'ports')

function claimsIn(folder: string): (readonly [base: number, worktree: string])[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^\d{5}$/.test(name)) : []
  return names.map((name) => [Number(name), readClaim(join(folder, name))])
}

function readClaim(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** False: another program was faster. */
async function wrote(file: string, worktree: string): Promise<boolean> {
  try {
    await writeFile(file, worktree, { flag: 'wx', mode: FILE_MODE })
    return true
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false
    throw thrown
  }
}

/** Whether no program of this machine listens at a port. */
export function isFreePort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
