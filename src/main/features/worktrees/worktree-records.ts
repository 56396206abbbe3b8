/** The records of worktrees. A worktree is at `<data folder>/worktrees/<repository>/<id>`, its record beside it: `<id>.json`. */

import { createHash } from 'node:crypto'
import { readdir, readFile, realpath, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { agentSlug } from '../../../shared/agent-definition/agent-slug.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import {
  claimName,
  FILE_MODE,
  makeFolders,
  publishFile,
  syncFolder,
} from '../../platform/system/atomic-file.ts'
import { diskFailure } from '../../platform/system/disk-failure.ts'
import { codeOf } from '../../platform/system/error-code.ts'
import type { WorktreeFailure, WorktreeResult } from '../../runtime/ports/worktrees.ts'
import { draftName } from './draft-files.ts'
import { type WorktreeRecord, worktreeRecord } from './worktree-record.ts'

export interface WorktreeRecords {
  /** Creates the folder for a repository's worktrees if it is missing. @returns its path, links resolved */
  prepare(commonFolder: string): Promise<WorktreeResult<string>>
  /** The record of the worktree at `path`; null: it is missing, or it can't be read, which is reported. */
  read(path: string): Promise<WorktreeRecord | null>
  /** Writes a new record; false: a record of that name exists. */
  create(record: WorktreeRecord): Promise<WorktreeResult<boolean>>
  /** Replaces a record atomically and durably. */
  write(record: WorktreeRecord): Promise<WorktreeResult<void>>
  /**
   * Reads, changes and writes a record under a lock. Where `change` returns null, nothing is written.
   * @returns the current record; null: there is none
   */
  update(
    path: string,
    change: (record: WorktreeRecord) => WorktreeRecord | null,
  ): Promise<WorktreeResult<WorktreeRecord | null>>
  remove(path: string): Promise<void>
  /** All readable records, the oldest first. Unreadable records are reported and stay on the disk. */
  ofRepository(commonFolder: string): Promise<readonly WorktreeRecord[]>
  all(): Promise<readonly WorktreeRecord[]>
  find(commonFolder: string, id: string): Promise<WorktreeRecord | null>
}

const SAFE_ID = /^[a-z0-9][a-z0-9-]{0,119}$/

const isWorktreeId = (id: string): boolean => SAFE_ID.test(id)

/** `troupe-3fa94c1e`: the repository's name and a hash of its path. */
export function repositoryFolderName(commonFolder: string): string {
  const last = basename(commonFolder)
  const name = last === '.git' ? basename(dirname(commonFolder)) : last.replace(/\.git$/, '')
  const hash = createHash('sha256').update(commonFolder).digest('hex').slice(0, 8)
  return `${agentSlug(name)}-${hash}`
}

/** @param options.dataFolder absolute */
export function createWorktreeRecords({
  dataFolder,
  onProblem,
}: {
  readonly dataFolder: string
  readonly onProblem: (message: string) => void
}): WorktreeRecords {
  const home = join(dataFolder, 'worktrees')
  const reported = new Set<string>()

  /** Reports each path once. */
  function report(path: string, message: string): void {
    if (reported.has(path)) return
    reported.add(path)
    onProblem(message)
  }

  async function readAt(path: string): Promise<WorktreeResult<WorktreeRecord | null>> {
    let content: Buffer
    try {
      content = await readFile(path)
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return ok(null)
      return fail(ioFailure(error, 'The record of a worktree can’t be read', path))
    }
    const parsed = worktreeRecord.safeParse(jsonOrUndefined(content.toString('utf8')))
    if (parsed.success && isSound(parsed.data, path)) return ok(parsed.data)
    return fail({
      type: 'io',
      message: `The record of a worktree is damaged, or of a newer version of Troupe (${path}). Its folder and its branch are unchanged.`,
    })
  }

  async function readReporting(path: string): Promise<WorktreeRecord | null> {
    const read = await readAt(path)
    if (read.ok) return read.value
    report(path, read.failure.message)
    return null
  }

  async function inFolder(folder: string): Promise<readonly WorktreeRecord[]> {
    const names = await namesIn(folder)
    const records = await Promise.all(
      names
        .filter((name) => name.endsWith('.json') && isWorktreeId(name.slice(0, -'.json'.length)))
        .map((name) => readReporting(join(folder, name))),
    )
    return records
      .flatMap((record) => (record ? [record] : []))
      .sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  }

  async function namesIn(folder: string): Promise<readonly string[]> {
    try {
      return await readdir(folder)
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error)))
        report(folder, diskFailure(error, 'The worktrees can’t be listed', folder).message)
      return []
    }
  }

  async function resolvedHome(): Promise<string> {
    return realpath(home).catch(() => home)
  }

  const repositoryHome = async (commonFolder: string) =>
    join(await resolvedHome(), repositoryFolderName(commonFolder))

  return {
    async prepare(commonFolder) {
      const folder = join(home, repositoryFolderName(commonFolder))
      try {
        await makeFolders(folder)
        return ok(await realpath(folder))
      } catch (error) {
        return fail(ioFailure(error, 'The folder for worktrees can’t be created', folder))
      }
    },
    read: (path) => readReporting(recordPath(path)),
    create: (record) => lock.withLock(record.path, () => writeRecord(record, claimName)),
    async write(record) {
      const written = await lock.withLock(record.path, () => writeRecord(record, replaceName))
      return written.ok ? ok(undefined) : written
    },
    update: (path, change) =>
      lock.withLock(path, async () => {
        const read = await readAt(recordPath(path))
        if (!read.ok || read.value === null) return read
        const changed = change(read.value)
        if (changed === null) return read
        const written = await writeRecord(changed, replaceName)
        return written.ok ? ok(changed) : written
      }),
    remove: (path) =>
      lock.withLock(path, async () => {
        await unlink(recordPath(path)).catch((error: unknown) => {
          if (codeOf(error) !== 'ENOENT')
            onProblem(
              diskFailure(error, 'The record of a worktree can’t be removed', recordPath(path)).message,
            )
        })
      }),
    ofRepository: async (commonFolder) =>
      (await inFolder(await repositoryHome(commonFolder))).filter(
        (record) => record.commonFolder === commonFolder,
      ),
    async all() {
      const top = await resolvedHome()
      const folders = await namesIn(top)
      return (await Promise.all(folders.map((name) => inFolder(join(top, name))))).flat()
    },
    async find(commonFolder, id) {
      if (!isWorktreeId(id)) return null
      return readReporting(recordPath(join(await repositoryHome(commonFolder), id)))
    },
  }
}

/** The record file of a worktree. */
const recordPath = (worktree: string): string => `${worktree}.json`

/** Whether a record describes the worktree beside it. Its path is written to and deleted, so it must not lead elsewhere. */
function isSound(record: WorktreeRecord, path: string): boolean {
  return isWorktreeId(record.id) && basename(record.path) === record.id && recordPath(record.path) === path
}

/** @returns false: the name was not free */
async function writeRecord(
  record: WorktreeRecord,
  publish: (draft: string, path: string) => Promise<boolean>,
): Promise<WorktreeResult<boolean>> {
  const path = recordPath(record.path)
  // A unique name: another process may write the same record at the same time.
  const draft = join(dirname(path), draftName())
  const content = `${JSON.stringify(record, null, 2)}\n`
  try {
    const done = await publishFile({ draft, content, mode: FILE_MODE, publish: () => publish(draft, path) })
    await syncFolder(dirname(path))
    return ok(done)
  } catch (error) {
    return fail(ioFailure(error, 'The record of a worktree can’t be saved', path))
  }
}

async function replaceName(draft: string, path: string): Promise<boolean> {
  await rename(draft, path)
  return true
}

/** A disk failure as the failure type of the port. */
export function ioFailure(error: unknown, what: string, path: string): WorktreeFailure {
  return { ...diskFailure(error, what, path), type: 'io' }
}

/** Serializes the changes of one record, also between several `WorktreeRecords` in this process. */
const lock = new KeyedLock()
