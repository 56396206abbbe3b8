/**
 * Checkpoints of a conversation: its state at some orders, each with the positions of all logs, in
 * `checkpoints/<id>/<order>.json`. They make seeking fast. A checkpoint may be missing, old or broken: the logs
 * alone decide.
 */
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { conversationRecord } from '../../../shared/events/conversation.ts'
import type { ConversationState } from '../../../shared/state/conversation-state.ts'
import { replaceFile } from '../system/atomic-file.ts'
import type { LogPosition } from './log-cursor.ts'
import { agentLogKind, conversationLogKind } from './log-kind.ts'
import { encodeLine, isIntact, parse } from './log-line.ts'

export interface Checkpoint {
  readonly state: ConversationState
  /** Of the conversation's own log. */
  readonly ownLog: LogPosition
  /** By agent. */
  readonly agentLogs: ReadonlyMap<string, LogPosition>
}

/** Changes with the format, and with the fold of either log. */
const VERSION = ['1', agentLogKind.snapshotVersion, conversationLogKind.snapshotVersion].join('.')

const position = z.object({
  bytes: z.number().int().nonnegative(),
  events: z.number().int().nonnegative(),
  lineEnd: z.string(),
})

const checkpoint = z.object({
  v: z.literal(VERSION),
  order: z.number().int().nonnegative(),
  record: conversationRecord,
  agents: z.array(agentLogKind.state),
  ownLog: position,
  agentLogs: z.record(z.string(), position),
})

/** The orders of the checkpoints in a folder up to `order`, the last one first. */
export async function checkpointOrders(folder: string, order: number): Promise<readonly number[]> {
  const names = await readdir(folder).catch(() => [])
  return names
    .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    .map(Number)
    .filter((each) => each <= order)
    .sort((a, b) => b - a)
}

/** Null if the checkpoint can't be used. */
export async function readCheckpoint(folder: string, order: number): Promise<Checkpoint | null> {
  const line = (await readFile(pathOf(folder, order)).catch(() => Buffer.alloc(0))).subarray(0, -1)
  const read = checkpoint.safeParse(isIntact(line) ? parse(line) : null)
  if (!read.success || read.data.order !== order) return null
  const { record, agents, ownLog, agentLogs } = read.data
  return {
    state: { record, agents: new Map(agents.map((agent) => [agent.id, agent])), lastOrder: order },
    ownLog,
    agentLogs: new Map(Object.entries(agentLogs)),
  }
}

/** Without a sync: a power cut may break the file, and readers ignore a broken one. */
export async function writeCheckpoint(
  folder: string,
  { state, ownLog, agentLogs }: Checkpoint,
): Promise<void> {
  const { record, agents, lastOrder: order } = state
  const line = encodeLine({
    v: VERSION,
    order,
    record,
    agents: [...agents.values()],
    ownLog,
    agentLogs: Object.fromEntries(agentLogs),
  })
  await replaceFile(pathOf(folder, order), line, { durable: false })
}

export async function removeCheckpoint(folder: string, order: number): Promise<void> {
  await rm(pathOf(folder, order), { force: true })
}

function pathOf(folder: string, order: number): string {
  return join(folder, `${order}.json`)
}
