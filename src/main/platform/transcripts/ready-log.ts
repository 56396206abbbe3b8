/**
 * Prepares logs for their writers: checks every line, and then moves the broken last line of a crash to a file beside
 * the log, so that each log ends with a whole line.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { setFlagsFromString } from 'node:v8'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { TranscriptFollower } from '../../runtime/ports/transcripts.ts'
import { FILE_MODE } from '../system/atomic-file.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { inParallel } from '../system/in-parallel.ts'
import type { DataPaths } from './data-paths.ts'
import { damageFailure, notUnderstoodFailure } from './log-failures.ts'
import { agentLogKind, type FoldedLog, type LogEvent, type LogKind } from './log-kind.ts'
import { decodeEvent } from './log-line.ts'
import type { WriterStart } from './log-writer.ts'
import { readAt } from './read-lines.ts'
import { fits, type LogPaths } from './read-log.ts'
import { readSnapshot, writeSnapshot } from './state-snapshot.ts'
import { type WalkEnd, walkLog } from './walk-log.ts'

interface ReadyAgents {
  /** The positions at which the existing transcripts continue. */
  readonly starts: ReadonlyMap<string, WriterStart<AgentState>>
  /** Transcripts whose last line is broken, with a message for the user. */
  readonly repaired: readonly { readonly agentId: string; readonly message: string }[]
  /** Repairs all transcripts. This is the first change to the files of the conversation. */
  repair(): Promise<Result<void>>
}

const FILES_AT_ONCE = 16
/** Bytes. */
const LARGE_LOG = 64 * 1024 * 1024

/** Checks the transcripts of a locked conversation, and changes none. Fails with the first failure of an agent. */
export async function readyAgents(
  paths: DataPaths,
  agentIds: readonly string[],
  follower?: TranscriptFollower,
): Promise<Result<ReadyAgents>> {
  const starts = new Map<string, WriterStart<AgentState>>()
  const repaired: { agentId: string; message: string }[] = []
  const repairs: (() => Promise<Result<void>>)[] = []
  const checks = await inParallel(agentIds, FILES_AT_ONCE, async (agentId) => {
    const follow = agentId === follower?.agentId ? follower.take : undefined
    const ready = await readyLog(paths.agentLog(agentId), agentLogKind, follow)
    if (!ready.ok || ready.value === null) return ready
    const { start, repair } = ready.value
    starts.set(agentId, start)
    repairs.push(repair)
    if (ready.value.repaired !== null) repaired.push({ agentId, message: ready.value.repaired })
    return ready
  })
  const repair = async () =>
    firstFailure(await inParallel(repairs, FILES_AT_ONCE, (repairOne) => repairOne()))
  const checked = firstFailure(checks)
  return checked.ok ? ok({ starts, repaired, repair }) : checked
}

function firstFailure(results: readonly Result<unknown>[]): Result<void> {
  return results.find((result) => !result.ok) ?? ok(undefined)
}

/** A log that was checked for its writer. */
interface ReadyLog<S> {
  /** The position after the repair, and the state there. */
  readonly start: WriterStart<S>
  /** Describes a broken last line for the user; null: the last line is whole. */
  readonly repaired: string | null
  /** Moves the broken line aside and ends the last line. Nothing is changed before. */
  repair(): Promise<Result<void>>
}

/**
 * Checks a log before it is written, and folds what no snapshot covers: in one pass. Null if the log does not exist.
 * @param follow gets all events in order, in batches; then an event that can't be read is a failure
 */
export async function readyLog<E extends LogEvent, S extends FoldedLog>(
  { log, snapshot }: LogPaths,
  kind: LogKind<E, S>,
  follow?: (events: readonly E[]) => void,
): Promise<Result<ReadyLog<S> | null>> {
  const kept = await readSnapshot(snapshot, kind)
  return withFile(log, async (file) => {
    const { size } = await file.stat()
    // The garbage of reading this much would otherwise be collected so late that it doubles the program's memory.
    if (size > LARGE_LOG) setFlagsFromString('--heap-growing-percent=50')
    const fitting = kept && (await fits(kept, file, size)) ? kept : null
    const foldFrom = fitting?.bytes ?? 0
    let state = fitting?.state ?? null
    const parseFrom = follow ? 0 : foldFrom
    for await (const step of walkLog(file, { from: 0, events: 0, to: size, parseFrom })) {
      if (step.kind === 'end') {
        const { end } = step
        if (end.kind === 'damaged') return fail(damageFailure(log, end.events + 1))
        const bytes = end.isEnded ? end.bytes : end.bytes + 1
        const start = { bytes, events: end.events, lineEnd: end.lineEnd, state }
        const tornBytes = size - end.bytes
        return ok({
          start,
          repaired: tornBytes > 0 ? tornMessage(tornBytes, log) : null,
          repair: async () => {
            const done = await repair(log, end, tornBytes)
            // The next reader need not read the log again.
            if (done.ok && state && size - foldFrom > kind.snapshotAfter)
              await writeSnapshot(snapshot, { ...start, state }, kind).catch(() => undefined)
            return done
          },
        })
      }
      const events: E[] = []
      for (const { bytes, offset, seq, version, type, raw } of step.lines) {
        if (!kind.knows(version, type)) return fail(notUnderstoodFailure(log, seq + 1))
        if (offset < parseFrom) continue
        const event = decodeEvent(bytes, kind, raw)
        if (!event.ok && follow) return fail(notUnderstoodFailure(log, seq + 1))
        if (!event.ok) continue
        events.push(event.value)
        if (offset >= foldFrom) state = kind.fold(state, event.value)
      }
      follow?.(events)
    }
    throw new Error('a walk always ends')
  })
}

function tornMessage(bytes: number, log: string): string {
  return `A crash cut off the end of a transcript in the middle of a line. The ${bytes} bytes of this line were moved to ${log}.torn; everything before is kept.`
}

async function repair(path: string, end: WalkEnd, tornBytes: number): Promise<Result<void>> {
  if (tornBytes === 0 && end.isEnded) return ok(undefined)
  const repaired = await withFile(path, async (file) => {
    if (tornBytes > 0) await putAside(file, { path, from: end.bytes, length: tornBytes })
    if (!end.isEnded) await endLine(file, end.bytes)
    return ok(undefined)
  })
  return repaired.ok ? ok(undefined) : repaired
}

/** Null if the file does not exist. */
async function withFile<T>(
  path: string,
  use: (file: FileHandle) => Promise<Result<T>>,
): Promise<Result<T | null>> {
  try {
    const file = await open(path, 'r+')
    try {
      return await use(file)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok(null)
    return fail(diskFailure(error, 'The transcript can’t be opened for writing', path))
  }
}

/** The broken line is on disk elsewhere before the log is truncated. */
async function putAside(
  file: FileHandle,
  { path, from, length }: { readonly path: string; readonly from: number; readonly length: number },
): Promise<void> {
  const aside = await open(`${path}.torn`, 'a', FILE_MODE)
  try {
    await aside.writeFile(Buffer.concat([await readAt(file, from, length), Buffer.from('\n')]))
    await aside.sync()
  } finally {
    await aside.close()
  }
  await file.truncate(from)
  await file.datasync()
}

/** The last line lacks only its newline. */
async function endLine(file: FileHandle, at: number): Promise<void> {
  await file.write('\n', at)
  await file.datasync()
}
