/**
 * Reads what the work of all conversations cost from their logs. A log is read once, and later only what was added to it.
 * The work is done in short parts between which other work goes on, and only while somebody asks for it.
 */
import { stat } from 'node:fs/promises'
import { type AgentEvent, EVENT_VERSION } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import {
  type AgentInsight,
  addToInsight,
  type InsightEvent,
  startInsight,
} from '../../../shared/insight/agent-insight.ts'
import type { InsightAnswer } from '../../../shared/insight/contract.ts'
import type { ConversationInsight } from '../../../shared/insight/insight.ts'
import { KeyedLock } from '../../../shared/kernel/keyed-lock.ts'
import { messageOf, ok } from '../../../shared/kernel/result.ts'
import { inParallel } from '../../platform/system/in-parallel.ts'
import type { DataPaths } from '../../platform/transcripts/data-paths.ts'
import { type LogPosition, logStart } from '../../platform/transcripts/log-cursor.ts'
import { agentLogKind } from '../../platform/transcripts/log-kind.ts'
import { decodeEvent } from '../../platform/transcripts/log-line.ts'
import { fits, openForReading } from '../../platform/transcripts/read-log.ts'
import { type LogLine, lineEndOf, walkLog } from '../../platform/transcripts/walk-log.ts'
import type { ConversationTrash, TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { type ReadLog, readCache, writeCache } from './insight-cache.ts'

export interface InsightReader {
  /** Reads for about so long, in ms, and says what is known then. */
  read(forMs: number): Promise<KnownInsight>
}

/** `reading`: see `InsightAnswer`. */
interface KnownInsight extends Pick<InsightAnswer, 'reading' | 'trashed' | 'damaged' | 'newer'> {
  readonly conversations: readonly ConversationInsight[]
}

interface ReaderOptions {
  readonly dataFolder: string
  readonly paths: Pick<DataPaths, 'agentLog'>
  readonly store: Pick<TranscriptStore, 'list' | 'drain'>
  readonly trash: Pick<ConversationTrash, 'count'>
  /** ms, for durations. */
  readonly elapsed: () => number
  readonly onProblem: (message: string) => void
  /** The name of the time zone whose days count. */
  readonly zone: () => string
}

const FILES_AT_ONCE = 32
/** Bytes of a log between two looks at other work: they take about a millisecond. */
const CHUNK = 64 * 1024
/** Bytes after which what was read is saved, though more is to be read. */
const SAVE_AFTER = 256 * 1024 * 1024

export function createInsightReader(options: ReaderOptions): InsightReader {
  const { dataFolder, store, trash, elapsed, zone, onProblem } = options
  const lock = new KeyedLock()
  let known: Map<string, ReadLog> | null = null
  let records: readonly ConversationRecord[] = []
  let trashed = 0
  /** The logs that changed since they were read. */
  let queue: readonly ChangedLog[] = []
  /** Bytes to read in this pass over all logs, and how many of them are read. */
  let pass = { done: 0, all: 0 }
  let unsaved = { logs: 0, bytes: 0 }

  async function read(forMs: number): Promise<KnownInsight> {
    const until = elapsed() + forMs
    known ??= await readCache(dataFolder, zone())
    if (queue.length === 0) await beginPass(known)
    while (queue.length > 0 && elapsed() < until) await readNext(known, () => elapsed() >= until)
    if (unsaved.logs > 0 && (queue.length === 0 || unsaved.bytes > SAVE_AFTER)) await save(known)
    return {
      conversations: records.map((record) => insightIn(record, known ?? new Map())),
      reading: queue.length === 0 ? null : pass,
      trashed,
      damaged: problems(known, 'damaged'),
      newer: problems(known, 'newer'),
    }
  }

  async function beginPass(logs: Map<string, ReadLog>): Promise<void> {
    // The end of a run is told before its last events are written.
    await store.drain()
    trashed = await trash.count()
    // A conversation that only tries a definition is in no list. Attempts at test cases are kept, and cost the same.
    records = (await store.list()).filter(({ scratch, test }) => !scratch || test === true)
    const agentIds = records.flatMap((record) => record.agentIds)
    const files = await inParallel(agentIds, FILES_AT_ONCE, async (agentId) => {
      const file = await stat(options.paths.agentLog(agentId).log).catch(() => null)
      return file === null ? [] : [{ agentId, size: file.size, mtimeMs: file.mtimeMs }]
    })
    const found = files.flat()
    queue = found.filter(({ agentId, size, mtimeMs }) => {
      const log = logs.get(agentId)
      return log === undefined || log.size !== size || log.mtimeMs !== mtimeMs
    })
    const left = (log: ChangedLog) => Math.max(0, log.size - (logs.get(log.agentId)?.position.bytes ?? 0))
    pass = { done: 0, all: queue.reduce((sum, log) => sum + left(log), 0) }
    const there = new Set(found.map(({ agentId }) => agentId))
    for (const agentId of logs.keys())
      if (!there.has(agentId)) {
        logs.delete(agentId)
        unsaved.logs += 1
      }
  }

  async function readNext(logs: Map<string, ReadLog>, isOver: () => boolean): Promise<void> {
    const [next, ...rest] = queue
    if (next === undefined) return
    const before = logs.get(next.agentId) ?? null
    const { log, isWhole } = await readLog(next, before, {
      path: options.paths.agentLog(next.agentId).log,
      isOver,
    })
    logs.set(next.agentId, log)
    const bytes = Math.max(0, log.position.bytes - (before?.position.bytes ?? 0))
    pass = { ...pass, done: Math.min(pass.all, pass.done + bytes) }
    unsaved = { logs: unsaved.logs + 1, bytes: unsaved.bytes + bytes }
    if (isWhole) queue = rest
  }

  async function save(logs: Map<string, ReadLog>): Promise<void> {
    try {
      await writeCache(dataFolder, zone(), logs.values())
    } catch (thrown) {
      onProblem(`What work cost was not saved, so the next look at it takes longer: ${messageOf(thrown)}`)
    }
    unsaved = { logs: 0, bytes: 0 }
  }

  return { read: (forMs) => lock.withLock('read', () => read(forMs)) }
}

const problems = (logs: ReadonlyMap<string, ReadLog>, kind: ReadLog['problem']): number =>
  [...logs.values()].filter(({ problem }) => problem === kind).length

type ChangedLog = Pick<ReadLog, 'agentId' | 'size' | 'mtimeMs'>

function insightIn(
  { id, title, folder, rehearsal, agentIds }: ConversationRecord,
  logs: ReadonlyMap<string, ReadLog>,
): ConversationInsight {
  const agents = agentIds.flatMap((agentId) => logs.get(agentId)?.insight ?? [])
  return { id, title, folder, rehearsal, agents }
}

/**
 * Continues a log from where it was read, or begins anew if it is another one. `isWhole`: its end was reached. What is not
 * read yet is read later.
 */
async function readLog(
  changed: ChangedLog,
  before: ReadLog | null,
  { path, isOver }: { readonly path: string; readonly isOver: () => boolean },
): Promise<{ readonly log: ReadLog; readonly isWhole: boolean }> {
  const empty: ReadLog = { ...changed, position: logStart, insight: null, problem: null }
  const opened = await openForReading(path)
  if (!opened.ok) return { log: { ...empty, problem: 'damaged' }, isWhole: true }
  if (opened.value === null) return { log: empty, isWhole: true }
  const file = opened.value
  try {
    const { size } = await file.stat()
    const isSame =
      before !== null && (before.position.bytes === 0 || (await fits(before.position, file, size)))
    const start = isSame ? before : empty
    let { position, problem, insight } = start
    const stopped = (): ReadLog => ({ ...empty, position, insight, problem, size: -1 })
    const range = { from: position.bytes, events: position.events, to: size, chunk: CHUNK }
    for await (const step of walkLog(file, range)) {
      if (step.kind === 'end') {
        if (step.end.kind === 'damaged') problem = 'damaged'
        break
      }
      for (const line of step.lines) {
        const end = insight === null ? null : endOfCall(line)
        const event = end === null ? decodeEvent(line.bytes, agentLogKind) : ok(end)
        if (!event.ok) problem ??= 'newer'
        else insight = insightAfter(insight, event.value)
      }
      const last = step.lines.at(-1)
      if (last !== undefined)
        position = {
          bytes: last.end + (last.ended ? 0 : 1),
          events: last.seq + 1,
          lineEnd: lineEndOf(last),
        } satisfies LogPosition
      if (isOver() && position.bytes < size) return { log: stopped(), isWhole: false }
    }
    return { log: { ...empty, position, insight, problem }, isWhole: true }
  } catch {
    return { log: { ...empty, problem: 'damaged' }, isWhole: true }
  } finally {
    await file.close()
  }
}

/**
 * The end of a call without its result, read from the start of its line; null: the line has to be parsed. Results are most of
 * what logs consist of, and the insight needs nothing of them.
 */
function endOfCall({ bytes, seq, type, version }: LogLine): EndOfCall | null {
  if (type !== 'tool-ended' || version !== EVENT_VERSION) return null
  const match = END_OF_CALL.exec(bytes.toString('latin1', 0, START_LENGTH))
  if (match === null) return null
  const [, at, toolUseId = '', name = '', isError] = match
  return { type, seq, at: Number(at), toolUseId, name, isError: isError === 'true' }
}

type EndOfCall = Extract<InsightEvent, { readonly type: 'tool-ended' }>

/** The keys as this program writes them, in ASCII and without escapes. */
const END_OF_CALL =
  /"at":(\d+(?:\.\d+)?),"type":"tool-ended","toolUseId":"([\w.:/-]*)","name":"([\w.:/-]*)","isError":(true|false),/
const START_LENGTH = 640

function insightAfter(insight: AgentInsight | null, event: AgentEvent | EndOfCall): AgentInsight | null {
  if (insight === null) return event.type === 'agent-spawned' ? startInsight(event) : null
  addToInsight(insight, event)
  return insight
}
