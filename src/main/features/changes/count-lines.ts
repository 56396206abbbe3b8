/** Added and removed lines of a changed file. */
import { isUtf8 } from 'node:buffer'
import { structuredPatch } from 'diff'
import { isBinary } from '../../platform/git/objects.ts'

/** Bytes. Larger files are not compared by lines. */
const LARGEST_COMPARED = 1024 * 1024
/** In ms. After this time the whole changed part counts. */
const PATIENCE = 50

export interface LineCounts {
  readonly added: number | null
  readonly removed: number | null
}

/** Null stands for no file. Not text: no counts. */
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
