/** A changed file as the event `files-changed` has it, with its added and removed lines. */

import { isUtf8 } from 'node:buffer'
import { relative } from 'node:path'
import { structuredPatch } from 'diff'
import type { FileChange, FileSide } from '../../../shared/changes/changes.ts'
import { isBinary } from '../../platform/git/objects.ts'
import type { BlobStore } from './blob-store.ts'
import type { ChangedState } from './file-states.ts'

export async function recordedFile(
  { path, before, after }: ChangedState,
  { root, blobs, maybeBy }: { readonly root: string; readonly blobs: BlobStore; readonly maybeBy: string[] },
): Promise<FileChange> {
  const below = relative(root, path)
  return {
    path,
    shown: below.startsWith('..') ? path : below,
    before: before.side,
    after: after.side,
    ...(await lineCounts(blobs, before.side, after.side)),
    renamedFrom: null,
    kept: before.kept === 'yes' ? after.kept : before.kept,
    maybeBy,
  }
}

async function lineCounts(
  blobs: BlobStore,
  before: FileSide | null,
  after: FileSide | null,
): Promise<LineCounts> {
  const [old, now] = await Promise.all([
    before && blobs.read(before.digest),
    after && blobs.read(after.digest),
  ])
  const isMissing = (before !== null && old === null) || (after !== null && now === null)
  return isMissing ? { added: null, removed: null } : countChangedLines(old, now)
}

/** Names the former path of files that were renamed: a file of the same content is gone. */
export function withRenames(files: readonly FileChange[]): readonly FileChange[] {
  const gone = files.filter(({ before, after }) => before !== null && before.size > 0 && after === null)
  return files.map((file) => {
    if (file.before !== null || file.after === null) return file
    const from = gone.findIndex(({ before }) => before?.digest === file.after?.digest)
    return from === -1 ? file : { ...file, renamedFrom: gone.splice(from, 1)[0]?.shown ?? null }
  })
}

/** Bytes. Larger files are not compared by lines. */
const LARGEST_COMPARED = 1024 * 1024
/** In ms. After this time the whole changed part counts. */
const PATIENCE = 50

interface LineCounts {
  readonly added: number | null
  readonly removed: number | null
}

/** Added and removed lines. Null stands for no file. Not text: no counts. */
export function countChangedLines(before: Uint8Array | null, after: Uint8Array | null): LineCounts {
  const old = decodedText(before)
  const now = decodedText(after)
  if (old === null || now === null) return { added: null, removed: null }
  const patch = structuredPatch('', '', old, now, '', '', { context: 0, timeout: PATIENCE })
  if (patch === undefined) return { added: linesIn(now), removed: linesIn(old) }
  const count = (sign: string) =>
    patch.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(sign)).length, 0)
  return { added: count('+'), removed: count('-') }
}

/** Text as UTF-8, or as Latin-1, in which every byte is a character. Null: not text, or too large. */
export function decodedText(content: Uint8Array | null): string | null {
  if (content === null) return ''
  if (content.length > LARGEST_COMPARED || isBinary(content)) return null
  return Buffer.from(content).toString(isUtf8(content) ? 'utf8' : 'latin1')
}

const linesIn = (text: string) => (text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0))
