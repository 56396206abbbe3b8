/**
 * Task boards as files: `<folder>/<conversation>/<task>.<version>.json`. A change links a complete file to the name of
 * its version, which fails if the name exists: of two processes that change one version, one fails. The highest version
 * of a task counts; lower ones are removed.
 */
import { readdir, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { TeamTask } from '../../../../shared/teams/team-schema.ts'
import { teamTask } from '../../../../shared/teams/team-schema.ts'
import {
  claimName,
  FILE_MODE,
  makeFolder,
  publishFile,
  syncFolder,
} from '../../../platform/system/atomic-file.ts'
import { diskFailure } from '../../../platform/system/disk-failure.ts'
import { draftMark } from '../../../platform/system/draft-name.ts'
import { codeOf } from '../../../platform/system/error-code.ts'
import { watchFolder } from '../../../platform/system/watch-folder.ts'
import { encodeLine, isIntact, parse } from '../../../platform/transcripts/log-line.ts'
import type { BoardFailure, TaskBoard } from '../../../runtime/ports/task-board.ts'

interface TaskFilesOptions {
  /** The folder of all boards; created with the first task. */
  readonly folder: string
  /** Called with a text for the user: a file is damaged or can't be removed. */
  readonly onProblem?: (message: string) => void
}

export function createTaskFiles({ folder, onProblem = () => {} }: TaskFilesOptions): TaskBoard {
  const reported = new Set<string>()
  const report = (problem: string): void => {
    if (reported.has(problem)) return
    reported.add(problem)
    onProblem(problem)
  }

  const readBoard = async (board: string): Promise<{ tasks: TeamTask[]; problems: string[] }> => {
    const tasks: TeamTask[] = []
    const problems: string[] = []
    for (const versions of byTask(await filesIn(board)).values()) {
      const [newest] = versions
      if (newest === undefined) continue
      const path = join(board, newest.file)
      const task = await readTask(path, newest)
      // Another process has replaced this version.
      if (task === 'gone') return readBoard(board)
      if (task !== 'damaged') tasks.push(task)
      else {
        const problem = `Task ${newest.id} can't be read: ${path} is damaged. Other tasks are not affected. Create the task again.`
        problems.push(problem)
        report(problem)
      }
    }
    tasks.sort((one, other) => Number(one.id) - Number(other.id))
    return { tasks, problems }
  }

  /** False: the version exists already, or a higher one. */
  const write = async (board: string, task: TeamTask): Promise<boolean> => {
    const name = nameOf(task)
    const path = join(board, name)
    await makeFolder(board)
    const draft = join(board, `.${task.id}.${process.pid}.${draftMark()}.tmp`)
    const isMine = await publishFile({
      draft,
      content: Buffer.from(encodeLine({ v: VERSION, ...task })),
      mode: FILE_MODE,
      publish: () => claimName(draft, path),
    })
    if (!isMine) return false
    await syncFolder(board)
    const versions = byTask(await filesIn(board)).get(task.id) ?? []
    // The version that this one replaces may have been replaced and removed meanwhile.
    const isNewest = versions[0]?.version === task.version
    const old = isNewest
      ? versions.filter(({ version }) => version < task.version).map(({ file }) => file)
      : [name]
    for (const file of old)
      await unlink(join(board, file)).catch((thrown: unknown) => {
        if (codeOf(thrown) !== 'ENOENT')
          report(diskFailure(thrown, 'An old version of a task can’t be removed', join(board, file)).message)
      })
    return isNewest
  }

  /** Runs an operation on a board; errors of the disk become failures. */
  const onBoard = async <T>(
    conversationId: string,
    act: (board: string) => Promise<Result<T, BoardFailure>>,
  ): Promise<Result<T, BoardFailure>> => {
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(conversationId))
      return fail({ type: 'bad-name', message: 'This is not the id of a conversation.' })
    const board = join(folder, conversationId)
    try {
      return await act(board)
    } catch (thrown) {
      const { message } = diskFailure(thrown, 'The task list can’t be used', board)
      return fail({ type: 'io', message })
    }
  }

  return {
    list: (conversationId) => onBoard(conversationId, async (board) => ok(await readBoard(board))),
    create: (conversationId, draft) =>
      onBoard(conversationId, async (board) => {
        for (;;) {
          const ids = [...byTask(await filesIn(board)).keys()].map(Number)
          const task: TeamTask = { ...draft, id: String(Math.max(0, ...ids) + 1), version: 1 }
          if (await write(board, task)) return ok(task)
        }
      }),
    update: (conversationId, task) =>
      onBoard(conversationId, async (board) => {
        const versions = byTask(await filesIn(board)).get(task.id) ?? []
        if (versions.length === 0) return fail({ type: 'not-found', message: `There is no task ${task.id}.` })
        if (versions[0]?.version === task.version - 1 && (await write(board, task))) return ok(task)
        const { tasks } = await readBoard(board)
        const current = tasks.find(({ id }) => id === task.id) ?? null
        return fail({ type: 'changed', message: `Task ${task.id} was changed meanwhile.`, current })
      }),
    watch: (conversationId, changed) => watchFolder(join(folder, conversationId), changed),
  }
}

const VERSION = 1

interface TaskFile {
  readonly id: string
  readonly version: number
  readonly file: string
}

const nameOf = ({ id, version }: Pick<TeamTask, 'id' | 'version'>): string => `${id}.${version}.json`

/** The files of each task, the highest version first. */
function byTask(files: readonly TaskFile[]): ReadonlyMap<string, readonly TaskFile[]> {
  const tasks = new Map<string, TaskFile[]>()
  for (const file of files) tasks.set(file.id, [...(tasks.get(file.id) ?? []), file])
  for (const versions of tasks.values()) versions.sort((one, other) => other.version - one.version)
  return tasks
}

async function filesIn(board: string): Promise<readonly TaskFile[]> {
  const names = await readdir(board).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'ENOENT') return []
    throw thrown
  })
  return names.flatMap((file) => {
    const match = /^([1-9]\d{0,8})\.([1-9]\d{0,8})\.json$/.exec(file)
    return match?.[1] === undefined ? [] : [{ id: match[1], version: Number(match[2]), file }]
  })
}

async function readTask(path: string, { id, version }: TaskFile): Promise<TeamTask | 'gone' | 'damaged'> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return 'gone'
    throw thrown
  }
  if (bytes.at(-1) !== 10 || !isIntact(bytes.subarray(0, -1))) return 'damaged'
  const read = teamTask.safeParse(parse(bytes))
  return read.success && read.data.id === id && read.data.version === version ? read.data : 'damaged'
}
