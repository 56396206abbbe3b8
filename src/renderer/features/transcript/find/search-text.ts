/** The searchable text of a row: the text that the row shows when it is open, in the same order. */

import { reportIn, withoutFrame } from '../../../../shared/messages/message-frame.ts'
import { textOf } from '../../../../shared/messages/text-of.ts'
import { rowText, sentText } from '../../../../shared/transcript/row-text.ts'
import type { ToolRow, TranscriptRow } from '../../../../shared/transcript/transcript-row.ts'
import { useConversation } from '../../../stores/conversation-store.ts'
import { stripTerminal } from '../../../ui/ansi.ts'
import { summaryOfInput } from '../rows/input-summary.ts'
import { inputParts } from '../rows/tool-input.ts'
import { markdownText } from './markdown-text.ts'

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
