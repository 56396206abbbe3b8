/**
 * What each conversation takes on the disk: its log, the folders of its agents, checkpoints, its task board and the kept
 * content of changed files. A size holds until a log of the conversation or of its main agent has changed.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'
import { inParallel } from '../system/in-parallel.ts'
import { dataPaths } from './data-paths.ts'

/** Few at once: reading and writing of agents at work go before. */
const AT_ONCE = 4

/** @returns bytes by the ids of the conversations */
export function createConversationSizes(
  dataFolder: string,
  store: Pick<TranscriptStore, 'list'>,
): () => Promise<Result<Readonly<Record<string, number>>>> {
  const paths = dataPaths(dataFolder)
  const known = new Map<string, { readonly stamp: string; readonly bytes: number }>()
  return async () => {
    const sizes = await inParallel(await store.list(), AT_ONCE, async ({ id, mainAgentId, agentIds }) => {
      const { log, snapshot } = paths.conversationLog(id)
      const own = [log, snapshot, paths.agentLog(mainAgentId).log]
      const files = await Promise.all(own.map((path) => stat(path).catch(() => null)))
      const stamp = files.map((file) => `${file?.size} ${file?.mtimeMs}`).join()
      const before = known.get(id)
      if (before?.stamp === stamp) return [id, before.bytes] as const
      const folders = [paths.checkpoints(id), paths.board(id), paths.changes(id), ...agentIds.map(paths.task)]
      const [ofLog, ofRecord] = files
      let bytes = (ofLog?.size ?? 0) + (ofRecord?.size ?? 0)
      for (const folder of folders) bytes += await bytesIn(folder).catch(() => 0)
      known.set(id, { stamp, bytes })
      return [id, bytes] as const
    })
    return ok(Object.fromEntries(sizes))
  }
}

/** The bytes of all files in a folder. Rejects if it can't be read. */
export async function bytesIn(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await inParallel(files, AT_ONCE, async ({ parentPath, name }) => {
    return (await stat(join(parentPath, name))).size
  })
  return sizes.reduce((sum, size) => sum + size, 0)
}
