/**
 * What the logs of agents said about their cost when they were last read: `insight.jsonl` in the data folder, a line for each
 * agent. The file may be missing, old or broken, and may be deleted at any time: the logs alone decide.
 */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as otherWork } from 'node:timers/promises'
import type { AgentInsight } from '../../../shared/insight/agent-insight.ts'
import { replaceFile } from '../../platform/system/atomic-file.ts'
import { newDraftName } from '../../platform/system/draft-name.ts'
import type { LogPosition } from '../../platform/transcripts/log-cursor.ts'
import { encodeLine, isIntact, lineValue } from '../../platform/transcripts/log-line.ts'
import { readForwards } from '../../platform/transcripts/read-lines.ts'

/** What is known of the log of an agent. */
export interface ReadLog {
  readonly agentId: string
  /** Of the file when it was last looked at; ms since the epoch. */
  readonly size: number
  readonly mtimeMs: number
  /** The lines that are in `insight`. */
  readonly position: LogPosition
  /** Null: no line was read. */
  readonly insight: AgentInsight | null
  /** The log can't be read past its position; or lines of a newer version were left out. */
  readonly problem: 'damaged' | 'newer' | null
}

/** Increase when the fold makes something else of the same events. */
const VERSION = 1
/** Lines between two looks at other work. */
const BATCH = 256

const cacheFile = (dataFolder: string): string => join(dataFolder, 'insight.jsonl')

/** Days are those of the user's time zone. */
const headOf = (zone: string) => encodeLine({ v: VERSION, zone })

/** The known logs by agent; none where the file can't be used. */
export async function readCache(dataFolder: string, zone: string): Promise<Map<string, ReadLog>> {
  const known = new Map<string, ReadLog>()
  const file = await open(cacheFile(dataFolder), 'r').catch(() => null)
  if (file === null) return known
  try {
    const { size } = await file.stat()
    let isFirst = true
    for await (const batch of readForwards(file, { from: 0, to: size }))
      for (const { bytes } of batch) {
        if (isFirst && `${bytes.toString('utf8')}\n` !== headOf(zone)) return known
        const log = isFirst || !isIntact(bytes) ? null : (lineValue(bytes) as ReadLog)
        isFirst = false
        if (log !== null) known.set(log.agentId, log)
      }
    return known
  } catch {
    return known
  } finally {
    await file.close()
  }
}

/** Throws the system's error. Without a sync: readers pass over broken lines. */
export async function writeCache(dataFolder: string, zone: string, logs: Iterable<ReadLog>): Promise<void> {
  const lines = [headOf(zone)]
  for (const log of logs) {
    lines.push(encodeLine(log))
    if (lines.length % BATCH === 0) await otherWork()
  }
  // Several programs share the folder: the last one counts, and the next reader reads the rest again.
  const draft = join(dataFolder, newDraftName())
  await replaceFile(cacheFile(dataFolder), lines.join(''), { durable: false, draft })
}
