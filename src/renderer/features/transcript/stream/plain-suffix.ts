/**
 * Most streamed words are plain and can be appended to the rendered text without parsing the markdown again. This
 * module decides when the result is the same.
 */

export interface ParsedTail {
  /** The parsed text. */
  readonly base: string
  /** Plain words after the parsed text, at the caret. */
  readonly suffix: string
  /** Whether plain words may be appended to `base`. */
  readonly closed: boolean
}

/** Longer suffixes are parsed, so that small differences never last. */
const LONGEST_SUFFIX = 200

/** Letters, digits and marks without a meaning in the middle of a markdown line. */
const PLAIN = /^[\p{L}\p{M}\p{N} ,;'"’‘“”()?!.…–—%+=-]*$/u

/** The next state of the text, from the previous state. */
export function parseTail(before: ParsedTail | null, text: string): ParsedTail {
  if (before?.closed && text.startsWith(before.base)) {
    const suffix = text.slice(before.base.length)
    if (suffix.length <= LONGEST_SUFFIX && PLAIN.test(suffix) && !/\bwww\S*$/i.test(text))
      return suffix === before.suffix ? before : { ...before, suffix }
  }
  // The parser drops spaces at the end of a line, so they would be missing before the next word.
  const base = text.replace(/ +$/, '')
  return isClosed(base)
    ? { base, suffix: text.slice(base.length), closed: true }
    : { base: text, suffix: '', closed: false }
}

/** Whether appended words only continue the last line, because no mark is open. */
function isClosed(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1)
  if (line === '' || !/[\p{L}\p{N}\p{P}]$/u.test(line)) return false
  // The start of a line can still become a list, a heading, a table or the end of a table.
  if (!/^\s*(?:[-*+] |\d+[.)] |#{1,6} |> ?)*[\p{L}\p{N}(“"'`*]/u.test(line) || line.includes('|'))
    return false
  const paragraph = text.slice(text.lastIndexOf('\n\n') + 1)
  const prose = paragraph.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '')
  if (/[`\\<&]/.test(prose) || /\[(?![^[\]]*\])|\]\([^)]*$|\]$|!$/.test(prose)) return false
  const unmarked = prose.replace(/(\*\*|\*|__|_|~~)(?=\S)(?:(?!\1)[\s\S])*?\S\1/g, '')
  return !/[*_~]/.test(unmarked)
}
