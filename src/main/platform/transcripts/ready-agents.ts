/** Prepares the logs of a locked conversation for their writers. */

import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { inParallel } from '../system/in-parallel.ts'
import type { DataPaths } from './data-paths.ts'
import { agentLogKind, type FoldedLog, type LogEvent, type LogKind } from './log-kind.ts'
import type { WriterStart } from './log-writer.ts'
import { type LogPaths, readState } from './read-log.ts'
import { checkLog } from './ready-log.ts'
import { writeSnapshot } from './state-snapshot.ts'

interface ReadyAgents {
  /** The positions at which the existing transcripts continue. */
  readonly starts: ReadonlyMap<string, WriterStart<AgentState>>
  /** Transcripts whose last line is broken, with a message for the user. */
  readonly repaired: readonly { readonly agentId: string; readonly message: string }[]
  /** Repairs all transcripts. This is the first change to the files of the conversation. */
  repair(): Promise<Result<void>>
}

const FILES_AT_ONCE = 16

/** Checks the transcripts, and changes none. Fails with the first failure of an agent. */
export async function readyAgents(
  paths: DataPaths,
  agentIds: readonly string[],
): Promise<Result<ReadyAgents>> {
  const starts = new Map<string, WriterStart<AgentState>>()
  const repaired: { agentId: string; message: string }[] = []
  const repairs: (() => Promise<Result<void>>)[] = []
  const checks = await inParallel(agentIds, FILES_AT_ONCE, async (agentId) => {
    const ready = await readyLog(paths.agentLog(agentId), agentLogKind)
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

/** Checks a log. Null if the log does not exist. `repaired` describes a broken last line. */
export async function readyLog<E extends LogEvent, S extends FoldedLog>(
  paths: LogPaths,
  kind: LogKind<E, S>,
): Promise<
  Result<{
    readonly start: WriterStart<S>
    readonly repaired: string | null
    repair(): Promise<Result<void>>
  } | null>
> {
  const ready = await checkLog(paths.log, kind)
  if (!ready.ok || !ready.value) return ready.ok ? ok(null) : ready
  const { tornBytes, position, repair } = ready.value
  const read = await readState(paths, kind)
  if (!read.ok) return read
  const { state, bytesRead } = read.value
  return ok({
    start: { ...position, state },
    repaired: tornBytes > 0 ? tornMessage(tornBytes, paths.log) : null,
    repair: async () => {
      const done = await repair()
      // The next reader, mostly at once, need not read the log again.
      if (done.ok && state && bytesRead > kind.snapshotAfter)
        await writeSnapshot(paths.snapshot, { ...position, state }, kind).catch(() => undefined)
      return done
    },
  })
}

function tornMessage(bytes: number, log: string): string {
  return `A crash cut off the end of a transcript in the middle of a line. The ${bytes} bytes of this line were moved to ${log}.torn; everything before is kept.`
}
