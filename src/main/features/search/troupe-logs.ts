/**
 * The logs of the data folder for searches, which have a thread or a program of their own. What was read of conversations
 * and agents is kept for the next search.
 */
import { statSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { historyProgramOf } from '../../../shared/histories/history.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import {
  type LogAgent,
  type LoggedLine,
  loggedTexts,
  type SearchedLog,
  type SearchedLogs,
  textEvents,
} from '../../../shared/search/logged-texts.ts'
import type { SearchedConversation } from '../../../shared/search/search.ts'
import { inParallel } from '../../platform/system/in-parallel.ts'
import { readRecord, type StoreProblem } from '../../platform/transcripts/conversation-records.ts'
import { type DataPaths, dataPaths, isSafeId } from '../../platform/transcripts/data-paths.ts'
import { eachLineAt } from './each-line-at.ts'

export interface TroupeLogs {
  /** All conversations but those that only try out a definition, the last used first. */
  list(): Promise<readonly SearchedLogs[]>
}

interface Kept {
  /** Identifies the content of the conversation's log. */
  readonly stamp: string
  /** Null: it can't be read, or is not searched. */
  readonly logs: SearchedLogs | null
}

const FILES_AT_ONCE = 32

/** @param onProblem takes what is wrong with a conversation, which is then left out */
export function createTroupeLogs(dataFolder: string, onProblem: (problem: StoreProblem) => void): TroupeLogs {
  const paths = dataPaths(dataFolder)
  const agents = new Map<string, LogAgent>()
  let kept = new Map<string, Kept>()

  async function logsOf(id: string): Promise<Kept> {
    const { log, snapshot } = paths.conversationLog(id)
    const found = statOf(log) ?? statOf(snapshot)
    const stamp = found === undefined ? '' : `${found.size} ${found.mtimeMs}`
    const before = kept.get(id)
    if (before?.stamp === stamp) return before
    const read = await readRecord({ log, snapshot }, id, onProblem)
    if (!read.ok) {
      // A conversation may be moved to the trash meanwhile.
      if (read.failure.type !== 'not-found') onProblem(read.failure)
      return { stamp, logs: null }
    }
    const { scratch, title, folder, archived, updatedAt, agentIds } = read.value
    if (scratch) return { stamp, logs: null }
    const conversation: SearchedConversation = {
      ...{ id, title, folder, archived, updatedAt },
      program: historyProgramOf(id) ?? 'troupe',
    }
    return { stamp, logs: { conversation, logs: agentIds.map((agentId) => logOf(agentId, paths, agents)) } }
  }

  return {
    async list() {
      const names = await readdir(paths.conversations).catch(() => [])
      const ids = new Set(names.flatMap((name) => /^(.+)\.jsonl?$/.exec(name)?.[1] ?? []).filter(isSafeId))
      const all = await inParallel([...ids], FILES_AT_ONCE, async (id) => [id, await logsOf(id)] as const)
      kept = new Map(all)
      return all
        .flatMap(([, { logs }]) => (logs === null ? [] : [logs]))
        .sort((one, other) => other.conversation.updatedAt - one.conversation.updatedAt)
    },
  }
}

/** Without waiting, which for a thousand files is several times faster. Undefined: it is not there, or can't be reached. */
function statOf(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function logOf(agentId: string, paths: DataPaths, agents: Map<string, LogAgent>): SearchedLog {
  const file = paths.agentLog(agentId).log
  return {
    ...{ agentId, file, read, mayHaveText },
    outputs: { folder: dirname(paths.toolOutput(agentId, 'any')), pattern: '"outputFile":\\{"path"' },
    agent() {
      const known = agents.get(agentId)
      if (known !== undefined) return known
      const agent = readAgent(file, agentId)
      if (agent !== null) agents.set(agentId, agent)
      return agent
    },
  }
}

const HEAD = /^\{"v":\d+,"agentId":"[^"\\]*","seq":\d+,"order":\d+,"at":([-+.\deE]+),"type":"([^"\\]+)"/
const TYPES: ReadonlySet<string> = new Set(textEvents)

/** A line whose head is in another order may have text. */
function mayHaveText(start: string, since: number | null, until: number | null): boolean {
  const head = HEAD.exec(start)
  if (head === null) return true
  const at = Number(head[1])
  return TYPES.has(head[2] ?? '') && (since === null || at >= since) && (until === null || at <= until)
}

function read(line: unknown): LoggedLine | null {
  if (typeof line !== 'object' || line === null) return null
  const { seq, at, toolUseId, outputFile } = line as Record<string, unknown>
  if (typeof seq !== 'number' || typeof at !== 'number') return null
  const hasFile = typeof outputFile === 'object' && outputFile !== null
  return { sequence: seq, at, texts: loggedTexts(line), outputOf: hasFile ? String(toolUseId) : null }
}

/** Whose log it is, from its first event. */
function readAgent(path: string, id: string): LogAgent | null {
  let first: unknown
  eachLineAt(path, [{ offset: 0 }], (text) => {
    first = jsonOrUndefined(text)
    return false
  })
  const { type, definition, parentId, teamId, name, task } = (first ?? {}) as Record<string, unknown>
  if (type !== 'agent-spawned' || typeof definition !== 'object' || definition === null) return null
  const { name: ofType, color } = definition as Record<string, unknown>
  if (parentId === null) return { id, name: 'main', task: '', color: String(color) }
  const given = typeof teamId === 'string' && typeof name === 'string' ? name : ofType
  return { id, name: String(given), task: String(task), color: String(color) }
}
