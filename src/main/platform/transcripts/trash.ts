/**
 * Moves a conversation to the trash and back, by renames. The conversation's own log is the first file to go and
 * the last to come back, so that only complete conversations are listed. Repeating the command finishes what a
 * crash interrupted.
 */
import { access, rename, rm, rmdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { makeFolder, syncFolder } from '../system/atomic-file.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { readRecord, type StoreProblem } from './conversation-records.ts'
import type { DataPaths } from './data-paths.ts'

type OnProblem = (problem: StoreProblem) => void

/** The caller holds the conversation's lock. */
export async function moveToTrash(
  paths: DataPaths,
  conversationId: string,
  onProblem: OnProblem,
): Promise<Result<void>> {
  const trash = paths.trash(conversationId)
  const here = paths.conversationLog(conversationId)
  const trashed = paths.trashedLog(conversationId)
  try {
    const record = await readRecord(here, conversationId, onProblem)
    if (record.ok) {
      await makeFolder(trash)
      if (await exists(here.log)) {
        // The snapshot is made again from the log.
        await rm(here.snapshot, { force: true })
        await move(here.log, trashed.log)
      } else await move(here.snapshot, trashed.snapshot)
    } else if (record.failure.type !== 'not-found') return record
    const agents = record.ok ? record : await readRecord(trashed, conversationId, onProblem)
    if (!agents.ok) return agents
    await rm(paths.checkpoints(conversationId), { recursive: true, force: true })
    await makeFolder(dirname(paths.trashedTask(conversationId, agents.value.mainAgentId)))
    for (const agentId of agents.value.agentIds)
      await move(paths.task(agentId), paths.trashedTask(conversationId, agentId))
    return ok(undefined)
  } catch (error) {
    return fail(diskFailure(error, 'The conversation can’t be moved to the trash', trash))
  }
}

/** The caller holds the conversation's lock. */
export async function moveFromTrash(
  paths: DataPaths,
  conversationId: string,
  onProblem: OnProblem,
): Promise<Result<void>> {
  const trash = paths.trash(conversationId)
  const here = paths.conversationLog(conversationId)
  const trashed = paths.trashedLog(conversationId)
  try {
    const record = await readRecord(trashed, conversationId, onProblem)
    if (!record.ok && record.failure.type === 'not-found')
      return fail({ type: 'not-found', message: 'This conversation is not in the trash.' })
    if (!record.ok) return record
    if ((await exists(here.log)) || (await exists(here.snapshot)))
      return fail({
        type: 'exists',
        message: `A conversation with this id already exists, so the one in the trash was not restored (${trash}).`,
      })
    await makeFolder(dirname(paths.task(record.value.mainAgentId)))
    for (const agentId of record.value.agentIds)
      await move(paths.trashedTask(conversationId, agentId), paths.task(agentId))
    await makeFolder(paths.conversations)
    await move(trashed.snapshot, here.snapshot)
    await move(trashed.log, here.log)
    await rmdir(dirname(paths.trashedTask(conversationId, record.value.mainAgentId))).catch(() => undefined)
    await rmdir(trash).catch(() => undefined)
    return ok(undefined)
  } catch (error) {
    return fail(diskFailure(error, 'The conversation can’t be restored', trash))
  }
}

/** Durable. A missing file was moved before, or never existed. */
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
