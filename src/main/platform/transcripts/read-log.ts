/** Reads a log: its events, and the state they fold into. Nothing here changes a log. */
import { type FileHandle, open } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { damageFailure, notUnderstoodFailure } from './log-failures.ts'
import type { FoldedLog, LogEvent, LogKind } from './log-kind.ts'
import { decodeEvent } from './log-line.ts'
import { readAt } from './read-lines.ts'
import { readSnapshot, type StateSnapshot, writeSnapshot } from './state-snapshot.ts'
import { walkLog } from './walk-log.ts'

/**
 * All events in order, in batches; none where the log does not exist. A broken last line is left out. The last
 * batch is a failure where a damaged line ended the reading (`damaged`), or where events of a newer version
 * were left out (`newer-version`).
 */
export async function* readEvents<E extends LogEvent, S extends FoldedLog>(
  path: string,
  kind: LogKind<E, S>,
): AsyncGenerator<Result<readonly E[]>> {
  const opened = await openForReading(path)
  if (!opened.ok) return yield opened
  const file = opened.value
  if (!file) return
  try {
    const { size } = await file.stat()
    let firstNotUnderstood: number | null = null
    for await (const step of walkLog(file, { from: 0, events: 0, to: size, parseFrom: 0 })) {
      if (step.kind === 'lines') {
        const events: E[] = []
        for (const line of step.lines) {
          const event = decodeEvent(line.bytes, kind, line.raw)
          if (event.ok) events.push(event.value)
          else firstNotUnderstood ??= line.seq + 1
        }
        if (events.length > 0) yield ok(events)
      } else if (step.end.kind === 'damaged') yield fail(damageFailure(path, step.end.events + 1))
      else if (firstNotUnderstood !== null) yield fail(notUnderstoodFailure(path, firstNotUnderstood))
    }
  } catch (error) {
    yield fail(diskFailure(error, 'The transcript can’t be read', path))
  } finally {
    await file.close()
  }
}

export interface LogPaths {
  readonly log: string
  readonly snapshot: string
}

interface ReadState<S> {
  /** Null if the log does not exist, or its first line is not readable. */
  readonly state: S | null
  /** The damaged line, counted from 1, where the reading ended. */
  readonly damagedLine: number | null
}

/** The state of a log: its snapshot and the lines after the snapshot, or all lines. */
export async function readState<E extends LogEvent, S extends FoldedLog>(
  paths: LogPaths,
  kind: LogKind<E, S>,
): Promise<Result<ReadState<S>>> {
  const [snapshot, opened] = await Promise.all([
    readSnapshot(paths.snapshot, kind),
    openForReading(paths.log),
  ])
  if (!opened.ok) return opened
  const file = opened.value
  if (!file) return ok({ state: null, damagedLine: null })
  try {
    const { size } = await file.stat()
    const start = snapshot && (await fits(snapshot, file, size)) ? snapshot : null
    if (start?.bytes === size) return ok({ state: start.state, damagedLine: null })
    let state: S | null = start?.state ?? null
    let damagedLine: number | null = null
    const from = start?.bytes ?? 0
    const range = { from, events: start ? start.state.lastSeq + 1 : 0, to: size, parseFrom: from }
    for await (const step of walkLog(file, range)) {
      if (step.kind === 'end') {
        const { kind: found, events, bytes, lineEnd, isEnded } = step.end
        damagedLine = found === 'damaged' ? events + 1 : null
        // After an upgrade that changes the state, only the first reader folds everything.
        if (state && isEnded && bytes - from > kind.snapshotAfter)
          await writeSnapshot(paths.snapshot, { bytes, lineEnd, state }, kind).catch(() => undefined)
      } else
        for (const line of step.lines) {
          const event = decodeEvent(line.bytes, kind, line.raw)
          if (event.ok) state = kind.fold(state, event.value)
        }
    }
    return ok({ state, damagedLine })
  } catch (error) {
    return fail(diskFailure(error, 'The transcript can’t be read', paths.log))
  } finally {
    await file.close()
  }
}

/** Whether the snapshot was made of this log. */
export async function fits<S>(
  { bytes, lineEnd }: Pick<StateSnapshot<S>, 'bytes' | 'lineEnd'>,
  file: FileHandle,
  size: number,
): Promise<boolean> {
  if (bytes > size) return false
  return (await readAt(file, bytes - lineEnd.length, lineEnd.length)).toString('latin1') === lineEnd
}

/** Null if the log does not exist. */
export async function openForReading(path: string): Promise<Result<FileHandle | null>> {
  try {
    return ok(await open(path, 'r'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok(null)
    return fail(diskFailure(error, 'The transcript can’t be read', path))
  }
}
