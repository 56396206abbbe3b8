/** The records of worktrees, and where worktrees lie: `<data folder>/worktrees/<repository>/<id>`, `<id>.json` beside it. */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import {
  access,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  unlink,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { agentSlug } from '../../../shared/agent-slug.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { FILE_MODE, FOLDER_MODE, syncFolder } from '../transcripts/atomic-file.ts'
import { codeOf, diskFailure } from '../transcripts/disk-failure.ts'
import { parse } from '../transcripts/transcript-line.ts'
import { draftName } from './draft-files.ts'
import { type WorktreeRecord, worktreeRecord } from './worktree-record.ts'

export interface WorktreeRecords {
  /** The folder of a repository's worktrees, made if need be, links resolved. Failures: what the disk says. */
  prepare(commonFolder: string): Promise<Result<string>>
  /** Null: there is none, or it can't be read, which was told. `path` is the worktree's. */
  read(path: string): Promise<WorktreeRecord | null>
  /** A new one; false: there is one of that name. */
  create(record: WorktreeRecord): Promise<Result<boolean>>
  /** Whole or not at all, and it survives a power cut. */
  write(record: WorktreeRecord): Promise<Result<void>>
  /**
   * Reads, changes and writes; one change after the other. `change` may return null: then nothing is written.
   * @returns the record as it is now; null: there is none
   */
  update(
    path: string,
    change: (record: WorktreeRecord) => WorktreeRecord | null,
  ): Promise<Result<WorktreeRecord | null>>
  remove(path: string): Promise<void>
  /** All that can be read, the oldest first. Those that can't be are told and stay. */
  ofRepository(commonFolder: string): Promise<readonly WorktreeRecord[]>
  all(): Promise<readonly WorktreeRecord[]>
  find(commonFolder: string, id: string): Promise<WorktreeRecord | null>
}

const SAFE_ID = /^[a-z0-9][a-z0-9-]{0,119}$/

export const isWorktreeId = (id: string): boolean => SAFE_ID.test(id)

/** `troupe-3fa94c1e`: the repository's name, and what tells it from others of that name. */
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
  const told = new Set<string>()

  function tell(path: string, message: string): void {
    if (told.has(path)) return
    told.add(path)
    onProblem(message)
  }

  async function readAt(path: string): Promise<Result<WorktreeRecord | null>> {
    let content: Buffer
    try {
      content = await readFile(path)
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return ok(null)
      return fail(diskFailure(error, 'The record of a worktree can’t be read', path))
    }
    const parsed = worktreeRecord.safeParse(parse(content))
    if (parsed.success && isSound(parsed.data, path)) return ok(parsed.data)
    return fail({
      type: 'damaged',
      message: `The record of a worktree is damaged, or of a newer version of Troupe (${path}). Its folder and its branch are untouched.`,
    })
  }

  async function readTelling(path: string): Promise<WorktreeRecord | null> {
    const read = await readAt(path)
    if (read.ok) return read.value
    tell(path, read.failure.message)
    return null
  }

  async function inFolder(folder: string): Promise<readonly WorktreeRecord[]> {
    const names = await namesIn(folder)
    const records = await Promise.all(
      names
        .filter((name) => name.endsWith('.json') && isWorktreeId(name.slice(0, -'.json'.length)))
        .map((name) => readTelling(join(folder, name))),
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
        tell(folder, diskFailure(error, 'The worktrees can’t be listed', folder).message)
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
        await makeFolder(folder)
        return ok(await realpath(folder))
      } catch (error) {
        return fail(ioFailure(error, 'No folder for worktrees can be made', folder))
      }
    },
    read: (path) => readTelling(recordPath(path)),
    create: (record) => inTurn(record.path, () => writeRecord(record, takeFreeName)),
    async write(record) {
      const written = await inTurn(record.path, () => writeRecord(record, takeName))
      return written.ok ? ok(undefined) : written
    },
    update: (path, change) =>
      inTurn(path, async () => {
        const read = await readAt(recordPath(path))
        if (!read.ok || read.value === null) return read
        const changed = change(read.value)
        if (changed === null) return read
        const written = await writeRecord(changed, takeName)
        return written.ok ? ok(changed) : written
      }),
    remove: (path) =>
      inTurn(path, async () => {
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
      return readTelling(recordPath(join(await repositoryHome(commonFolder), id)))
    },
  }
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    // On a disk that can only be read, node says that the folder is missing.
    let parent = dirname(folder)
    while (parent !== dirname(parent) && !(await stat(parent).catch(() => null))) parent = dirname(parent)
    await access(parent, constants.W_OK)
    throw error
  }
}

/** The record's file beside a worktree. */
const recordPath = (worktree: string): string => `${worktree}.json`

/** The path in a record becomes one that is written to and deleted: it must be where the record lies. */
function isSound(record: WorktreeRecord, path: string): boolean {
  return isWorktreeId(record.id) && basename(record.path) === record.id && recordPath(record.path) === path
}

/** @param put gives the draft its name; false: it was not free */
async function writeRecord(
  record: WorktreeRecord,
  put: (draft: string, path: string) => Promise<boolean>,
): Promise<Result<boolean>> {
  const path = recordPath(record.path)
  // A name of its own: another process may write the same record at this moment.
  const draft = join(dirname(path), draftName())
  try {
    const handle = await open(draft, 'wx', FILE_MODE)
    try {
      await handle.writeFile(`${JSON.stringify(record, null, 2)}\n`)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    const done = await put(draft, path)
    await syncFolder(dirname(path))
    return ok(done)
  } catch (error) {
    return fail(ioFailure(error, 'The record of a worktree can’t be saved', path))
  } finally {
    // Nothing is left under this name where all went well.
    await unlink(draft).catch(() => undefined)
  }
}

async function takeName(draft: string, path: string): Promise<boolean> {
  await rename(draft, path)
  return true
}

async function takeFreeName(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(codeOf(error))) throw error
    // A file system without hard links.
    if (await stat(path).catch(() => null)) return false
    return takeName(draft, path)
  }
}

/** The disk's words under the one type that callers know. */
export function ioFailure(error: unknown, what: string, path: string): Failure {
  return { ...diskFailure(error, what, path), type: 'io' }
}

/** By worktree: changes of its record wait for each other, also those of another object in this process. */
const turns = new Map<string, Promise<unknown>>()

function inTurn<T>(path: string, act: () => Promise<T>): Promise<T> {
  const before = turns.get(path) ?? Promise.resolve()
  const after = before.then(act, act)
  const settled = after.catch(() => undefined)
  turns.set(path, settled)
  void settled.then(() => {
    if (turns.get(path) === settled) turns.delete(path)
  })
  return after
}
