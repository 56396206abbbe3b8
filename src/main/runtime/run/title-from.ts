/** The title of a conversation until the user names it: the first sentence of its first message. No model is asked. */

import type { UserBlock } from '../../../shared/messages/content.ts'
import { textOf } from '../../../shared/messages/text-of.ts'

const LONGEST_TITLE = 60
/** A shorter sentence ("Ok.") says too little alone. */
const SHORTEST_SENTENCE = 8
/** The title comes from the start of the message. */
const CHARACTERS_READ = 4000

/** At most 60 characters: without markup, greetings, folders of paths and details of addresses. */
export function titleFrom(content: readonly UserBlock[]): string {
  const text = textOf([...content])
    .slice(0, CHARACTERS_READ)
    .replace(/^<pasted-text-\d+ lines="\d+">$/gm, '')
  const line =
    firstLine(text.replace(/```[^\n]*\n[\s\S]*?(?:```|$)/g, '\n')) ||
    firstLine(text) ||
    (text.trim().split('\n')[0] ?? '')
  if (line === '') return 'A picture'
  return shorten(firstSentence(withoutGreeting(line)))
}

/** The first line with a letter or digit, without markup. */
function firstLine(text: string): string {
  for (const line of text.split('\n')) {
    const plain = withShortPaths(withoutMarkup(line)).replace(/\s+/g, ' ').trim()
    if (/[\p{L}\p{N}]/u.test(plain)) return plain
  }
  return ''
}

function withoutMarkup(line: string): string {
  if (line.startsWith('```')) return ''
  return line
    .replace(/[\p{Cc}\p{Cf}]/gu, (character) =>
      character === '\t' || character === '\u200D' ? character : '',
    )
    .replace(/^\s*(?:#{1,6}|>+|[-*+]|\d+[.)])\s+/, '')
    .replace(/!?\[([^\]\n]{0,500})\]\([^)\n]{0,500}\)/g, '$1')
    .replace(/\*\*|__|`+|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)/g, '')
}

/** An address becomes its host; a path becomes its last part, without the line number. */
function withShortPaths(line: string): string {
  return line.replace(/\S+/g, (word) => {
    const host = /^https?:\/\/([^/?#]+)/.exec(word)?.[1]
    if (host !== undefined) return host
    const isPath =
      /^@?(?:~|\.{0,2})\/.+\/|^@?[A-Za-z]:\\|^@/.test(word) || /[/\\][^/\\]+\.\w+(?::\d+)*$/.test(word)
    return isPath ? (word.split(/[/\\]/).at(-1) || word).replace(/^@/, '').replace(/(?::\d+)+$/, '') : word
  })
}

const GREETING = /^(?:(?:hi|hello|hey|please|thanks)\b[\s,!.]+|(?:can|could|would|will) you\s+)(?=\S)/i

function withoutGreeting(line: string): string {
  let rest = line
  while (GREETING.test(rest)) rest = rest.replace(GREETING, '')
  // A name of a file or a symbol keeps its case.
  return /^\p{Ll}+(?:\s|$)/u.test(rest) && rest !== line ? capitalized(rest) : rest
}

function firstSentence(line: string): string {
  for (const end of line.matchAll(/[.!?](?=\s+\p{Lu})|[。！？]/gu)) {
    if (end.index < SHORTEST_SENTENCE) continue
    return line.slice(0, end.index + 1).replace(/[.。]$/, '')
  }
  return line.replace(/[.。]$/, '')
}

/** Ends at a word where one ends in the second half. */
function shorten(sentence: string): string {
  if (sentence.length <= LONGEST_TITLE) return sentence
  const cut = sentence.slice(0, LONGEST_TITLE - 1)
  const end = /\s/.test(sentence.charAt(cut.length)) ? cut.length : cut.search(/\s+\S*$/)
  // Half of a character from two code units is dropped.
  return `${(end > LONGEST_TITLE / 2 ? cut.slice(0, end) : cut).replace(/[\uD800-\uDBFF]$/, '').trimEnd()}…`
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
