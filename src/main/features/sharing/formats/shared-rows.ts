/** The rows of transcripts as they are shared: texts only, without colors of a terminal. */
import type { AgentEvent } from '../../../../shared/events/agent-event.ts'
import type { ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { countOf } from '../../../../shared/kernel/amounts.ts'
import { textOf, withoutFrame } from '../../../../shared/messages/text-of.ts'
import type { SharedRow } from '../../../../shared/sharing/page-data.ts'
import { rowText, TranscriptRows } from '../../../../shared/transcript/transcript-rows.ts'
import { createPlainOutput } from '../../../platform/shell/plain-output.ts'
import type { SharedConversation } from '../shared-conversation.ts'

/** Rows of agents as their events are read: no more of them are in memory than one turn of each agent has. */
export interface RowReader {
  /** @returns the rows of the agent that change no more */
  take(event: AgentEvent): readonly SharedRow[]
  /** The rows that are left. */
  end(): readonly { readonly agentId: string; readonly rows: readonly SharedRow[] }[]
}

export function createRowReader({
  states,
  nameOf,
}: Pick<SharedConversation, 'states' | 'nameOf'>): RowReader {
  const started = new Map(states.map(({ id, parentToolUseId }) => [parentToolUseId, id]))
  const turns = new Map<string, TranscriptRows>()
  const shared = (rows: readonly TranscriptRow[]) =>
    rows.flatMap((row) => {
      const one = sharedRow(row, { nameOf, startedBy: (toolUseId) => started.get(toolUseId) ?? null })
      return one === null ? [] : [one]
    })
  return {
    take(event) {
      const { agentId } = event
      // A request is made once all calls before it have their results: the rows before it change no more.
      const done = event.type === 'request-started' ? (turns.get(agentId)?.rows ?? []) : []
      const turn = (done.length > 0 ? undefined : turns.get(agentId)) ?? new TranscriptRows()
      turns.set(agentId, turn)
      turn.apply(event)
      return shared(done)
    },
    end: () => [...turns].map(([agentId, { rows }]) => ({ agentId, rows: shared(rows) })),
  }
}

/** Agents by their ids, and by the calls that started them. */
interface Names {
  readonly nameOf: (id: string) => string
  readonly startedBy: (toolUseId: string) => string | null
}

function sharedRow(row: TranscriptRow, names: Names): SharedRow | null {
  const base = { seq: row.seq, at: row.at }
  const note = (text: string, failed = false): SharedRow => ({ ...base, kind: 'note', text, failed })
  switch (row.kind) {
    case 'user':
      return {
        ...base,
        kind: 'message',
        from: row.from === 'agent' && row.sender !== null ? names.nameOf(row.sender) : SPEAKERS[row.from],
        text: withoutFrame(row.typed ?? row.text),
        images: row.images.map(({ source }) => `data:${source.media_type};base64,${source.data}`),
      }
    case 'text':
    case 'thinking':
      return { ...base, kind: row.kind, text: row.text }
    case 'tool':
      return { ...base, kind: 'call', ...callOf(row) }
    case 'request':
      return note(`Permission: ${rowText(row)}${row.decision === null ? '' : ` (${row.decision})`}`)
    case 'retry':
      return note(rowText(row), true)
    case 'notice':
      return note(row.text, row.level === 'error')
    case 'ended':
      return note(rowText(row), row.failure !== null)
    case 'work':
      return note(rowText(row))
    case 'instructions':
      return note(
        `Loaded: ${row.files.map(({ path }) => path).join(', ')} (${countOf(row.files.length, 'file')})`,
      )
    case 'agents': {
      const ids = row.toolUseIds.flatMap((id) => names.startedBy(id) ?? [])
      const failures = Object.values(row.failures)
      return ids.length + failures.length === 0 ? null : { ...base, kind: 'agents', ids, failures }
    }
  }
}

const SPEAKERS = { user: 'You', parent: 'Task', agent: 'Another agent', runtime: 'Troupe' } as const

function callOf(row: ToolRow): Omit<Extract<SharedRow, { readonly kind: 'call' }>, 'kind' | 'seq' | 'at'> {
  const { display, content, input, status, note, call, summary } = row
  const isDiff = display?.kind === 'diff'
  const given = typeof input === 'object' && input !== null ? JSON.stringify(input, null, 2) : ''
  return {
    title: `${call.label} ${summary}`.trim(),
    note,
    failed: status === 'failed',
    input: isDiff || given === '{}' ? '' : given,
    output: isDiff || content === null ? '' : plain(textOf(content)),
    diff: isDiff
      ? { path: display.path, patch: display.patch.trimEnd(), added: display.added, removed: display.removed }
      : null,
  }
}

function plain(output: string): string {
  const reader = createPlainOutput()
  return (reader.push(output) + reader.end()).trimEnd()
}
