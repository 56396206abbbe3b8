/**
 * Long pasted text in a message. The composer shows it as a chip; the model gets it behind the message, in a tag that
 * the text itself does not contain.
 */

/** Characters of a message with all its pasted text. */
export const LONGEST_MESSAGE = 1_000_000
/** Characters that a pasted text can have at all. */
export const LONGEST_PASTE = 10_000_000

/** Pasted text of this size or more becomes a chip. */
const LONG_CHARACTERS = 4000
const LONG_LINES = 50

/** Whether pasted text is too long for a text field. */
export function isLongPaste(text: string): boolean {
  return text.length >= LONG_CHARACTERS || lineCount(text) >= LONG_LINES
}

/** The number of lines; a line break at the end adds none. */
export function lineCount(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < text.length - 1; at = text.indexOf('\n', at + 1))
    lines += 1
  return lines
}

/** The message with its pasted texts, as the model gets it. */
export function withPasted(text: string, pasted: readonly string[]): string {
  let number = 0
  const sections = pasted.map((content) => {
    do number += 1
    while (content.includes(`pasted-text-${number}>`))
    return `<pasted-text-${number} lines="${lineCount(content)}">\n${content}\n</pasted-text-${number}>`
  })
  return [text, ...sections].filter((part) => part !== '').join('\n\n')
}

/** Takes a message of `withPasted` apart again. */
export function splitPasted(message: string): { readonly text: string; readonly pasted: readonly string[] } {
  const pasted: string[] = []
  const text = message.replace(SECTION, (_section, _number, content: string) => {
    pasted.push(content)
    return ''
  })
  return { text, pasted }
}

const SECTION =
  /(?:^|\n\n)<pasted-text-(\d+) lines="\d+">\n([\s\S]*?)\n<\/pasted-text-\1>(?=\n\n<pasted-text-|$)/g
