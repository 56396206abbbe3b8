/**
 * Checks whether a file is unchanged since the agent read the file. An agent overwrites only files that it has read.
 */
import type { SeenFile } from '../../../../shared/events/agent-event.ts'
import { sizeOf } from '../../../../shared/kernel/amounts.ts'
import { contentDigest } from '../../../../shared/kernel/content-digest.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { FileStat, FileSystem } from '../../ports/files.ts'
import type { ToolSession } from '../../ports/tool.ts'
import { dataKind } from './data-kind.ts'
import { type DecodedText, decodeText } from './text-format.ts'

/** In bytes. Larger files are changed with commands only. */
export const LARGEST_EDITABLE = 32 * 1024 * 1024

export interface KnownFile extends DecodedText {
  /** From right before the read. */
  readonly stat: FileStat
  readonly bytes: Uint8Array
}

/** Records the present content of a file, for the check before the next change. @returns the record, for the event */
export function rememberFile(
  session: ToolSession,
  { real, stat, bytes }: { readonly real: string; readonly stat: FileStat; readonly bytes: Uint8Array },
): SeenFile {
  const digest = contentDigest(bytes)
  const seen = {
    path: real,
    mtimeMs: stat.mtimeMs,
    size: stat.size,
    ...(digest === undefined ? {} : { digest }),
  }
  session.seen.set(real, seen)
  return seen
}

/**
 * The file as the agent has read it; null if there is no file. Fails with `unread`, `changed`, `binary`, `is-folder`,
 * `too-large`, or a failure of the file system.
 */
export async function knownFile(
  files: FileSystem,
  session: ToolSession,
  file: { readonly real: string; readonly shown: string },
): Promise<Result<KnownFile | null>> {
  const stat = await files.stat(file.real)
  if (!stat.ok) return stat.failure.type === 'not-found' ? ok(null) : stat
  if (stat.value.kind === 'folder')
    return fail({ type: 'is-folder', message: `${file.shown} is a folder, not a file.` })
  const seen = session.seen.get(file.real)
  if (!seen)
    return fail({
      type: 'unread',
      message: `${file.shown} exists, and you have not read its present content. Read it first, so that you don't lose anything.`,
    })
  const bytes = await files.read(file.real, { real: true, limit: LARGEST_EDITABLE })
  if (!bytes.ok) return bytes.failure.type === 'too-large' ? fail(tooLarge(file.shown, stat.value)) : bytes
  if (!isUnchanged(seen, stat.value, bytes.value))
    return fail({
      type: 'changed',
      message: `${file.shown} has changed since you read it: another agent, a command or the user wrote to it. Read it again, then make your change.`,
    })
  const decoded = decodeText(bytes.value)
  if (decoded === null)
    return fail({
      type: 'binary',
      message: `${file.shown} is ${dataKind(bytes.value)}, not text, so it can't be changed as text.`,
    })
  return ok({ ...decoded, stat: stat.value, bytes: bytes.value })
}

/** By content; by time and size where the content is too large for a digest. */
function isUnchanged(seen: SeenFile, stat: FileStat, bytes: Uint8Array): boolean {
  if (seen.digest !== undefined) return seen.digest === contentDigest(bytes)
  return seen.mtimeMs === stat.mtimeMs && seen.size === stat.size
}

/** The size of a file that is too large. The stat of a file of /proc does not tell its size. */
export function largeSize({ size }: Pick<FileStat, 'size'>): string {
  return size > LARGEST_EDITABLE ? sizeOf(size) : `more than ${sizeOf(LARGEST_EDITABLE)}`
}

function tooLarge(shown: string, stat: FileStat) {
  return {
    type: 'too-large',
    message: `${shown} has ${largeSize(stat)}, and the limit for changes is ${sizeOf(LARGEST_EDITABLE)}. Use a command (sed, a script) instead.`,
  }
}
