/** Where everything lies below the data folder, and which names may become a path. */
import { join } from 'node:path'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'

export interface DataPaths {
  readonly conversations: string
  readonly locks: string
  record(conversationId: string): string
  lock(conversationId: string): string
  task(agentId: string): string
  transcript(agentId: string): string
  snapshot(agentId: string): string
  /** Where a conversation that was thrown away lies. */
  trash(conversationId: string): string
  trashedRecord(conversationId: string): string
  trashedTask(conversationId: string, agentId: string): string
  toolOutput(agentId: string, toolUseId: string): string
}

export function dataPaths(dataFolder: string): DataPaths {
  const conversations = join(dataFolder, 'conversations')
  const locks = join(dataFolder, 'locks')
  const task = (agentId: string) => join(dataFolder, 'tasks', agentId)
  const trash = (conversationId: string) => join(dataFolder, 'trash', conversationId)
  return {
    conversations,
    locks,
    record: (conversationId) => join(conversations, `${conversationId}.json`),
    lock: (conversationId) => join(locks, conversationId),
    task,
    transcript: (agentId) => join(task(agentId), 'transcript.jsonl'),
    snapshot: (agentId) => join(task(agentId), 'state.json'),
    trash,
    trashedRecord: (conversationId) => join(trash(conversationId), 'record.json'),
    trashedTask: (conversationId, agentId) => join(trash(conversationId), 'tasks', agentId),
    toolOutput: (agentId, toolUseId) => join(task(agentId), 'tool-results', `${toolUseId}.txt`),
  }
}

/** Fails unless every id is one that may become a file's name. */
export function safeIds(...ids: readonly string[]): Result<void, Failure> {
  const bad = ids.find((id) => !isSafeId(id))
  if (bad === undefined) return ok(undefined)
  return fail({
    type: 'bad-id',
    message: `${JSON.stringify(bad.slice(0, 120))} is not an id that Troupe makes: letters, digits, - and _, at most 100 of them.`,
  })
}

export function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]{1,100}$/.test(id)
}
