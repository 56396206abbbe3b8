/** The changes of a write as hunks of a unified diff. */
import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from 'diff'
import { withLf } from './line-ends.ts'

interface FileDiff {
  /** Hunks only. Where they are too long the last ones are missing; the counts include them. */
  readonly patch: string
  readonly added: number
  readonly removed: number
}

/** Context lines around a change. */
const CONTEXT = 3
/** In ms, for the shortest diff. After this time the whole changed part counts as one change. */
const PATIENCE = 50

/** The difference of two texts without their line ends; null stands for no file. `longest` is in characters. */
export function fileDiff(before: string | null, after: string | null, longest: number): FileDiff {
  const [old, now] = [withLf(before ?? ''), withLf(after ?? '')]
  const found = structuredPatch('', '', old, now, '', '', { context: CONTEXT, timeout: PATIENCE })
  const hunks = found === undefined ? oneHunk(old, now) : found.hunks
  const count = (sign: string) =>
    hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0)
  return {
    patch: hunks.length === 0 ? '' : patchOf(within(hunks, longest)),
    added: count('+'),
    removed: count('-'),
  }
}

/** "+22 −18", for a row. */
export function diffNote({ added, removed }: Pick<FileDiff, 'added' | 'removed'>): string {
  const parts = [added > 0 ? `+${added}` : '', removed > 0 ? `−${removed}` : '']
  return parts.filter(Boolean).join(' ') || 'no change'
}

function patchOf(hunks: readonly StructuredPatchHunk[]): string {
  return formatPatch(
    { oldFileName: '', newFileName: '', oldHeader: '', newHeader: '', hunks: [...hunks] },
    OMIT_HEADERS,
  )
}

/** One change from the first to the last line that differs. */
function oneHunk(before: string, after: string): readonly StructuredPatchHunk[] {
  const old = linesOf(before)
  const now = linesOf(after)
  const shorter = Math.min(old.length, now.length)
  let start = 0
  while (start < shorter && old[start] === now[start]) start++
  let end = 0
  while (end < shorter - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++
  const first = Math.max(0, start - CONTEXT)
  const last = Math.max(0, end - CONTEXT)
  const mark = (sign: string, lines: readonly string[]) => lines.map((line) => sign + line)
  return [
    {
      oldStart: first + 1,
      oldLines: old.length - last - first,
      newStart: first + 1,
      newLines: now.length - last - first,
      lines: [
        ...mark(' ', old.slice(first, start)),
        ...mark('-', old.slice(start, old.length - end)),
        ...mark('+', now.slice(start, now.length - end)),
        ...mark(' ', old.slice(old.length - end, old.length - last)),
      ],
    },
  ]
}

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** The first hunks that fit. The last one is cut, with the counts in its header adjusted. */
function within(hunks: readonly StructuredPatchHunk[], longest: number): readonly StructuredPatchHunk[] {
  const kept: StructuredPatchHunk[] = []
  let room = longest
  for (const hunk of hunks) {
    const lines: string[] = []
    for (const line of hunk.lines) {
      if (room < line.length) break
      room -= line.length + 1
      lines.push(line)
    }
    const of = (signs: string) => lines.filter((line) => signs.includes(line.charAt(0))).length
    if (lines.length > 0) kept.push({ ...hunk, lines, oldLines: of(' -'), newLines: of(' +') })
    if (lines.length < hunk.lines.length) break
  }
  return kept
}
