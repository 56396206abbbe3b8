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
