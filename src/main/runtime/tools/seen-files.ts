/** Whether a file is still what the agent saw: nothing is overwritten that it does not know. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileStat, FileSystem } from '../ports.ts'
import type { SeenFile, ToolSession } from '../tool.ts'

export function remember(session: ToolSession, realPath: string, { mtimeMs, size }: FileStat): void {
  session.seen.set(realPath, { mtimeMs, size })
}

/** Null: there is no such file. Failures: `unread`, `changed`, and those of the file system. */
export async function knownStat(
  files: FileSystem,
  session: ToolSession,
  realPath: string,
  shown: string,
): Promise<Result<FileStat | null>> {
  const stat = await files.stat(realPath)
  if (!stat.ok) return stat.failure.type === 'not-found' ? ok(null) : stat
  if (stat.value.kind === 'folder') return fail({ type: 'is-folder', message: `${shown} is a folder.` })
  const seen = session.seen.get(realPath)
  if (!seen) return fail({ type: 'unread', message: `Read ${shown} first: you have not seen what is in it.` })
  if (!isSame(seen, stat.value))
    return fail({
      type: 'changed',
      message: `${shown} has changed since you read it. Read it again, then make your change.`,
    })
  return ok(stat.value)
}

const isSame = (seen: SeenFile, now: FileStat): boolean =>
  seen.mtimeMs === now.mtimeMs && seen.size === now.size
