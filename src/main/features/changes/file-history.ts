/** The contents of a file before, after and through its changes, so that each line has an author. */
import type { ChangedFileText, FileHistory, FileSide } from '../../../shared/changes/changes.ts'
import { keyText } from '../../../shared/changes/changes-amounts.ts'
import { isBinary } from '../../platform/git/objects.ts'
import type { Changes } from '../../runtime/ports/changes.ts'
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

/** Before the first and after the last change that the question names. Null: there is none. */
export function fileSidesOf(
  facts: ChangeFacts,
  { path, agentId, toolUseId }: Parameters<Changes['file']>[0],
): { readonly before: FileSide | null; readonly after: FileSide | null } | null {
  const own = chainOf(facts, path).entries.filter(
    ({ key, agentId: by }) =>
      key !== null &&
      (agentId === null || by === agentId) &&
      (toolUseId === null || key === keyText({ agentId: by ?? '', toolUseId, path })),
  )
  const [first, last] = [own[0], own.at(-1)]
  return first && last ? { before: first.before, after: last.after } : null
}

/** The text of both sides, as the window compares them. Null stands for no file. */
export async function textOfSides(
  blobs: BlobStore,
  before: FileSide | null,
  after: FileSide | null,
): Promise<ChangedFileText> {
  const [was, is] = await Promise.all([
    before && blobs.read(before.digest),
    after && blobs.read(after.digest),
  ])
  if ((before !== null && was === null) || (after !== null && is === null))
    return { kind: 'unavailable', reason: 'The content is not kept, or no longer.' }
  if ((was && isBinary(was)) || (is && isBinary(is)))
    return { kind: 'binary', bytesBefore: before?.size ?? null, bytesAfter: after?.size ?? null }
  const text = (content: Uint8Array | null) => content && Buffer.from(content).toString('utf8')
  return { kind: 'text', before: text(was), after: text(is) }
}
