/** The rows of a transcript. The list grows in place: an append costs the same at row 100,000 as at row 1. */
import type { AgentEvent } from '../events/agent-event.ts'
import { textOf } from '../messages/text-of.ts'
import { rowsOf } from './rows-of-event.ts'
import {
  type AgentsRow,
  type RequestRow,
  type ToolRow,
  type TranscriptRow,
  toolKey,
} from './transcript-row.ts'

export class TranscriptRows {
  readonly rows: TranscriptRow[] = []
  private readonly indexOf = new Map<string, number>()

  /** Applies one event. A change to a row on an older page is dropped. */
  apply(event: AgentEvent): void {
    for (const change of rowsOf(event)) {
      if (change.op === 'add') {
        if (this.indexOf.has(change.row.key)) continue
        this.indexOf.set(change.row.key, this.rows.length)
        if (change.row.kind === 'agents')
          for (const id of change.row.toolUseIds) this.indexOf.set(toolKey(id), this.rows.length)
        this.rows.push(change.row)
        continue
      }
      const index = this.indexOf.get(change.key)
      const row = index === undefined ? undefined : this.rows[index]
      if (index === undefined || !row) continue
      this.rows[index] =
        row.kind === 'agents'
          ? withFailure(row, change.key, change.with)
          : ({ ...row, ...change.with } as TranscriptRow)
    }
  }

  /** The rows of these events, oldest first. */
  static from(events: Iterable<AgentEvent>): TranscriptRows {
    const rows = new TranscriptRows()
    for (const event of events) rows.apply(event)
    return rows
  }
}

function withFailure(row: AgentsRow, key: string, change: Partial<ToolRow> | Partial<RequestRow>): AgentsRow {
  const id = row.toolUseIds.find((toolUseId) => toolKey(toolUseId) === key)
  if (id === undefined || !('status' in change) || change.status !== 'failed') return row
  return { ...row, failures: { ...row.failures, [id]: textOf(change.content ?? '') } }
}
