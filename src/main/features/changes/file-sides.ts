/** Both sides of the changes of one file, and their text. */
import type { ChangedFileText, FileSide } from '../../../shared/changes/changes.ts'
import { isBinary } from '../../platform/git/objects.ts'
import type { Changes } from '../../runtime/ports/changes.ts'
import type { BlobStore } from './blob-store.ts'
import { type ChangeFacts, keyText } from './change-facts.ts'
import { chainOf } from './replay-file.ts'

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
