/** The searchable text of a row: the text that the row shows when it is open, in the same order. */

import type { ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { reportIn, textOf, withoutFrame } from '../../../../shared/messages/text-of.ts'
import { rowText, sentText } from '../../../../shared/transcript/transcript-rows.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { stripTerminal } from '../../../ui/ansi.ts'
import { fileOfLink } from '../markdown/file-references.ts'
import { safeUrl } from '../markdown/lock-down.ts'
import { inputParts, summaryOfInput } from '../rows/tool-input.ts'

interface SearchText {
  /** Visible while the row is closed. */
  readonly head: string
  /** Visible when the row is open. */
  readonly body: string
}

export function searchText(row: TranscriptRow): SearchText {
  switch (row.kind) {
    case 'text':
      return body(markdownText(row.text))
    case 'user':
      if (row.from === 'user')
        return row.typed === undefined ? body(row.text) : { head: row.typed, body: row.text }
      return body(
        markdownText(
          row.from === 'agent'
            ? withoutFrame(row.text)
            : row.from === 'runtime' && row.sender !== null
              ? reportIn(row.text)
              : row.text,
        ),
      )
    case 'tool':
      return toolText(row)
    case 'agents':
      return body(agentsText(row.toolUseIds, row.failures))
    case 'request':
      return { head: row.decision === null ? '' : `${rowText(row)}\n${row.feedback ?? ''}`, body: '' }
    case 'thinking':
    case 'notice':
      return body(row.text)
    case 'instructions':
      return body(rowText(row))
    case 'retry':
    case 'ended':
    case 'work':
      return { head: rowText(row), body: '' }
  }
}

const body = (text: string): SearchText => ({ head: '', body: text })

function toolText(row: ToolRow): SearchText {
  if (row.display?.kind === 'message') return body(markdownText(sentText(row)))
  const { path, command, fields } = inputParts(row)
  return {
    head: `${row.call.label}\0${row.summary === '' ? summaryOfInput(row.input) : row.summary}`,
    body: [path ?? '', command ?? fields, outputOf(row)].join('\0'),
  }
}

function outputOf({ display, status, content }: ToolRow): string {
  if (display?.kind === 'diff' && status !== 'failed')
    return display.patch.replace(/^(?:@@.*|\\.*|[ +-])/gm, '').replaceAll('\n', '\0')
  if (display?.kind === 'todos') return display.todos.map((todo) => todo.content).join('\0')
  return content === null ? '' : stripTerminal(textOf(content))
}

/** The reports of the agents that a card shows. */
function agentsText(toolUseIds: readonly string[], failures: Readonly<Record<string, string>>): string {
  const { agents, childrenByToolUse } = useConversation.getState()
  return toolUseIds
    .map((id) => {
      const agent = agents.get(childrenByToolUse.get(id) ?? '')
      if (agent === undefined) return failures[id] ?? ''
      return `${agent.definition.name}\0${agent.task}\0${agent.endedAt === null ? '' : markdownText(agent.report)}`
    })
    .join('\0')
}

/** Lower case, with every white space as a space. The length stays the same, so that positions stay valid. */
export function foldCase(text: string): string {
  const lower = text.toLowerCase()
  const same =
    lower.length === text.length
      ? lower
      : text.replace(/[\s\S]/g, (unit) => (unit.toLowerCase().length === 1 ? unit.toLowerCase() : unit))
  return same.replace(/\s/g, ' ')
}

/** The positions of a folded query in a text, without overlaps. */
export function positionsOf(wanted: string, text: string): readonly number[] {
  if (wanted === '') return []
  const folded = foldCase(text)
  const found: number[] = []
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + wanted.length))
    found.push(at)
  return found
}

// The words of a markdown text as the window shows them, without parsing: a search reads thousands of messages.

/** Ends a block or a table cell. No query contains this character, so no match crosses it. */
const END = '\0'
const FENCE = /^[\s>*+\-\d.)]*(`{3,}|~{3,})/
const BLOCK_MARK = /^\s*(?:(?:>|[-*+](?=\s)|\d{1,9}[.)](?=\s)|#{1,6}(?=\s))\s*)*(?:\[[ xX]\]\s+)?/
/** The patterns take quadratic time, so longer lines lose only the most common marks. */
const LONGEST_LINE = 2000
const DELIMITER = /^[\s>]*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/

export function markdownText(text: string): string {
  let fence: string | null = null
  const shown: string[] = []
  for (const line of text.split('\n')) {
    const mark = FENCE.exec(line)?.[1]
    if (mark !== undefined && (fence === null || mark.startsWith(fence))) {
      fence = fence === null ? mark : null
      shown.push(END)
    } else if (fence !== null) shown.push(line)
    else if (line.trim() === '' || (line.length < 1000 && DELIMITER.test(line))) shown.push(END)
    else shown.push(inline(line.replace(BLOCK_MARK, '')))
  }
  return shown.join('\n')
}

/** One line without the marks of emphasis, code and links. Code keeps its text. */
function inline(line: string): string {
  if (!/[`*_~[\\&|<]/.test(line)) return line
  if (line.length > LONGEST_LINE) return line.replace(/`|\*\*/g, '')
  return line
    .split(/(`+(?!`).*?[^`]`+(?!`))/)
    .map((part, index) => (index % 2 === 1 ? part.replace(/^`+ ?|`+$/g, '') : prose(part)))
    .join('')
}

function prose(text: string): string {
  return text
    .replace(/\\([!-/:-@[-`{-~])/g, (_, mark: string) => String.fromCharCode(ESCAPED + mark.charCodeAt(0)))
    .replace(/!?\[([^[\]]*)\]\(<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)?)>?(?:\s+["'(][^)]*)?\)/g, linkText)
    .replace(/<((?:https?:|mailto:)[^>\s]+)>/g, '$1')
    .replace(/(\*{1,3}|~~)(?=\S)([^*~]*[^\s*~])\1/g, '$2')
    .replace(/(\*{1,3}|~~)(?=\S)([^*~]*[^\s*~])\1/g, '$2')
    .replace(/(?<![\w\\])(_{1,3})(?=\S)([^_]*[^\s_])\1(?!\w)/g, '$2')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: keyof typeof ENTITIES) => ENTITIES[name])
    .replaceAll('|', END)
    .replace(/[\uE000-\uE07F]/g, (mark) => String.fromCharCode(mark.charCodeAt(0) - ESCAPED))
}

/** Escaped marks are private characters until the other marks are gone. */
const ESCAPED = 0xe000

const ENTITIES = { amp: '&', lt: '<', gt: '>', quot: '"' } as const

/** A blocked address is shown behind the link's text. */
function linkText(link: string, shown: string, target: string): string {
  const allowed = (target === '' || target.startsWith('#') || safeUrl(target)) ?? fileOfLink(target)
  return link.startsWith('!') || allowed ? shown : `${shown} (${target})`
}
