/** A transcript as text, for the clipboard. */

import type { TranscriptRow } from '../../../shared/events/transcript-row.ts'
import { rowText } from '../../../shared/transcript/transcript-rows.ts'
import { stripTerminal } from '../../ui/ansi.ts'

const SPEAKERS = { user: 'You', parent: 'Task', agent: 'Another agent', runtime: 'Troupe' } as const

/** Markdown: messages unchanged, each tool call as a line with its output in a code block. */
export function transcriptText(rows: readonly TranscriptRow[], agentName: string): string {
  return rows
    .map((row) => textOfRow(row, agentName))
    .filter((text) => text !== '')
    .join('\n\n')
}

function textOfRow(row: TranscriptRow, agentName: string): string {
  switch (row.kind) {
    case 'user':
      return `**${SPEAKERS[row.from]}:** ${row.text}`
    case 'text':
      return `**${agentName}:** ${row.text}`
    case 'thinking':
      return row.text.replace(/^/gm, '> ')
    case 'tool': {
      const output = stripTerminal(rowText({ ...row, name: '', summary: '' }))
      const line = `- ${row.name} \`${row.summary}\`${row.note === '' ? '' : ` (${row.note})`}`
      return output === '' ? line : `${line}\n${fenced(output)}`
    }
    case 'request':
      return `_${rowText(row)}${row.decision === null ? '' : ` (${row.decision})`}_`
    case 'retry':
    case 'notice':
    case 'ended':
    case 'work':
      return `_${rowText(row)}_`
    case 'instructions':
      return `_Loaded: ${rowText(row).replaceAll('\n', ', ')}_`
    case 'agents':
      return ''
  }
}

/** A fence longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}
