/** Splits a text at its conflict markers. */

export type ConflictPart =
  | { readonly kind: 'same'; readonly lines: readonly string[] }
  | {
      readonly kind: 'conflict'
      /** Names of the sides in the markers. */
      readonly oursName: string
      readonly theirsName: string
      readonly ours: readonly string[]
      readonly theirs: readonly string[]
      /** Lines of the version before both changes, with its marker. They are left out. */
      readonly baseLines: number
    }

/** A part of a text with its line endings. */
export type ConflictPiece =
  | { readonly kind: 'same'; readonly text: string }
  | { readonly kind: 'conflict'; readonly ours: string; readonly theirs: string }

/** The same parts as `conflictParts`, with their line endings. */
export function conflictPieces(text: string): readonly ConflictPiece[] {
  const raw = text.split(/(?<=\n)/)
  let line = 0
  const take = (amount: number) => {
    const taken = raw.slice(line, line + amount).join('')
    line += amount
    return taken
  }
  return conflictParts(text).map((part): ConflictPiece => {
    if (part.kind === 'same') return { kind: 'same', text: take(part.lines.length) }
    line += 1
    const ours = take(part.ours.length)
    line += part.baseLines + 1
    const theirs = take(part.theirs.length)
    line += 1
    return { kind: 'conflict', ours, theirs }
  })
}

/** A marker without its counterparts is plain text. */
export function conflictParts(text: string): readonly ConflictPart[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  const parts: ConflictPart[] = []
  let same: string[] = []
  let index = 0
  while (index < lines.length) {
    const found = readConflict(lines, index)
    if (found === null) {
      same.push(lines[index] ?? '')
      index++
      continue
    }
    if (same.length > 0) parts.push({ kind: 'same', lines: same })
    same = []
    parts.push(found.part)
    index = found.end
  }
  if (same.length > 0) parts.push({ kind: 'same', lines: same })
  return parts
}

function readConflict(lines: readonly string[], start: number): { part: ConflictPart; end: number } | null {
  if (!/^<{7}( |$)/.test(lines[start] ?? '')) return null
  const find = (pattern: RegExp, from: number) => {
    for (let index = from; index < lines.length; index++) {
      if (pattern.test(lines[index] ?? '')) return index
      if (/^<{7}( |$)/.test(lines[index] ?? '')) return -1
    }
    return -1
  }
  const middle = find(/^={7}$/, start + 1)
  const end = middle === -1 ? -1 : find(/^>{7}( |$)/, middle + 1)
  if (end === -1) return null
  const base = lines.findIndex((line, index) => index > start && index < middle && /^\|{7}( |$)/.test(line))
  return {
    part: {
      kind: 'conflict',
      oursName: (lines[start] ?? '').slice(8),
      theirsName: (lines[end] ?? '').slice(8),
      ours: lines.slice(start + 1, base === -1 ? middle : base),
      theirs: lines.slice(middle + 1, end),
      baseLines: base === -1 ? 0 : middle - base,
    },
    end: end + 1,
  }
}
