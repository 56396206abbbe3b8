/** The plain text of a row, for copying, finding and the command line. */

import { textOf } from '../messages/text-of.ts'
import { formatWork } from '../worktrees/format-work.ts'
import type { ToolRow, TranscriptRow } from './transcript-row.ts'

/** The message of a call that sends one, by either name of its field; the call's summary otherwise. */
export function sentText({ input, summary }: Pick<ToolRow, 'input' | 'summary'>): string {
  const fields: { readonly message?: unknown; readonly content?: unknown } =
    typeof input === 'object' && input !== null ? input : {}
  const message = fields.message ?? fields.content
  return typeof message === 'string' ? message : summary
}

export function rowText(row: TranscriptRow): string {
  switch (row.kind) {
    case 'user':
      return row.typed ?? row.text
    case 'text':
    case 'thinking':
    case 'notice':
      return row.text
    case 'tool':
      if (row.display?.kind === 'message') return `To ${row.display.to}: ${sentText(row)}`
      return [`${row.name} ${row.summary}`, row.content === null ? '' : textOf(row.content)].join('\n').trim()
    case 'request':
      return `${row.subject.action}: ${row.subject.text}`
    case 'retry':
      return row.failure.message
    case 'ended':
      return row.failure?.message ?? row.status
    case 'agents':
      return Object.values(row.failures).join('\n')
    case 'instructions':
      return row.files.map((file) => file.path).join('\n')
    case 'work':
      return [formatWork(row.work), ...row.work.problems].join('\n')
  }
}
