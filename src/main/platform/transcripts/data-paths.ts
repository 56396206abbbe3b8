/** The paths below the data folder, and the names that may become a path. */
import { join } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { LogPaths } from './read-log.ts'

export interface DataPaths {
  readonly conversations: string
  readonly locks: string
  /** The conversation's own log. Its snapshot is the record, which lists the conversation. */
  conversationLog(conversationId: string): LogPaths
  lock(conversationId: string): string
  task(agentId: string): string
  agentLog(agentId: string): LogPaths
  checkpoints(conversationId: string): string
  /** The folder of all task boards. */
  readonly boards: string
  board(conversationId: string): string
  /** The kept content of files that the conversation's agents changed. */
  changes(conversationId: string): string
  /** The folder of a conversation in the trash. */
  trash(conversationId: string): string
  trashedLog(conversationId: string): LogPaths
  trashedTask(conversationId: string, agentId: string): string
  toolOutput(agentId: string, toolUseId: string): string
}

export function dataPaths(dataFolder: string): DataPaths {
  const conversations = join(dataFolder, 'conversations')
  const boards = join(dataFolder, 'boards')
  const locks = join(dataFolder, 'locks')
  const task = (agentId: string) => join(dataFolder, 'tasks', agentId)
  const trash = (conversationId: string) => join(dataFolder, 'trash', conversationId)
  return {
    conversations,
    locks,
    conversationLog: (conversationId) => ({
      log: join(conversations, `${conversationId}.jsonl`),
      snapshot: join(conversations, `${conversationId}.json`),
    }),
    lock: (conversationId) => join(locks, conversationId),
    task,
    agentLog: (agentId) => ({
      log: join(task(agentId), 'transcript.jsonl'),
      snapshot: join(task(agentId), 'state.json'),
    }),
    boards,
    board: (conversationId) => join(boards, conversationId),
    changes: (conversationId) => join(dataFolder, 'changes', conversationId),
    checkpoints: (conversationId) => join(dataFolder, 'checkpoints', conversationId),
    trash,
    trashedLog: (conversationId) => ({
      log: join(trash(conversationId), 'record.jsonl'),
      snapshot: join(trash(conversationId), 'record.json'),
    }),
    trashedTask: (conversationId, agentId) => join(trash(conversationId), 'tasks', agentId),
    toolOutput: (agentId, toolUseId) => join(task(agentId), 'tool-results', `${toolUseId}.txt`),
  }
}

/** Fails unless every id may become a file name. */
export function safeIds(...ids: readonly string[]): Result<void, Failure> {
  const bad = ids.find((id) => !isSafeId(id))
  if (bad === undefined) return ok(undefined)
  return fail({
    type: 'bad-id',
    message: `${JSON.stringify(bad.slice(0, 120))} is not a valid id. An id has at most 100 letters, digits, - and _.`,
  })
}

export function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(id)
}
