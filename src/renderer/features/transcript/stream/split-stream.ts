/**
 * Splits a growing markdown text into finished blocks and one growing block. Finished blocks never change, so each is
 * parsed and rendered once.
 */
import { parseMarkdownIntoBlocks } from 'streamdown'

/** The block at the end. Open code needs no parser. */
type GrowingBlock =
  | { readonly kind: 'markdown'; readonly text: string }
  | { readonly kind: 'code'; readonly language: string; readonly code: string }

interface SplitText {
  /** Grows in place; an element never changes. */
  readonly finished: readonly string[]
  readonly growing: GrowingBlock
}

/** A longer list is split between its items, because each word would parse the whole list. */
const LONG_LIST = 1500

/** Splits one text as it grows. A text that does not start with the previous text is split from its start. */
export class StreamSplitter {
  private finished: string[] = []
  private consumed = ''

  read(text: string): SplitText {
    if (!text.startsWith(this.consumed)) {
      this.finished = []
      this.consumed = ''
    }
    let rest = text.slice(this.consumed.length)
    const open = openFence(rest)
    if (open) return { finished: this.finished, growing: open }
    const blocks = parseMarkdownIntoBlocks(rest)
    const last = blocks.findLastIndex((block) => block.trim() !== '')
    if (last > 0 && blocks.join('') === rest) {
      for (const block of blocks.slice(0, last)) this.finish(block)
      rest = blocks.slice(last).join('')
    }
    const cut = rest.length > LONG_LIST ? lastItem(rest) : 0
    if (cut > 0) {
      this.finish(rest.slice(0, cut))
      rest = rest.slice(cut)
    }
    return { finished: this.finished, growing: openFence(rest) ?? { kind: 'markdown', text: rest } }
  }

  private finish(block: string): void {
    this.consumed += block
    if (block.trim() !== '') this.finished.push(block)
  }
}

/** The code of an unclosed fence at the start of the text, if any. */
function openFence(text: string): GrowingBlock | null {
  const start = /^\s*?(`{3,}|~{3,})[ \t]*([^\n`]*)\n/.exec(text)
  const fence = start?.[1]
  if (!start || fence === undefined || /^ {4}/.test(text)) return null
  const code = text.slice(start[0].length)
  const close = new RegExp(`(?:^|\\n) {0,3}${fence[0]}{${fence.length},}[ \\t]*(?:\\n|$)`)
  if (close.test(code)) return null
  return { kind: 'code', language: (start[2] ?? '').trim().split(/\s/)[0] ?? '', code }
}

/** The start of the last item if the text is a list, else 0. */
function lastItem(text: string): number {
  if (!/^(?:[-*+]|\d{1,9}[.)])\s/.test(text)) return 0
  let cut = 0
  for (const match of text.matchAll(/\n(?=(?:[-*+]|\d{1,9}[.)])\s)/g)) cut = match.index + 1
  // A fence inside an item may hold lines that look like items.
  return /```|~~~/.test(text) ? 0 : cut
}

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

/** Shows a streaming table row by row: the row that still streams is left out. */
const PIPE_LINE = /^[ \t>]*\|/
const DELIMITER = /^[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/
/** A longer line is no delimiter. The bound keeps the search fast in hostile text. */
const LONGEST_DELIMITER = 1000
const DELIMITER_START = /^[ \t>]*[|:\- \t]*$/

/**
 * A growing text without its unfinished table row. A table appears with its first complete row, which decides the widths
 * of its columns.
 */
export function wholeRows(text: string): string {
  if (!text.includes('|')) return text
  const start = text.lastIndexOf('\n\n') + 1
  const lines = text.slice(start).split('\n')
  const kept = keptLines(lines)
  if (kept === lines.length || isInFence(text)) return text
  return text.slice(0, start) + lines.slice(0, kept).join('\n') + (kept === 0 ? '' : '\n')
}

/** The number of lines to show, of the lines after the last empty line. The last line is unfinished. */
function keptLines(lines: readonly string[]): number {
  const finished = lines.length - 1
  const delimiter = lines.findIndex(
    (line, index) =>
      line.length <= LONGEST_DELIMITER && lines[index - 1]?.includes('|') && DELIMITER.test(line),
  )
  if (delimiter !== -1) return finished > delimiter + 1 ? finished : delimiter - 1
  // A line that starts with a pipe can become the head of a table.
  const head = lines.findLastIndex(
    (line, index) => PIPE_LINE.test(line) && !PIPE_LINE.test(lines[index - 1] ?? ''),
  )
  if (head === -1) return lines.length
  const after = lines.slice(head + 1)
  return after.length <= 1 && after.every((line) => DELIMITER_START.test(line)) ? head : lines.length
}

function isInFence(text: string): boolean {
  return (text.match(/^[ \t>]*(?:```|~~~)/gm) ?? []).length % 2 === 1
}
