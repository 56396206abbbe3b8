/**
 * The results of a folder's runs: JSON Lines in the data folder, one line for each attempt that has ended, and one for each
 * change of a run. A line that a kill cut off, or that can't be read, is left out; what was written before it counts.
 */
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { CaseAttempt, TestRun } from '../../../shared/agent-tests/agent-tests.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import type { ProcessIdentity } from '../../platform/system/process-identity.ts'
import { projectFolder } from '../../platform/system/project-folder.ts'

/** A run with what only its program needs. */
export interface StoredRun {
  readonly run: TestRun
  readonly owner: ProcessIdentity
  /** Whether attempts of earlier runs do not count for it. */
  readonly isFresh: boolean
}

/** Everything that is known, in its newest state, by id. */
interface StoredResults {
  readonly runs: ReadonlyMap<string, StoredRun>
  /** Those that have ended. */
  readonly attempts: ReadonlyMap<string, CaseAttempt>
}

export interface ResultsLog {
  /** Of a folder without results: nothing. */
  read(folder: string): Promise<StoredResults>
  /** A kill takes nothing back once it resolves. Fails with `io`. */
  append(folder: string, entry: StoredRun | { readonly attempt: CaseAttempt }): Promise<Result<void>>
  /** The file. */
  fileOf(folder: string): string
}

const VERSION = 1

interface Known {
  readonly runs: Map<string, StoredRun>
  readonly attempts: Map<string, CaseAttempt>
  /** Bytes of whole lines that were read. */
  size: number
}

export function createResultsLog(dataFolder: string): ResultsLog {
  const known = new Map<string, Known>()
  const lock = new KeyedLock()
  const fileOf = (folder: string) => join(projectFolder(dataFolder, folder).path, 'agent-tests.jsonl')

  async function readOn(file: string): Promise<Known> {
    const handle = await open(file, 'r').catch((thrown: unknown) => {
      if (codeOf(thrown) === 'ENOENT') return null
      throw thrown
    })
    if (handle === null) return nothing()
    try {
      const { size } = await handle.stat()
      const before = known.get(file)
      const at = before !== undefined && size >= before.size ? before : nothing()
      const bytes = Buffer.alloc(size - at.size)
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, at.size)
      const end = bytes.subarray(0, bytesRead).lastIndexOf(0x0a) + 1
      for (const line of bytes.toString('utf8', 0, end).split('\n')) take(at, line)
      at.size += end
      known.set(file, at)
      return at
    } finally {
      await handle.close()
    }
  }

  return {
    fileOf,
    read: (folder) => lock.withLock(fileOf(folder), () => readOn(fileOf(folder))),
    append: (folder, entry) =>
      lock.withLock(fileOf(folder), async () => {
        const file = fileOf(folder)
        try {
          await mkdir(dirname(file), { recursive: true, mode: 0o700 })
          const handle = await open(file, 'a+', 0o600)
          try {
            const { size } = await handle.stat()
            const last = Buffer.alloc(1)
            if (size > 0) await handle.read(last, 0, 1, size - 1)
            // After a line that was cut off, the next one begins anew.
            const start = size > 0 && last[0] !== 0x0a ? '\n' : ''
            await handle.appendFile(`${start}${JSON.stringify({ v: VERSION, ...entry })}\n`)
          } finally {
            await handle.close()
          }
          return ok(undefined)
        } catch (thrown) {
          return fail({
            type: 'io',
            message: `The results can’t be written to ${file}: ${messageOf(thrown)}`,
          })
        }
      }),
  }
}

const nothing = (): Known => ({ runs: new Map(), attempts: new Map(), size: 0 })

function take({ runs, attempts }: Known, line: string): void {
  try {
    const read = JSON.parse(line) as {
      v?: unknown
      run?: TestRun
      attempt?: CaseAttempt
    } & Partial<StoredRun>
    if (read.v !== VERSION) return
    if (read.attempt?.id !== undefined) attempts.set(read.attempt.id, read.attempt)
    const { run, owner, isFresh = false } = read
    if (run?.id !== undefined && owner !== undefined) runs.set(run.id, { run, owner, isFresh })
  } catch {
    // Cut off by a kill, or damaged.
  }
}
