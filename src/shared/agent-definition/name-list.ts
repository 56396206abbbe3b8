/** Parses lists of names as users write them: with commas, spaces, and rules in brackets. */

/** Splits on commas outside brackets, or on spaces if there is no such comma. */
export function splitNames(text: string): readonly string[] {
  return splitNameRanges(text).map(({ from, to }) => text.slice(from, to))
}

/** The same, with positions in the text. */
export function splitNameRanges(text: string): readonly { readonly from: number; readonly to: number }[] {
  const byComma = splitAt(text, (letter) => letter === ',')
  return byComma.length > 1 || text.trim().endsWith(',')
    ? byComma
    : splitAt(text, (letter) => /\s/.test(letter))
}

function splitAt(text: string, separates: (letter: string) => boolean) {
  const parts: { from: number; to: number }[] = []
  let depth = 0
  let from = 0
  for (let at = 0; at <= text.length; at++) {
    const letter = text[at]
    if (letter === '(') depth++
    if (letter === ')') depth = Math.max(0, depth - 1)
    if (letter !== undefined && (depth > 0 || !separates(letter))) continue
    const part = text.slice(from, at)
    const lead = part.length - part.trimStart().length
    if (part.trim() !== '') parts.push({ from: from + lead, to: from + lead + part.trim().length })
    from = at + 1
  }
  return parts
}

/** YAML reads `[Agent(a, b), Read]` without quotes as three entries; two are meant. */
export function joinBrackets(entries: readonly string[]): readonly string[] {
  const joined: string[] = []
  let parts: string[] = []
  let depth = 0
  for (const entry of entries) {
    parts.push(entry)
    for (const letter of entry) depth += letter === '(' ? 1 : letter === ')' ? -1 : 0
    if (depth > 0) continue
    joined.push(parts.join(', '))
    parts = []
    depth = 0
  }
  return parts.length === 0 ? joined : [...joined, parts.join(', ')]
}
