/**
 * Prepares a log for its writer: checks every line, and then moves the broken last line of a crash to a file beside
 * the log, so that the log ends with a whole line.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { FILE_MODE } from '../system/atomic-file.ts'
import { diskFailure } from '../system/disk-failure.ts'
import { codeOf } from '../system/error-code.ts'
import { damageFailure, notUnderstoodFailure } from './log-failures.ts'
import type { FoldedLog, LogEvent, LogKind } from './log-kind.ts'
import { readAt } from './read-lines.ts'
import { type WalkEnd, walkLog } from './walk-log.ts'

interface ReadyLog {
  /** The position after the repair. */
  readonly position: { readonly bytes: number; readonly events: number; readonly lineEnd: string }
  /** Bytes of the broken last line; 0: the last line is whole. */
  readonly tornBytes: number
  /** Moves the broken line aside and ends the last line. Nothing is changed before. */
  repair(): Promise<Result<void>>
}

/** Checks a log before it is written. Null if the log does not exist. */
export async function checkLog<E extends LogEvent, S extends FoldedLog>(
  path: string,
  kind: LogKind<E, S>,
): Promise<Result<ReadyLog | null>> {
  return withFile(path, async (file) => {
    const { size } = await file.stat()
    for await (const step of walkLog(file, { from: 0, events: 0, to: size })) {
      if (step.kind === 'lines') {
        const unknown = step.lines.find((line) => !kind.knows(line.version, line.type))
        if (unknown) return fail(notUnderstoodFailure(path, unknown.seq + 1))
        continue
      }
      const { kind: found, events, bytes, lineEnd, isEnded } = step.end
      if (found === 'damaged') return fail(damageFailure(path, events + 1))
      const tornBytes = size - bytes
      return ok({
        position: { bytes: isEnded ? bytes : bytes + 1, events, lineEnd },
        tornBytes,
        repair: () => repair(path, step.end, tornBytes),
      })
    }
    throw new Error('a walk always ends')
  })
}

async function repair(path: string, end: WalkEnd, tornBytes: number): Promise<Result<void>> {
  if (tornBytes === 0 && end.isEnded) return ok(undefined)
  const repaired = await withFile(path, async (file) => {
    if (tornBytes > 0) await putAside(file, { path, from: end.bytes, length: tornBytes })
    if (!end.isEnded) await endLine(file, end.bytes)
    return ok(undefined)
  })
  return repaired.ok ? ok(undefined) : repaired
}

/** Null if the file does not exist. */
async function withFile<T>(
  path: string,
  use: (file: FileHandle) => Promise<Result<T>>,
): Promise<Result<T | null>> {
  try {
    const file = await open(path, 'r+')
    try {
      return await use(file)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok(null)
    return fail(diskFailure(error, 'The transcript can’t be opened for writing', path))
  }
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
async function endLine(file: FileHandle, at: number): Promise<void> {
  await file.write('\n', at)
  await file.datasync()
}
