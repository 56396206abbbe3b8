/** What a transcript says: its events, and the state they make. Nothing here changes a file. */
import { type FileHandle, open } from 'node:fs/promises'
import type { AgentEvent } from '../../../shared/agent-event.ts'
import { type AgentState, foldAgent } from '../../../shared/agent-state.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { codeOf, diskFailure } from './disk-failure.ts'
import { readAt } from './read-lines.ts'
import { readSnapshot, type StateSnapshot } from './state-snapshot.ts'
import { damageFailure, notUnderstoodFailure } from './transcript-failures.ts'
import { decodeEvent } from './transcript-line.ts'
import { walkTranscript } from './walk-transcript.ts'

/**
 * All events in order, in batches; none where there is no transcript. What a crash left of the last ones is
 * left out. A last batch is a failure where the reading ended at damage (`damaged`), or where there were
 * events that this version does not understand (`newer-version`): those were left out.
 */
export async function* readEvents(path: string): AsyncGenerator<Result<readonly AgentEvent[]>> {
  const opened = await openTranscript(path)
  if (!opened.ok) return yield opened
  const file = opened.value
  if (!file) return
  try {
    const { size } = await file.stat()
    let firstNotUnderstood: number | null = null
    for await (const step of walkTranscript(file, { from: 0, events: 0, to: size })) {
      if (step.kind === 'lines') {
        const events: AgentEvent[] = []
        for (const line of step.lines) {
          const event = decodeEvent(line.bytes)
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

export interface ReadState {
  /** Null where there is no transcript, or its first line can't be read. */
  readonly state: AgentState | null
  /** The damaged line, counted from 1, before which the reading ended. */
  readonly damagedLine: number | null
  /** Bytes that had to be read beside the snapshot. */
  readonly bytesRead: number
}

/** The state of an agent: its snapshot and the lines after it, or all lines where there is none. */
export async function readState(paths: {
  readonly transcript: string
  readonly snapshot: string
}): Promise<Result<ReadState>> {
  const [snapshot, opened] = await Promise.all([
    readSnapshot(paths.snapshot),
    openTranscript(paths.transcript),
  ])
  if (!opened.ok) return opened
  const file = opened.value
  if (!file) return ok({ state: null, damagedLine: null, bytesRead: 0 })
  try {
    const { size } = await file.stat()
    const start = snapshot && (await fits(snapshot, file, size)) ? snapshot : null
    if (start?.bytes === size) return ok({ state: start.state, damagedLine: null, bytesRead: 0 })
    let state: AgentState | null = start?.state ?? null
    let damagedLine: number | null = null
    const place = { from: start?.bytes ?? 0, events: start ? start.state.lastSeq + 1 : 0, to: size }
    for await (const step of walkTranscript(file, place)) {
      if (step.kind === 'end') damagedLine = step.end.kind === 'damaged' ? step.end.events + 1 : null
      else
        for (const line of step.lines) {
          const event = decodeEvent(line.bytes)
          if (event.ok) state = foldAgent(state, event.value)
        }
    }
    return ok({ state, damagedLine, bytesRead: size - place.from })
  } catch (error) {
    return fail(diskFailure(error, 'The transcript can’t be read', paths.transcript))
  } finally {
    await file.close()
  }
}

/** Whether the snapshot is one of this very transcript. */
async function fits({ bytes, lineEnd }: StateSnapshot, file: FileHandle, size: number): Promise<boolean> {
  if (bytes > size) return false
  return (await readAt(file, bytes - lineEnd.length, lineEnd.length)).toString('latin1') === lineEnd
}

/** Null where there is none. */
export async function openTranscript(path: string): Promise<Result<FileHandle | null>> {
  try {
    return ok(await open(path, 'r'))
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok(null)
    return fail(diskFailure(error, 'The transcript can’t be read', path))
  }
}
