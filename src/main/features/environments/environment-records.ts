/**
 * What happened to the environments of worktrees, on the disk: `environments/<repository>/<id>/events.jsonl` in the data
 * folder. Several programs may write one file. What a program left as running when it died is corrected by whoever reads
 * it first.
 */
import { appendFile, readFile, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  correctionsOf,
  type EnvironmentEvent,
  type EnvironmentState,
  foldEnvironment,
  newEnvironment,
} from '../../../shared/environments/environment.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import { FILE_MODE, makeFolder } from '../../platform/system/atomic-file.ts'
import { fileVersion } from '../../platform/system/file-version.ts'
import { isRunning, type ProcessIdentity } from '../../platform/system/process-identity.ts'

export interface EnvironmentRecords {
  /** The folder of a worktree's environment. @param worktree its path */
  folderOf(worktree: string): string
  stateOf(worktree: string): Promise<EnvironmentState>
  /** Resolves when the event is on the disk. A failure of the disk is reported. */
  add(worktree: string, event: EnvironmentEvent): Promise<void>
  remove(worktree: string): Promise<void>
}

interface Known {
  readonly version: string
  readonly state: EnvironmentState
}

interface Line {
  readonly by: ProcessIdentity
  readonly event: EnvironmentEvent
}

export function createEnvironmentRecords(options: {
  readonly dataFolder: string
  readonly now: () => number
  readonly self: () => Promise<ProcessIdentity>
  readonly onProblem: (message: string) => void
  /** Called after each event. */
  readonly onEvent: (worktree: string) => void
}): EnvironmentRecords {
  const lock = new KeyedLock()
  const known = new Map<string, Known>()
  const folderOf = (worktree: string) =>
    join(options.dataFolder, 'environments', basename(dirname(worktree)), basename(worktree))
  const fileOf = (worktree: string) => join(folderOf(worktree), 'events.jsonl')

  async function append(file: string, event: EnvironmentEvent): Promise<void> {
    const line: Line = { by: await options.self(), event }
    try {
      await makeFolder(dirname(file))
      // It begins with a line break: a line of a program that was killed may have no end.
      await appendFile(file, `\n${JSON.stringify(line)}\n`, { mode: FILE_MODE })
    } catch (thrown) {
      options.onProblem(`${file} could not be written: ${messageOf(thrown)}`)
    }
  }

  async function read(worktree: string): Promise<EnvironmentState> {
    const file = fileOf(worktree)
    const version = fileVersion(file)
    const before = known.get(worktree)
    if (before?.version === version) return before.state
    const lines = linesIn(await readFile(file, 'utf8').catch(() => ''))
    let state = lines.reduce((folded, { event }) => foldEnvironment(folded, event), newEnvironment)
    for (const event of correctionsOf(state, options.now())) {
      const begun = lines.findLast((line) => beginsWhat(line.event, event))
      if (begun !== undefined && (await isRunning(begun.by))) continue
      await append(file, event)
      state = foldEnvironment(state, event)
    }
    known.set(worktree, { version: fileVersion(file), state })
    return state
  }

  return {
    folderOf,
    stateOf: (worktree) => lock.withLock(worktree, () => read(worktree)),
    add: async (worktree, event) => {
      await lock.withLock(worktree, () => append(fileOf(worktree), event))
      options.onEvent(worktree)
    },
    remove: (worktree) =>
      lock.withLock(worktree, async () => {
        known.delete(worktree)
        await rm(folderOf(worktree), { recursive: true, force: true })
      }),
  }
}

function linesIn(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => {
    const read = line === '' ? undefined : (jsonOrUndefined(line) as Partial<Line> | undefined)
    return read?.by !== undefined && read.event !== undefined ? [{ by: read.by, event: read.event }] : []
  })
}

/** Whether an event is the beginning of what another one ends. */
function beginsWhat(event: EnvironmentEvent, end: EnvironmentEvent): boolean {
  if (end.type === 'setup-ended') return event.type === 'setup-started'
  return event.type === 'run-started' && end.type === 'run-ended' && event.name === end.name
}
