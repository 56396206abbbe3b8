/** The conversations in the trash: what is in it, and deleting them for good. Moving and restoring: see trash.ts. */
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { TrashedConversation } from '../../../shared/conversations/contract.ts'
import { fail, ok } from '../../../shared/kernel/result.ts'
import type { ConversationTrash } from '../../runtime/ports/transcripts.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { inParallel } from '../system/in-parallel.ts'
import { acquireLock } from './conversation-lock.ts'
import { readRecord } from './conversation-records.ts'
import { bytesIn } from './conversation-sizes.ts'
import { dataPaths, isSafeId } from './data-paths.ts'

const AT_ONCE = 16
/** The folder of deleted definitions is beside the conversations. */
const OTHERS: ReadonlySet<string> = new Set(['definitions'])
/** A folder that is being deleted. A crash leaves it; the next listing deletes it. */
const DELETING = '.deleting-'

export function createConversationTrash(dataFolder: string, pid = process.pid): ConversationTrash {
  const paths = dataPaths(dataFolder)
  const root = join(dataFolder, 'trash')

  async function look(id: string): Promise<TrashedConversation> {
    const folder = paths.trash(id)
    const [record, { mtimeMs }, size] = await Promise.all([
      readRecord(paths.trashedLog(id), id, () => {}),
      stat(folder),
      bytesIn(folder),
    ])
    const known = record.ok ? record.value : { title: '', folder: '', scratch: false }
    const { title, scratch } = known
    return { id, title, folder: known.folder, scratch, trashedAt: mtimeMs, size }
  }

  async function remove(id: string): Promise<void> {
    // Renamed first: a deletion that is interrupted leaves no half conversation that could be restored.
    await rename(paths.trash(id), join(root, `${DELETING}${id}`))
    await finish(id)
  }

  /** Deletes a renamed conversation. Its folder is the last to go: after a crash it names the conversation. */
  async function finish(id: string): Promise<void> {
    if (isConversation(id))
      for (const path of [paths.board(id), paths.changes(id)])
        await rm(path, { recursive: true, force: true })
    await rm(join(root, `${DELETING}${id}`), { recursive: true, force: true })
  }

  return {
    list: async () => {
      try {
        const names = await namesIn(root)
        for (const name of names) if (name.startsWith(DELETING)) await finish(name.slice(DELETING.length))
        const found = await inParallel(names.filter(isConversation), AT_ONCE, (id) =>
          look(id).catch(() => null),
        )
        return ok(found.filter((one) => one !== null).sort((a, b) => b.trashedAt - a.trashedAt))
      } catch (error) {
        return fail(diskFailure(error, 'The trash can’t be read', root))
      }
    },
    count: async () => {
      const ids = (await namesIn(root).catch(() => [])).filter(isConversation)
      const records = await inParallel(ids, AT_ONCE, (id) => readRecord(paths.trashedLog(id), id, () => {}))
      return records.filter((record) => !record.ok || !record.value.scratch).length
    },
    delete: async (ids) => {
      for (const id of ids) {
        if (!isConversation(id))
          return fail({ type: 'bad-id', message: 'This is no conversation in the trash.' })
        const lock = await acquireLock(paths, id, pid)
        if (!lock.ok) return lock
        try {
          await remove(id)
        } catch (error) {
          // Another program has deleted or restored it.
          if (codeOf(error) !== 'ENOENT')
            return fail(diskFailure(error, 'The conversation can’t be deleted', paths.trash(id)))
        } finally {
          await lock.value.release()
        }
      }
      return ok(undefined)
    },
  }
}

function isConversation(name: string): boolean {
  return isSafeId(name) && !OTHERS.has(name)
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}
