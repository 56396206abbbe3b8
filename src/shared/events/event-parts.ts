/** What each noun says of its events beside their shape: how they change the state of their agent, and which rows show them. */
import type { AgentEvent, AgentEventType, AgentState, EventOf } from './agent-event.ts'
import type { RowBase, RowChange, TranscriptRow } from './transcript-row.ts'

/** The part of each event of a noun. An event without a fold changes nothing; one without rows has none. */
export type EventParts<T extends AgentEventType> = {
  readonly [K in T]: {
    /** What of the state changes. */
    readonly fold?: (state: AgentState, event: EventOf<K>) => Partial<AgentState>
    /** In the order of the transcript. */
    readonly rows?: (event: EventOf<K>) => readonly RowChange[]
  }
}

/** A row without its base. */
type RowContent<R = TranscriptRow> = R extends unknown ? Omit<R, keyof RowBase> : never

/** A new row. `part` tells the rows of one event apart. */
export function newRow({ seq, at }: AgentEvent, part: string | number, row: RowContent): RowChange {
  return { op: 'add', row: { key: `${seq}:${part}`, at, seq, ...row } as TranscriptRow }
}

/** A row with a sentence for the user. */
export function noticeRow(
  event: AgentEvent,
  text: string,
  level: 'info' | 'warning' | 'error' = 'info',
): readonly RowChange[] {
  return [newRow(event, 'notice', { kind: 'notice', level, text })]
}

/** A row with the instruction files that the agent received; none without files. */
export function instructionRow(
  event: AgentEvent,
  files: EventOf<'instructions-loaded'>['files'],
): readonly RowChange[] {
  return files.length === 0 ? [] : [newRow(event, 'instructions', { kind: 'instructions', files })]
}
