/** The contents of a file through its changes, so that each line has an author. */
import type { FileHistory, FileSide } from '../../../shared/changes/changes.ts'
import { isBinary } from '../../platform/git/objects.ts'
import type { BlobStore } from './blob-store.ts'
import type { ChangeFacts } from './change-facts.ts'
import { FileStates, keyOf } from './file-states.ts'
import { chainOf, replay, userEntry } from './replay-file.ts'

/** More text than this, in bytes, is not sent to the window. */
const MOST_BYTES = 4 * 1024 * 1024

/** The changes that are not undone, in order, up to the file on the disk. Null: no change, or no text to compare. */
export async function fileHistory(
  facts: ChangeFacts,
  path: string,
  { blobs, now: timeNow }: { readonly blobs: BlobStore; readonly now: () => number },
): Promise<FileHistory | null> {
  const chain = chainOf(facts, path)
  const [start] = chain.entries
  if (start === undefined) return null
  const now = (await new FileStates(blobs).read(path)).side
  const entries = [...chain.entries]
  const { shown, expected } = chain
  if (keyOf(expected) !== keyOf(now))
    entries.push(userEntry({ shown, at: timeNow(), before: expected, after: now }))
  const steps: Omit<FileHistory['steps'][number], 'text'>[] = []
  const sides: (FileSide | null)[] = []
  const replayed = await replay(entries, {
    undone: facts.undone,
    wanted: chain.choice === 'old' ? 'old' : 'keep',
    read: (digest) => blobs.read(digest),
    onEntry: ({ agentId, toolUseId, at }, side) => {
      steps.push({ agentId, toolUseId, at })
      sides.push(side)
    },
  })
  if (replayed.isMissing) return null
  let bytes = 0
  const textOf = async (side: FileSide | null): Promise<string | null | undefined> => {
    if (side === null) return null
    if (side.kind === 'link') return undefined
    const content = replayed.made.get(side.digest) ?? (await blobs.read(side.digest))
    bytes += content?.length ?? 0
    return content === null || isBinary(content) || bytes > MOST_BYTES
      ? undefined
      : Buffer.from(content).toString('utf8')
  }
  const first = await textOf(start.before)
  if (first === undefined) return null
  const history = []
  for (const [index, step] of steps.entries()) {
    const text = await textOf(sides[index] ?? null)
    if (text === undefined) return null
    history.push({ ...step, text })
  }
  return { first, steps: history }
}
