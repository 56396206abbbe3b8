/** Makes the transcripts of a conversation that is locked ready for their writers. */
import { type Failure, fail, ok, type Result } from '../../../shared/result.ts'
import type { DataPaths } from './data-paths.ts'
import { inParallel } from './in-parallel.ts'
import { makeReady } from './open-transcript.ts'
import { readState } from './read-transcript.ts'
import { SNAPSHOT_WORTH, writeSnapshot } from './state-snapshot.ts'
import type { WriterStart } from './transcript-writer.ts'

export interface ReadyAgents {
  /** Where the transcripts that exist go on. */
  readonly starts: ReadonlyMap<string, WriterStart>
  /** Those whose last line was cut off, in words for a person. */
  readonly repaired: readonly { readonly agentId: string; readonly message: string }[]
}

const FILES_AT_ONCE = 16

/** Failures: `damaged`, `newer-version`, and what the disk says; the first of them. */
export async function readyAgents(
  paths: DataPaths,
  agentIds: readonly string[],
): Promise<Result<ReadyAgents>> {
  const starts = new Map<string, WriterStart>()
  const repaired: { agentId: string; message: string }[] = []
  const failures = await inParallel(agentIds, FILES_AT_ONCE, async (agentId): Promise<Failure | null> => {
    const transcript = paths.transcript(agentId)
    const snapshot = paths.snapshot(agentId)
    const ready = await makeReady(transcript)
    if (!ready.ok) return ready.failure
    if (!ready.value) return null
    const { tornBytes, ...place } = ready.value
    const read = await readState({ transcript, snapshot })
    if (!read.ok) return read.failure
    const { state, bytesRead } = read.value
    starts.set(agentId, { ...place, state })
    if (tornBytes > 0) repaired.push({ agentId, message: tornWords(tornBytes, transcript) })
    // The reader that comes next, mostly at once, need not read it all again.
    if (state && bytesRead > SNAPSHOT_WORTH)
      await writeSnapshot(snapshot, { ...place, state }).catch(() => undefined)
    return null
  })
  const failure = failures.find((each) => each !== null)
  return failure ? fail(failure) : ok({ starts, repaired })
}

function tornWords(bytes: number, transcript: string): string {
  return `A crash cut off the end of a transcript in the middle of a line. The ${bytes} bytes of it were put aside (${transcript}.torn); everything before is there.`
}
