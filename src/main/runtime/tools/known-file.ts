/** Whether a file is still what the agent saw: nothing is overwritten that it does not know. */
import { fail, ok, type Result } from '../../../shared/result.ts'
import type { FileStat, FileSystem } from '../ports.ts'
import type { SeenFile, ToolSession } from '../tool.ts'
import { sizeOf } from './amounts.ts'
import { digestOf } from './content-digest.ts'
import { dataKind } from './data-kind.ts'
import { type DecodedText, decodeText } from './text-format.ts'

/** In bytes. What is larger is not changed through a model. */
export const LARGEST_TEXT = 32 * 1024 * 1024

export interface KnownFile extends DecodedText {
  /** As it was right before its content was read. */
  readonly stat: FileStat
  readonly bytes: Uint8Array
}

/** Notes what a file is like now, for the next change. */
export function remember(session: ToolSession, real: string, stat: FileStat, bytes: Uint8Array): void {
  const digest = digestOf(bytes)
  session.seen.set(real, {
    mtimeMs: stat.mtimeMs,
    size: stat.size,
    ...(digest === undefined ? {} : { digest }),
  })
}

/**
 * The file as the agent has read it, or null where there is none. Failures: `unread`, `changed`,
 * `binary`, `is-folder`, `too-large`, and those of the file system.
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
      message: `${file.shown} exists, and you have not read it. Read it first, so that nothing in it is lost that you don't know of.`,
    })
  const bytes = await files.read(file.real, { real: true, limit: LARGEST_TEXT })
  if (!bytes.ok)
    return bytes.failure.type === 'too-large' ? fail(tooLarge(file.shown, stat.value.size)) : bytes
  if (!isWhatWasSeen(seen, stat.value, bytes.value))
    return fail({
      type: 'changed',
      message: `${file.shown} has changed since you read it: another agent, a command or a person wrote to it. Read it again, then make your change.`,
    })
  const decoded = decodeText(bytes.value)
  if (decoded === null)
    return fail({
      type: 'binary',
      message: `${file.shown} is ${dataKind(bytes.value)}, not text, so it can't be changed as text.`,
    })
  return ok({ ...decoded, stat: stat.value, bytes: bytes.value })
}

/** What was only touched is the same; of a content too large to look through, time and size decide. */
function isWhatWasSeen(seen: SeenFile, stat: FileStat, bytes: Uint8Array): boolean {
  if (seen.digest !== undefined) return seen.digest === digestOf(bytes)
  return seen.mtimeMs === stat.mtimeMs && seen.size === stat.size
}

function tooLarge(shown: string, size: number) {
  return {
    type: 'too-large',
    message: `${shown} has ${sizeOf(size)}; at most ${sizeOf(LARGEST_TEXT)} can be changed this way. Use a command (sed, a script) instead.`,
  }
}
