/**
 * `state.json`: the state of an agent up to a place in its transcript, so that opening a conversation does
 * not read what ended long ago. It may be missing, old or broken: the transcript alone decides.
 */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import {
  definitionSnapshot,
  failureInfo,
  permissionMode,
  permissionSubject,
  spendLimits,
  todo,
  usage,
} from '../../../shared/agent-event.ts'
import type { AgentState } from '../../../shared/agent-state.ts'
import { agentWorktree, savedWork } from '../../../shared/worktree.ts'
import { replaceFile } from './atomic-file.ts'
import { encodeLine, isWhole, parse } from './transcript-line.ts'

/** To be raised whenever the fold makes another state of the same events: older snapshots are then left unused. */
const SNAPSHOT_VERSION = 4

/** A snapshot is worth its making when it saves the reading of so many bytes. */
export const SNAPSHOT_WORTH = 1024 * 1024

export interface StateSnapshot {
  readonly state: AgentState
  /** The transcript's bytes that are folded into it. */
  readonly bytes: number
  /** How the last of its lines ends, newline included: another transcript ends otherwise. */
  readonly lineEnd: string
}

const agentState: z.ZodType<AgentState> = z.object({
  id: z.string(),
  conversationId: z.string(),
  parentId: z.string().nullable(),
  parentToolUseId: z.string().nullable(),
  definition: definitionSnapshot,
  task: z.string(),
  model: z.string(),
  permissionMode,
  cwd: z.string(),
  worktree: agentWorktree.nullable(),
  work: savedWork.nullable(),
  depth: z.number(),
  status: z.enum(['queued', 'running', 'waiting', 'paused', 'completed', 'failed', 'stopped', 'interrupted']),
  waitingFor: z.enum(['permission', 'message', 'children']).nullable(),
  turn: z.number(),
  maxTurns: z.number(),
  name: z.string().nullable(),
  background: z.enum(['no', 'started', 'moved']),
  bubbles: z.boolean(),
  forkOf: z.string().nullable(),
  pauseWanted: z.boolean(),
  limits: spendLimits,
  runStartedAt: z.number().nullable(),
  workedMs: z.number(),
  unread: z.array(z.string()),
  usage,
  costUsd: z.number(),
  priced: z.boolean(),
  spawnedAt: z.number(),
  endedAt: z.number().nullable(),
  action: z.object({ tool: z.string(), summary: z.string(), running: z.boolean() }).nullable(),
  lastLine: z.string(),
  prompts: z.array(
    z.object({
      promptId: z.string(),
      toolUseId: z.string(),
      toolName: z.string(),
      subject: permissionSubject,
      because: z.string(),
      alwaysRule: z.string().nullable(),
      askedAt: z.number(),
    }),
  ),
  retry: z.object({ at: z.number(), attempt: z.number(), failure: failureInfo }).nullable(),
  todos: z.array(todo),
  report: z.string(),
  failure: failureInfo.nullable(),
  reachedLimit: z.enum(['turns', 'tokens', 'money', 'time']).nullable(),
  limitOf: z.enum(['agent', 'parent', 'conversation']).nullable(),
  lastSeq: z.number(),
  lastOrder: z.number(),
  lastAt: z.number(),
})

const snapshotFile = z.object({
  v: z.literal(SNAPSHOT_VERSION),
  bytes: z.number().int().positive(),
  lineEnd: z.string(),
  state: agentState,
})

/** Null where there is none that can be used. */
export async function readSnapshot(path: string): Promise<StateSnapshot | null> {
  let content: Buffer
  try {
    content = await readFile(path)
  } catch {
    return null
  }
  const line = content.subarray(0, -1)
  if (!isWhole(line)) return null
  const parsed = snapshotFile.safeParse(parse(line))
  return parsed.success ? parsed.data : null
}

/** Without a sync: after a power cut it may be broken, and is then made anew. */
export async function writeSnapshot(path: string, { bytes, lineEnd, state }: StateSnapshot): Promise<void> {
  await replaceFile(path, encodeLine({ v: SNAPSHOT_VERSION, bytes, lineEnd, state }), { durable: false })
}
