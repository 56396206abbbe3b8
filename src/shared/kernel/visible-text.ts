/**
 * Makes text from a model or a file safe to read: characters that hide, reorder or erase the text around them are
 * replaced by their names. The user must see exactly what an approval allows.
 */

/**
 * The same text with control, bidirectional, invisible and look-alike space characters written out as
 * `⟨RLO⟩` or `⟨U+2066⟩`. Line breaks (also CR LF) and tabs stay, and so do joiners inside an emoji.
 */
export function makeVisible(text: string): string {
  return text.replace(HIDDEN, (character, ...rest) => {
    const offset = rest.at(-2) as number
    if (character === '\r' && text[offset + 1] === '\n') return character
    if (character === JOINER && joinsEmoji(text, offset)) return character
    return nameOf(character.codePointAt(0) ?? 0)
  })
}

/** The written-out name of a hidden character, as `makeVisible` leaves it. */
export const HIDDEN_NAME = /⟨([A-Z]{2,4}|U\+[0-9A-F]{4,6})⟩/

/** Whether the text has hidden characters, or had them before `makeVisible`. */
export function hasHiddenCharacters(text: string): boolean {
  return HIDDEN_NAME.test(makeVisible(text))
}

/**
 * The same text with the characters written out that control a terminal or change the reading direction. Line breaks
 * (also CR LF), tabs and the characters of all languages stay.
 */
export function makeTerminalSafe(text: string): string {
  return text.replace(UNSAFE, (character, offset: number) =>
    character === '\r' && text[offset + 1] === '\n' ? character : nameOf(character.charCodeAt(0)),
  )
}

/** JSON text with the same characters escaped. They occur in its strings only, so its value stays. */
export function escapeUnsafe(json: string): string {
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** C0 without tab and line feed, DEL and C1, bidirectional characters, line and paragraph separators. */
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/**
 * C0 without tab and line feed, DEL and C1, soft hyphen, spaces that only look like one, fillers,
 * zero-width and bidirectional characters, line and paragraph separators, tags, variation selectors
 * of the supplement, noncharacters' replacement objects, and halves of surrogate pairs.
 */
const HIDDEN = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u17b4\\u17b5',
    '\\u180b-\\u180f\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u2800\\u3000\\u3164\\ufe00-\\ufe0e\\ufeff\\uffa0',
    '\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]|\\p{Surrogate}',
  ].join(''),
  'gu',
)

const JOINER = '\u200d'
const BEFORE_JOINER = /\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u
const AFTER_JOINER = /^\p{Extended_Pictographic}/u

function joinsEmoji(text: string, offset: number): boolean {
  return (
    BEFORE_JOINER.test(text.slice(Math.max(0, offset - 4), offset)) &&
    AFTER_JOINER.test(text.slice(offset + 1, offset + 3))
  )
}

const NAMES: Readonly<Record<string, string>> = {
  '0000': 'NUL',
  '0007': 'BEL',
  '0008': 'BS',
  '000C': 'FF',
  '000D': 'CR',
  '001B': 'ESC',
  '007F': 'DEL',
  '00A0': 'NBSP',
  '200B': 'ZWSP',
  '200C': 'ZWNJ',
  '200D': 'ZWJ',
  '200E': 'LRM',
  '200F': 'RLM',
  '202A': 'LRE',
  '202B': 'RLE',
  '202C': 'PDF',
  '202D': 'LRO',
  '202E': 'RLO',
  '2066': 'LRI',
  '2067': 'RLI',
  '2068': 'FSI',
  '2069': 'PDI',
  FEFF: 'BOM',
}

function nameOf(codePoint: number): string {
  const hex = codePoint.toString(16).toUpperCase().padStart(4, '0')
  return `⟨${NAMES[hex] ?? `U+${hex}`}⟩`
}
