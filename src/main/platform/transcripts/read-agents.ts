/**
 * Reads the transcripts of agents. Events that were appended here are written first, so that they are read too;
 * events that the disk refuses are added from memory.
 */
import type { AgentEvent } from '../../../shared/events/agent-event.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { inParallel } from '../system/in-parallel.ts'
import type { StoreProblem } from './conversation-records.ts'
import { type DataPaths, safeIds } from './data-paths.ts'
import { damageFailure } from './log-failures.ts'
import { agentLogKind } from './log-kind.ts'
import { readEvents, readState } from './read-log.ts'
import { readPage } from './read-page.ts'

interface AgentReaderOptions {
  readonly paths: DataPaths
  /** Writes an agent's appended events. @returns the events that the disk refuses */
  readonly drain: (agentId: string) => Promise<readonly AgentEvent[]>
  readonly onProblem: (problem: StoreProblem) => void
}

const FILES_AT_ONCE = 16

export function createAgentReader({
  paths,
  drain,
  onProblem,
}: AgentReaderOptions): Pick<TranscriptStore, 'states' | 'events' | 'page'> {
  async function stateOf(agentId: string): Promise<Result<AgentState | null>> {
    const refused = await drain(agentId)
    const log = paths.agentLog(agentId)
    const read = await readState(log, agentLogKind)
    if (!read.ok) return read
    const { state, damagedLine } = read.value
    if (damagedLine !== null) onProblem(damageFailure(log.log, damagedLine))
    return ok(refused.reduce(agentLogKind.fold, state))
  }

  return {
    states: async (agentIds) => {
      const safe = safeIds(...agentIds)
      if (!safe.ok) return safe
      const read = await inParallel(agentIds, FILES_AT_ONCE, stateOf)
      const failed = read.find((result) => !result.ok)
      if (failed) return failed
      return ok(read.flatMap((result) => (result.ok && result.value ? [result.value] : [])))
    },
    events: async function* (agentId) {
      const safe = safeIds(agentId)
      if (!safe.ok) return yield safe
      const refused = await drain(agentId)
      let next = 0
      for await (const batch of readEvents(paths.agentLog(agentId).log, agentLogKind)) {
        if (batch.ok) next = (batch.value.at(-1)?.seq ?? 0) + 1
        yield batch
        if (!batch.ok) return
      }
      const unwritten = refused.filter((event) => event.seq >= next)
      if (unwritten.length > 0) yield ok(unwritten)
    },
    page: async (agentId, { before, limit }) => {
      const safe = safeIds(agentId)
      if (!safe.ok) return safe
      const refused = await drain(agentId)
      const read = await readPage(paths.agentLog(agentId).log, { before, limit })
      if (!read.ok || refused.length === 0) return read
      const { total } = read.value
      const unwritten = refused.filter((event) => event.seq >= total && event.seq < (before ?? Infinity))
      return ok({
        events: [...read.value.events, ...unwritten].slice(-Math.max(1, limit)),
        total: Math.max(total, (refused.at(-1)?.seq ?? 0) + 1),
      })
    },
  }
}
