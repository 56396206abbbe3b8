/** The rows of a transcript. The list grows in place: an append costs the same at row 100,000 as at row 1. */
import type { AgentEvent, LiveEvent } from '../events/agent-event.ts'
import {
  type AgentsRow,
  type RequestRow,
  type ToolRow,
  type TranscriptRow,
  toolKey,
} from '../events/transcript-row.ts'
import { textOf } from '../messages/text-of.ts'
import { rowsOf } from '../state/agent-state.ts'
import { formatWork } from '../worktrees/format-work.ts'

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

  /** The indexes of the rows that an applied event added or changed. */
  changedBy(event: AgentEvent): readonly number[] {
    return rowsOf(event).flatMap(
      (change) => this.indexOf.get(change.op === 'add' ? change.row.key : change.key) ?? [],
    )
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
  const failures = { ...row.failures, [id]: startFailure(change.note ?? '', textOf(change.content ?? '')) }
  const { display = null } = change
  return display?.kind === 'not-started'
    ? { ...row, failures, notStarted: { ...row.notStarted, [id]: display.limit } }
    : { ...row, failures }
}

/**
 * Why a call started no agent, for the user. The result is written for the model, so that only the note of a refusal counts;
 * a failure with another note, such as a git error, has its own text.
 */
function startFailure(note: string, result: string): string {
  return REFUSALS.has(note) ? note : result
}

const REFUSALS: ReadonlySet<string> = new Set([
  'limit reached',
  'not started',
  'denied',
  'unknown agent',
  'no tools',
  'name taken',
  'no team',
  'stopped',
])

/** The message of a call that sends one, by either name of its field; the call's summary otherwise. */
export function sentText({ input, summary }: Pick<ToolRow, 'input' | 'summary'>): string {
  const fields: { readonly message?: unknown; readonly content?: unknown } =
    typeof input === 'object' && input !== null ? input : {}
  const message = fields.message ?? fields.content
  return typeof message === 'string' ? message : summary
}

/** The plain text of a row, for copying, finding and the command line. */
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

/** A page of a transcript, oldest event first. */
export interface TranscriptPage {
  readonly events: readonly AgentEvent[]
  /** Whether there are older events. */
  readonly older: boolean
  /** The live events of the message that is streaming, from its start. */
  readonly live: readonly LiveEvent[]
}
