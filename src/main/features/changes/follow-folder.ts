/**
 * Follows a folder in which an external agent works. The program changes files with tools of its own, so what
 * it changed is the difference between two looks at the folder. Each look is the start of the next step.
 */
import type { FileChange } from '../../../shared/changes/changes.ts'
import { messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import type { JournaledCall, RecordedChanges } from '../../runtime/ports/changes.ts'
import type { ChangedState } from './file-states.ts'
import type { FolderSnapshot } from './folder-snapshot.ts'
import type { Written } from './written-since.ts'

/** A change without what other calls did to the file. */
export type ChangedPart = ChangedState & Pick<FileChange, 'maybeBy'>

export interface FollowedFolder {
  /**
   * Finds what changed since the last look. `callOf` names the call that made each change, by the absolute path of the
   * file. `keep` puts the changes into the log, and resolves when they are on the disk: until then a killed program
   * finds them again. Never rejects.
   */
  look(callOf: (path: string) => string, keep: KeepChanges): Promise<void>
  /** A last look, which counts ignored files too. */
  end(callOf: (path: string) => string, keep: KeepChanges): Promise<void>
}

type KeepChanges = (changes: readonly RecordedChanges[]) => Promise<void>

/** What the journal does for a followed folder. */
interface FollowDeps {
  /** Runs `work` while nothing else inspects the folder and records its changes. */
  alone<T>(work: () => Promise<T>): Promise<T>
  /** The folder now. */
  look(): Promise<Result<FolderSnapshot>>
  /** The journal's turn now. */
  turn(): number
  compare(step: FollowedStep, after: FolderSnapshot): Promise<readonly ChangedState[]>
  /** The written files whose content snapshots do not keep. */
  listed(step: FollowedStep): Promise<Written>
  /** The change without the parts that other calls recorded since the step began. */
  ownPart(change: ChangedState, step: FollowedStep): readonly ChangedPart[]
  record(toolUseId: string, changes: readonly ChangedPart[]): Promise<RecordedChanges>
  /**
   * Puts the beginning of a step on the disk. `since`: the time of the first step; missing: this is the first.
   * @returns the time of the file system, in ms
   */
  began(before: FolderSnapshot, since?: number): Promise<number>
  /** Called when the changes are in the log and the folder is no longer followed. */
  ended(): Promise<void>
}

/** From one look to the next. */
interface FollowedStep {
  readonly before: FolderSnapshot
  /** The time of the file system at the first step, in ms: files come and go while a later step is written. */
  readonly since: number
  readonly startTurn: number
}

interface Found {
  readonly recorded: readonly RecordedChanges[]
  /** null: nothing changed. */
  readonly begins: FollowedStep | null
}

/** Fails as `snapshotOf` does. */
export async function followFolder(call: JournaledCall, deps: FollowDeps): Promise<Result<FollowedFolder>> {
  const startTurn = deps.turn()
  const taken = await deps.look()
  if (!taken.ok) return taken
  const since = await deps.began(taken.value)
  let step: FollowedStep = { before: taken.value, since, startTurn }

  /** What changed, already recorded, and the step that begins now. */
  async function found(callOf: (path: string) => string): Promise<Result<Found>> {
    const turn = deps.turn()
    const after = await deps.look()
    if (!after.ok) return after
    if (after.value === step.before) return ok({ recorded: [], begins: null })
    const changes = await deps.compare(step, after.value)
    const recorded = await recordedOf(changes, callOf)
    const begins = changes.length === 0 ? null : { before: after.value, since, startTurn: turn }
    return ok({ recorded, begins })
  }

  async function recordedOf(
    changes: readonly ChangedState[],
    callOf: (path: string) => string,
  ): Promise<readonly RecordedChanges[]> {
    const byCall = new Map<string, ChangedPart[]>()
    for (const part of changes.flatMap((change) => deps.ownPart(change, step))) {
      const toolUseId = callOf(part.path)
      byCall.set(toolUseId, [...(byCall.get(toolUseId) ?? []), part])
    }
    const recorded: RecordedChanges[] = []
    for (const [toolUseId, parts] of byCall) recorded.push(await deps.record(toolUseId, parts))
    return recorded
  }

  async function next(callOf: (path: string) => string, keep: KeepChanges): Promise<RecordedChanges | null> {
    const looked = await deps.alone(() => found(callOf))
    if (!looked.ok) return unrecorded(call, looked.failure.message)
    const { recorded, begins } = looked.value
    if (recorded.length > 0) await keep(recorded)
    if (begins !== null) {
      await deps.began(begins.before, since)
      step = begins
    }
    return null
  }

  async function safely(work: () => Promise<RecordedChanges | null>, keep: KeepChanges): Promise<void> {
    try {
      const more = await work()
      if (more !== null) await keep([more])
    } catch (error) {
      await keep([unrecorded(call, messageOf(error))]).catch(() => undefined)
    }
  }

  return ok({
    look: (callOf, keep) => safely(() => next(callOf, keep), keep),
    async end(callOf, keep) {
      await safely(async () => {
        const last = await next(callOf, keep)
        const { changes, count, note } = await deps.listed(step)
        const recorded = await recordedOf(changes, callOf)
        if (recorded.length > 0) await keep(recorded)
        return last ?? (count === 0 && note === '' ? null : { ...nothing(call), ignored: count, note })
      }, keep)
      await deps.ended().catch(() => undefined)
    },
  })
}

/** No change of a file that is kept. */
const nothing = ({ toolUseId }: JournaledCall): RecordedChanges => ({
  toolUseId,
  cause: 'command',
  files: [],
  ignored: 0,
  note: '',
})

/** The journal could not see what changed. */
export const unrecorded = (call: JournaledCall, because: string): RecordedChanges => ({
  ...nothing(call),
  note: `The changes of this call were not recorded: ${sentence(because)}`,
})
