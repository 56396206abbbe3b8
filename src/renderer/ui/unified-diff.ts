/** Parses the hunks of a unified diff into numbered lines and marks the changes within a line. */

export interface UnifiedLine {
  readonly kind: 'context' | 'added' | 'removed' | 'hunk'
  /** Line numbers in the old and the new file; null if the file lacks the line. */
  readonly before: number | null
  readonly after: number | null
  readonly text: string
  /** The part that differs from the counterpart, as [start, end); null for the whole line. */
  readonly changed: readonly [number, number] | null
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

/** Skips file headers and "no newline" remarks. Text that is not a diff has no lines. */
export function parseUnifiedDiff(patch: string): readonly UnifiedLine[] {
  const lines: UnifiedLine[] = []
  let before = 0
  let after = 0
  let oldLeft = 0
  let newLeft = 0
  for (const line of patch.split('\n')) {
    const hunk = oldLeft > 0 || newLeft > 0 ? null : HUNK.exec(line)
    if (hunk) {
      before = Number(hunk[1])
      after = Number(hunk[3])
      oldLeft = Number(hunk[2] ?? 1)
      newLeft = Number(hunk[4] ?? 1)
      lines.push({ kind: 'hunk', before, after, text: hunk[5] ?? '', changed: null })
      continue
    }
    // The counts of the hunk decide, so that a removed line "-- x" is no file header.
    if (oldLeft <= 0 && newLeft <= 0) continue
    const text = line.slice(1)
    if (line.startsWith('+')) {
      lines.push({ kind: 'added', before: null, after: after++, text, changed: null })
      newLeft--
    } else if (line.startsWith('-')) {
      lines.push({ kind: 'removed', before: before++, after: null, text, changed: null })
      oldLeft--
    } else if (!line.startsWith('\\')) {
      lines.push({ kind: 'context', before: before++, after: after++, text, changed: null })
      oldLeft--
      newLeft--
    }
  }
  return markChanges(lines)
}

/** A block with equal numbers of removed and added lines pairs them. */
/** Marks the changed part of removed and added lines that pair. */
export function markChanges(lines: readonly UnifiedLine[]): readonly UnifiedLine[] {
  const marked = [...lines]
  let index = 0
  while (index < marked.length) {
    const removed = runLength(marked, index, 'removed')
    const added = runLength(marked, index + removed, 'added')
    if (removed > 0 && removed === added) {
      for (let offset = 0; offset < removed; offset++)
        markPair(marked, index + offset, index + removed + offset)
    }
    index += Math.max(1, removed + added)
  }
  return marked
}

function runLength(lines: readonly UnifiedLine[], from: number, kind: UnifiedLine['kind']): number {
  let length = 0
  while (lines[from + length]?.kind === kind) length++
  return length
}

function markPair(lines: UnifiedLine[], oldIndex: number, newIndex: number): void {
  const oldLine = lines[oldIndex]
  const newLine = lines[newIndex]
  if (!oldLine || !newLine) return
  const shorter = Math.min(oldLine.text.length, newLine.text.length)
  let start = 0
  while (start < shorter && oldLine.text[start] === newLine.text[start]) start++
  let tail = 0
  while (
    tail < shorter - start &&
    oldLine.text[oldLine.text.length - 1 - tail] === newLine.text[newLine.text.length - 1 - tail]
  )
    tail++
  // Lines that share little more than their indent are different lines, not one changed line.
  const shared = oldLine.text.slice(0, start).trim().length + tail
  if (shared * 3 < shorter) return
  lines[oldIndex] = { ...oldLine, changed: [start, oldLine.text.length - tail] }
  lines[newIndex] = { ...newLine, changed: [start, newLine.text.length - tail] }
}
