/** The records of conversations: `conversations/<id>.json`, one small file each. */
import { readdir, readFile } from 'node:fs/promises'
import { type ConversationRecord, conversationRecord } from '../../../shared/conversation.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { replaceFile } from './atomic-file.ts'
import { type DataPaths, isSafeId } from './data-paths.ts'
import { codeOf, diskFailure } from './disk-failure.ts'
import { inParallel } from './in-parallel.ts'
import { parse } from './transcript-line.ts'

/** Something that a person should hear of, though the work went on. */
export interface StoreProblem {
  readonly type: string
  readonly message: string
}

const READ_AT_ONCE = 32

/** All that can be read, the one that was used last first. */
export async function listRecords(
  paths: DataPaths,
  onProblem: (problem: StoreProblem) => void,
): Promise<readonly ConversationRecord[]> {
  const ids = await recordIds(paths).catch((error: unknown) => {
    onProblem(diskFailure(error, 'The conversations can’t be listed', paths.conversations))
    return []
  })
  const records = await inParallel(ids, READ_AT_ONCE, (id) => readRecord(paths.record(id), id))
  return records
    .flatMap((record) => {
      if (record.ok) return [record.value]
      // One that was thrown away meanwhile is no problem.
      if (record.failure.type !== 'not-found') onProblem(record.failure)
      return []
    })
    .sort((a, b) => b.updatedAt - a.updatedAt)
}

async function recordIds(paths: DataPaths): Promise<readonly string[]> {
  try {
    const names = await readdir(paths.conversations)
    return names
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.slice(0, -'.json'.length))
      .filter(isSafeId)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Failures: `not-found`, `damaged`, and what the disk says. */
export async function readRecord(path: string, id: string): Promise<Result<ConversationRecord>> {
  let content: Buffer
  try {
    content = await readFile(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT')
      return fail({ type: 'not-found', message: 'There is no such conversation.' })
    return fail(diskFailure(error, 'The conversation can’t be read', path))
  }
  const parsed = conversationRecord.safeParse(parse(content))
  if (parsed.success && isSound(parsed.data, id)) return ok(parsed.data)
  return fail({
    type: 'damaged',
    message: `The record of a conversation is damaged, or of a newer version of Troupe (${path}). Its transcripts are untouched.`,
    cause: parsed.error,
  })
}

/** Its ids become paths. */
function isSound({ id, mainAgentId, agentIds }: ConversationRecord, expected: string): boolean {
  return id === expected && [mainAgentId, ...agentIds].every(isSafeId)
}

/** Durably. */
export async function writeRecord(path: string, record: ConversationRecord): Promise<Result<void>> {
  try {
    await replaceFile(path, `${JSON.stringify(record, null, 2)}\n`, { durable: true })
    return ok(undefined)
  } catch (error) {
    return fail(diskFailure(error, 'The conversation can’t be saved', path))
  }
}
