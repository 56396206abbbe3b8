/**
 * Makes a transcript ready for its writer: every line is checked, and what a crash left of a last one is
 * put aside, beside the transcript, so that it ends with a whole line.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import { isKnownEvent } from '../../../shared/upcast-event.ts'
import { FILE_MODE } from './atomic-file.ts'
import { codeOf, diskFailure } from './disk-failure.ts'
import { readAt } from './read-lines.ts'
import { damageFailure, notUnderstoodFailure } from './transcript-failures.ts'
import { type WalkEnd, walkTranscript } from './walk-transcript.ts'

export interface ReadyTranscript {
  readonly bytes: number
  readonly events: number
  readonly lineEnd: string
  /** Bytes that were put aside; 0: none were torn. */
  readonly tornBytes: number
}

/** Null where there is no transcript. Failures: `damaged`, `newer-version`, and what the disk says. */
export async function makeReady(transcript: string): Promise<Result<ReadyTranscript | null>> {
  try {
    const file = await open(transcript, 'r+')
    try {
      return await checkAndMend(file, transcript)
    } finally {
      await file.close()
    }
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return ok(null)
    return fail(diskFailure(error, 'The transcript can’t be opened for writing', transcript))
  }
}

async function checkAndMend(file: FileHandle, path: string): Promise<Result<ReadyTranscript, Failure>> {
  const { size } = await file.stat()
  for await (const step of walkTranscript(file, { from: 0, events: 0, to: size })) {
    if (step.kind === 'lines') {
      const unknown = step.lines.find((line) => !isKnownEvent(line.version, line.type))
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

/** Nothing is cut off before it lies elsewhere for certain. */
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
