/**
 * Prepares a log for its writer: checks every line, and moves the broken last line of a crash to a file beside
 * the log, so that the log ends with a whole line.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { FILE_MODE } from '../system/atomic-file.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { damageFailure, notUnderstoodFailure } from './log-failures.ts'
import type { FoldedLog, LogEvent, LogKind } from './log-kind.ts'
import { readAt } from './read-lines.ts'
import { type WalkEnd, walkLog } from './walk-log.ts'

export interface ReadyLog {
  readonly bytes: number
  readonly events: number
  readonly lineEnd: string
  /** Bytes of the broken last line that were moved; 0: the last line was whole. */
  readonly tornBytes: number
}

/** Null where the log does not exist. */
export async function makeReady<E extends LogEvent, S extends FoldedLog>(
  path: string,
  kind: LogKind<E, S>,
): Promise<Result<ReadyLog | null>> {
  try {
    const file = await open(path, 'r+')
    try {
      return await checkAndFix(file, path, kind)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok(null)
    return fail(diskFailure(error, 'The transcript can’t be opened for writing', path))
  }
}

async function checkAndFix<E extends LogEvent, S extends FoldedLog>(
  file: FileHandle,
  path: string,
  kind: LogKind<E, S>,
): Promise<Result<ReadyLog, Failure>> {
  const { size } = await file.stat()
  for await (const step of walkLog(file, { from: 0, events: 0, to: size })) {
    if (step.kind === 'lines') {
      const unknown = step.lines.find((line) => !kind.knows(line.version, line.type))
      if (unknown) return fail(notUnderstoodFailure(path, unknown.seq + 1))
      continue
    }
    const { end } = step
    if (end.kind === 'damaged') return fail(damageFailure(path, end.events + 1))
    const tornBytes = size - end.bytes
    if (tornBytes > 0) await putAside(file, { path, from: end.bytes, length: tornBytes })
    const bytes = end.isEnded ? end.bytes : await endLine(file, end)
    return ok({ bytes, events: end.events, lineEnd: end.lineEnd, tornBytes })
  }
  throw new Error('a walk always ends')
}

/** The broken line is on disk elsewhere before the log is truncated. */
async function putAside(
  file: FileHandle,
  { path, from, length }: { readonly path: string; readonly from: number; readonly length: number },
): Promise<void> {
  const aside = await open(`${path}.torn`, 'a', FILE_MODE)
  try {
    await aside.writeFile(Buffer.concat([await readAt(file, from, length), Buffer.from('\n')]))
    await aside.sync()
  } finally {
    await aside.close()
  }
  await file.truncate(from)
  await file.datasync()
}

/** The last line lacks only its newline. */
async function endLine(file: FileHandle, end: WalkEnd): Promise<number> {
  await file.write('\n', end.bytes)
  await file.datasync()
  return end.bytes + 1
}
