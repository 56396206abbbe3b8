/** Prepares the logs of a locked conversation for their writers. */
import type { AgentState } from '../../../shared/agent-state.ts'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { inParallel } from '../system/in-parallel.ts'
import type { DataPaths } from './data-paths.ts'
import { agentLogKind, type FoldedLog, type LogEvent, type LogKind } from './log-kind.ts'
import type { WriterStart } from './log-writer.ts'
import { type LogPaths, readState } from './read-log.ts'
import { makeReady } from './ready-log.ts'
import { writeSnapshot } from './state-snapshot.ts'

export interface ReadyAgents {
  /** Where the existing transcripts continue. */
  readonly starts: ReadonlyMap<string, WriterStart<AgentState>>
  /** Transcripts whose last line was broken, with a message for a person. */
  readonly repaired: readonly { readonly agentId: string; readonly message: string }[]
}

const FILES_AT_ONCE = 16

/** Fails with the first failure of an agent. */
export async function readyAgents(
  paths: DataPaths,
  agentIds: readonly string[],
): Promise<Result<ReadyAgents>> {
  const starts = new Map<string, WriterStart<AgentState>>()
  const repaired: { agentId: string; message: string }[] = []
  const failures = await inParallel(agentIds, FILES_AT_ONCE, async (agentId): Promise<Failure | null> => {
    const ready = await readyLog(paths.agentLog(agentId), agentLogKind)
    if (!ready.ok) return ready.failure
    if (!ready.value) return null
    starts.set(agentId, ready.value.start)
    if (ready.value.repaired !== null) repaired.push({ agentId, message: ready.value.repaired })
    return null
  })
  const failure = failures.find((each) => each !== null)
  return failure ? fail(failure) : ok({ starts, repaired })
}

/** Null where the log does not exist. `repaired` tells of a broken last line. */
export async function readyLog<E extends LogEvent, S extends FoldedLog>(
  paths: LogPaths,
  kind: LogKind<E, S>,
): Promise<Result<{ readonly start: WriterStart<S>; readonly repaired: string | null } | null>> {
  const ready = await makeReady(paths.log, kind)
  if (!ready.ok || !ready.value) return ready.ok ? ok(null) : ready
  const { tornBytes, ...position } = ready.value
  const read = await readState(paths, kind)
  if (!read.ok) return read
  const { state, bytesRead } = read.value
  // The next reader, mostly at once, need not read the log again.
  if (state && bytesRead > kind.snapshotAfter)
    await writeSnapshot(paths.snapshot, { ...position, state }, kind).catch(() => undefined)
  return ok({
    start: { ...position, state },
    repaired: tornBytes > 0 ? tornMessage(tornBytes, paths.log) : null,
  })
}

function tornMessage(bytes: number, log: string): string {
  return `A crash cut off the end of a transcript in the middle of a line. The ${bytes} bytes of this line were moved to ${log}.torn; everything before is kept.`
}
