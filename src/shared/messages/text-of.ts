import type { ImageBlock, UserContent } from './content.ts'

/** The properties of a content block that this function reads. */
type Block = { readonly type: 'text'; readonly text: string } | { readonly type: string }

/** The text of the text blocks. In a separate file, so that the window reads messages without loading schemas. */
export function textOf(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content
  return content
    .filter((block): block is { type: 'text'; text: string } => block.type === 'text')
    .map((block) => block.text)
    .join('\n')
}

/** The content of a message of the user: its images, then its text. */
export const messageContent = (text: string, images: readonly ImageBlock[] = []): UserContent =>
  images.length === 0 ? text : [...images, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])]

// ---- messages to an agent are framed, so that it knows the sender; the window shows the sender in another way ----

/** The text of a message from an agent, without the frame; text without a frame unchanged. */
export function withoutFrame(text: string): string {
  return text.replace(/^A message from the agent [^\n]+\. An agent wrote this, not the user\.\n\n/, '')
}

/** The report of a background agent, without the frame; text without a frame unchanged. */
export function reportIn(notice: string): string {
  return notice
    .replace(/^An agent that worked in the background has ended(?: \([^\n]*\))?\.\n\n/, '')
    .replace(/^The agent [^\n]+ reports\. An agent wrote this, [^\n]+\n\n/, '')
    .replace(/\n\n\[agent [^\n\]]+\]$/, '')
}

// One line of plain text for places with little room: tiles and rows of agents.

/** A line of markdown without its markup; empty if the line is nothing but markup. Code keeps its characters. */
export function plainLine(line: string): string {
  const content = line
    .replace(/^\s*(?:```|~~~).*$|^[\s|:=*_-]+$/, '')
    .replace(/^\s*(?:(?:#{1,6}|>|[-*+]|\d+[.)])\s+)+(?:\[[ xX]\]\s+)?/, '')
  // With a capturing group, `split` alternates text and code.
  const parts = content.split(/`+([^`]+)`+/)
  return parts
    .map((part, index) => (index % 2 === 1 ? part : withoutMarks(part)))
    .join('')
    .replace(/\s+/g, ' ')
    .trim()
}

function withoutMarks(text: string): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)?/g, '$1')
    .replace(/`+|\*+(?=\S)|(?<=\S)\*+|~~|(?<!\w)_+|_+(?!\w)/g, '')
    .replace(/\s*\|\s*/g, ' ')
    .replace(/<\/?(?:b|i|em|strong|code|br|p|sub|sup|kbd|details|summary)\b[^>]*>/gi, '')
}

/** A sentence that has only begun has fewer characters, and says too little. */
const SHORTEST = 14

/**
 * Where a line of streamed text now is: its last sentence, from its start, so that it begins with a whole word. The sentence
 * before comes too while the last one has only begun.
 */
export function lastSentence(line: string): string {
  const sentences = line.split(/(?<=[.!?…:])\s+(?=\S)/)
  const last = sentences.at(-1) ?? ''
  const before = sentences.at(-2)
  return last.length < SHORTEST && before !== undefined ? `${before} ${last}` : last
}
