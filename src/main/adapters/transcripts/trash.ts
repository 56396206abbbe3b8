/**
 * Throwing a conversation away, and bringing it back: a series of renames. The record is the first to go
 * and the last to come back, so that a conversation is listed only while it is whole; whatever a crash
 * leaves half done, doing either again finishes.
 */
import { access, rename, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { makeFolder, syncFolder } from './atomic-file.ts'
import { readRecord } from './conversation-records.ts'
import type { DataPaths } from './data-paths.ts'
import { codeOf, diskFailure } from './disk-failure.ts'

/** The caller holds the conversation's lock. Failures: `not-found`, and what the disk says. */
export async function moveToTrash(paths: DataPaths, conversationId: string): Promise<Result<void>> {
  const trash = paths.trash(conversationId)
  const trashed = paths.trashedRecord(conversationId)
  try {
    const record = await readRecord(paths.record(conversationId), conversationId)
    if (record.ok) {
      await makeFolder(trash)
      await move(paths.record(conversationId), trashed)
    } else if (record.failure.type !== 'not-found') return record
    const agents = record.ok ? record : await readRecord(trashed, conversationId)
    if (!agents.ok) return agents
    await makeFolder(dirname(paths.trashedTask(conversationId, agents.value.mainAgentId)))
    for (const agentId of agents.value.agentIds)
      await move(paths.task(agentId), paths.trashedTask(conversationId, agentId))
    return ok(undefined)
  } catch (error) {
    return fail(diskFailure(error, 'The conversation can’t be thrown away', trash))
  }
}

/** The caller holds the conversation's lock. Failures: `not-found`, `exists`, and what the disk says. */
export async function moveFromTrash(paths: DataPaths, conversationId: string): Promise<Result<void>> {
  const trash = paths.trash(conversationId)
  const trashed = paths.trashedRecord(conversationId)
  try {
    const record = await readRecord(trashed, conversationId)
    if (!record.ok && record.failure.type === 'not-found')
      return fail({ type: 'not-found', message: 'This conversation is not in the trash.' })
    if (!record.ok) return record
    if (await exists(paths.record(conversationId)))
      return fail({
        type: 'exists',
        message: `There is a conversation of this name already, so the one in the trash stays there (${trash}).`,
      })
    await makeFolder(dirname(paths.task(record.value.mainAgentId)))
    for (const agentId of record.value.agentIds)
      await move(paths.trashedTask(conversationId, agentId), paths.task(agentId))
    await makeFolder(paths.conversations)
    await move(trashed, paths.record(conversationId))
    await rmdir(dirname(paths.trashedTask(conversationId, record.value.mainAgentId))).catch(() => undefined)
    await rmdir(trash).catch(() => undefined)
    return ok(undefined)
  } catch (error) {
    return fail(diskFailure(error, 'The conversation can’t be brought back', trash))
  }
}

/** Durably. What is not there was moved before, or never was. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  await Promise.all([syncFolder(dirname(to)), syncFolder(dirname(from))])
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
