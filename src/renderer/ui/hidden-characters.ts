/**
 * Finds the characters that change what a reader sees without being seen: control characters,
 * direction overrides, zero-width and unusual spaces. Text from a model is shown with these spelt out.
 */

/** A piece of text, or one character that would not be seen, with the name to show in its place. */
export type VisibleRun =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'hidden'; readonly text: string; readonly label: string }

/** Splits a text at its hidden characters. Line breaks and tabs count as text. */
export function visibleRuns(text: string): readonly VisibleRun[] {
  const runs: VisibleRun[] = []
  let start = 0
  for (const match of text.matchAll(HIDDEN)) {
    if (match.index > start) runs.push({ kind: 'text', text: text.slice(start, match.index) })
    runs.push({ kind: 'hidden', text: match[0], label: labelOf(match[0]) })
    start = match.index + match[0].length
  }
  if (start < text.length || runs.length === 0) runs.push({ kind: 'text', text: text.slice(start) })
  return runs
}

/** The text with every hidden character replaced by its name in brackets: for titles and labels. */
export function visibleText(text: string): string {
  return text.replace(HIDDEN, (character) => `[${labelOf(character)}]`)
}

/**
 * C0 without tab and line feed, DEL, C1; soft hyphen, no-break space, Arabic letter mark, fillers, unusual
 * spaces, zero-width characters, line separators, direction controls, tags and variation selectors 17 to 256.
 */
const HIDDEN =
  /[\0-\x08\v-\x1f\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]/gu

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\0', 'NUL'],
  ['\x07', 'BEL'],
  ['\b', 'BS'],
  ['\r', 'CR'],
  ['\x1b', 'ESC'],
  ['\x7f', 'DEL'],
  ['\xa0', 'NBSP'],
  ['\xad', 'SHY'],
  ['\u200b', 'ZWSP'],
  ['\u200c', 'ZWNJ'],
  ['\u200d', 'ZWJ'],
  ['\u200e', 'LRM'],
  ['\u200f', 'RLM'],
  ['\u202a', 'LRE'],
  ['\u202b', 'RLE'],
  ['\u202c', 'PDF'],
  ['\u202d', 'LRO'],
  ['\u202e', 'RLO'],
  ['\u2066', 'LRI'],
  ['\u2067', 'RLI'],
  ['\u2068', 'FSI'],
  ['\u2069', 'PDI'],
  ['\ufeff', 'BOM'],
])

function labelOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return NAMES.get(character) ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}
