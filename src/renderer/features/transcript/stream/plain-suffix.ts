/**
 * Most words that stream in are plain: they can be put behind what is drawn already, without parsing the
 * markdown again. This says when that gives the same picture.
 */

export interface ParsedTail {
  /** What is parsed and drawn. */
  readonly base: string
  /** Plain words behind it, at the caret. */
  readonly suffix: string
  /** Whether plain words may be put behind `base`. */
  readonly closed: boolean
}

/** Longer ones are parsed after all, so that small differences never last. */
const LONGEST_SUFFIX = 200

/** Letters, digits and marks that mean nothing to markdown in the middle of a line. */
const PLAIN = /^[\p{L}\p{M}\p{N} ,;'"’‘“”()?!.…–—%+=-]*$/u

/** How to show the text, given how it was shown before. */
export function parseTail(before: ParsedTail | null, text: string): ParsedTail {
  if (before?.closed && text.startsWith(before.base)) {
    const suffix = text.slice(before.base.length)
    if (suffix.length <= LONGEST_SUFFIX && PLAIN.test(suffix) && !/\bwww\S*$/i.test(text))
      return suffix === before.suffix ? before : { ...before, suffix }
  }
  // Spaces at the end of a line are dropped by the parser, and would be missing before the next word.
  const base = text.replace(/ +$/, '')
  return isClosed(base)
    ? { base, suffix: text.slice(base.length), closed: true }
    : { base: text, suffix: '', closed: false }
}

/** Whether words put behind the text only go on with its last line: nothing is open that they belong to. */
function isClosed(text: string): boolean {
  const line = text.slice(text.lastIndexOf('\n') + 1)
  if (line === '' || !/[\p{L}\p{N}\p{P}]$/u.test(line)) return false
  // The start of a line can still become a list, a heading, a table or the end of one.
  if (!/^\s*(?:[-*+] |\d+[.)] |#{1,6} |> ?)*[\p{L}\p{N}(“"'`*]/u.test(line) || line.includes('|'))
    return false
  const paragraph = text.slice(text.lastIndexOf('\n\n') + 1)
  const prose = paragraph.replace(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '')
  if (/[`\\<&]/.test(prose) || /\[(?![^[\]]*\])|\]\([^)]*$|\]$|!$/.test(prose)) return false
  const unmarked = prose.replace(/(\*\*|\*|__|_|~~)(?=\S)(?:(?!\1)[\s\S])*?\S\1/g, '')
  return !/[*_~]/.test(unmarked)
}
