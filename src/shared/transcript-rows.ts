/**
 * The rows of a transcript: what an open panel draws. `rowsOf` says what one event adds or changes;
 * `TranscriptRows` applies that to a list that grows in place, so that an append costs the same at
 * row 100,000 as at row 1.
 */
import type {
  AgentEvent,
  EventOf,
  FailureInfo,
  LoadedInstructions,
  PermissionSubject,
  ToolDisplay,
} from './agent-event.ts'
import type { ImageBlock, TextBlock, ToolContent } from './content.ts'
import { textOf } from './text-of.ts'
import { workWords } from './work-words.ts'
import type { SavedWork } from './worktree.ts'

interface RowBase {
  /** Unique in its agent, the same after a reload. */
  readonly key: string
  readonly at: number
  /** The event that made it. */
  readonly seq: number
}

export interface ToolRow extends RowBase {
  readonly kind: 'tool'
  readonly toolUseId: string
  readonly name: string
  readonly input: unknown
  readonly summary: string
  readonly status: 'waiting' | 'running' | 'done' | 'failed'
  readonly note: string
  readonly content: ToolContent | null
  readonly display: ToolDisplay | null
  readonly outputFile: { readonly path: string; readonly bytes: number } | null
  readonly startedAt: number | null
  readonly durationMs: number | null
}

export interface PromptRow extends RowBase {
  readonly kind: 'prompt'
  readonly promptId: string
  readonly toolUseId: string
  readonly toolName: string
  readonly subject: PermissionSubject
  readonly because: string
  readonly alwaysRule: string | null
  readonly decision: EventOf<'permission-answered'>['decision'] | null
  readonly words: string | null
}

export interface AgentsRow extends RowBase {
  readonly kind: 'agents'
  readonly toolUseIds: readonly string[]
  /** What the calls that failed were told, by their id. */
  readonly failures: Readonly<Record<string, string>>
}

export type TranscriptRow =
  | (RowBase & {
      readonly kind: 'user'
      readonly from: EventOf<'user-message'>['from']
      readonly messageId: string
      /** The agent that wrote it, or of whose end the runtime tells. */
      readonly sender: string | null
      readonly text: string
      readonly images: readonly ImageBlock[]
    })
  | (RowBase & { readonly kind: 'text'; readonly text: string })
  | (RowBase & { readonly kind: 'thinking'; readonly text: string })
  | ToolRow
  /** The Agent calls of one message: the card that lists the agents they started. */
  | AgentsRow
  | PromptRow
  | (RowBase & {
      readonly kind: 'retry'
      readonly attempt: number
      readonly failure: FailureInfo
      readonly retryAt: number | null
    })
  | (RowBase & {
      readonly kind: 'notice'
      readonly level: 'info' | 'warning' | 'error'
      readonly text: string
    })
  /** What was in its worktree when it ended. */
  | (RowBase & { readonly kind: 'work'; readonly work: SavedWork })
  /** Files whose text the agent was given: at its start, or where it first touched their folder. */
  | (RowBase & { readonly kind: 'instructions'; readonly files: readonly LoadedInstructions[] })
  | (RowBase & {
      readonly kind: 'ended'
      readonly status: EventOf<'agent-ended'>['status']
      readonly failure: FailureInfo | null
      readonly reachedLimit: EventOf<'agent-ended'>['reachedLimit']
      readonly limitOf: EventOf<'agent-ended'>['limitOf']
    })

/** A row to add, or a change to the row with that key. */
export type RowChange =
  | { readonly op: 'add'; readonly row: TranscriptRow }
  | { readonly op: 'change'; readonly key: string; readonly with: Partial<ToolRow> | Partial<PromptRow> }

const AGENT_TOOL_NAMES: ReadonlySet<string> = new Set(['Agent', 'Task'])

export const toolKey = (toolUseId: string): string => `tool:${toolUseId}`
const promptKey = (promptId: string): string => `prompt:${promptId}`

/** What one event adds to the transcript's rows, in order. */
export function rowsOf(event: AgentEvent): readonly RowChange[] {
  const base = (part: string | number) => ({ key: `${event.seq}:${part}`, at: event.at, seq: event.seq })
  const add = (row: TranscriptRow): RowChange => ({ op: 'add', row })
  const notice = (text: string): RowChange => add({ ...base('notice'), kind: 'notice', level: 'info', text })
  switch (event.type) {
    case 'user-message':
      return [
        add({
          ...base('user'),
          kind: 'user',
          from: event.from,
          messageId: event.messageId,
          sender: event.sender,
          text: event.content
            .filter((block): block is TextBlock => block.type === 'text')
            .map((block) => block.text)
            .join('\n'),
          images: event.content.filter((block): block is ImageBlock => block.type === 'image'),
        }),
      ]
    case 'assistant-message':
      return assistantRows(event)
    case 'work-saved':
      return [add({ ...base('work'), kind: 'work', work: event.work })]
    case 'tool-started':
      return [
        {
          op: 'change',
          key: toolKey(event.toolUseId),
          with: { summary: event.summary, status: 'running', startedAt: event.at },
        },
      ]
    case 'tool-ended':
      return [
        {
          op: 'change',
          key: toolKey(event.toolUseId),
          with: {
            status: event.isError ? 'failed' : 'done',
            note: event.note,
            content: event.content,
            display: event.display,
            outputFile: event.outputFile,
            durationMs: event.durationMs,
          },
        },
      ]
    case 'permission-asked':
      return [
        add({
          key: promptKey(event.promptId),
          at: event.at,
          seq: event.seq,
          kind: 'prompt',
          promptId: event.promptId,
          toolUseId: event.toolUseId,
          toolName: event.toolName,
          subject: event.subject,
          because: event.because,
          alwaysRule: event.alwaysRule,
          decision: null,
          words: null,
        }),
      ]
    case 'permission-answered':
      return [
        {
          op: 'change',
          key: promptKey(event.promptId),
          with: { decision: event.decision, words: event.words },
        },
      ]
    case 'request-failed':
      return [
        add({
          ...base('retry'),
          kind: 'retry',
          attempt: event.attempt,
          failure: event.failure,
          retryAt: event.retryAt,
        }),
      ]
    case 'notice':
      return [add({ ...base('notice'), kind: 'notice', level: event.level, text: event.text })]
    case 'context-cleared':
      return [
        add({
          ...base('notice'),
          kind: 'notice',
          level: 'info',
          text: `The context was nearly full: ${event.toolUseIds.length} older tool results are no longer sent to the model. They stay in this transcript.`,
        }),
      ]
    case 'context-summarised':
      return [
        add({
          ...base('notice'),
          kind: 'notice',
          level: 'info',
          text: `The context was nearly full: the model goes on from a summary. Everything above stays in this transcript.\n\n${event.summary}`,
        }),
      ]
    case 'permission-mode-changed':
      return [notice(`Permission mode: ${event.permissionMode}`)]
    case 'model-changed':
      return [notice(`Model: ${event.model}`)]
    case 'tools-changed':
      return [notice(event.note)]
    case 'agent-ended':
      return [
        add({
          ...base('ended'),
          kind: 'ended',
          status: event.status,
          failure: event.failure,
          reachedLimit: event.reachedLimit,
          limitOf: event.limitOf,
        }),
      ]
    case 'agent-spawned':
    case 'instructions-loaded': {
      const files = event.type === 'agent-spawned' ? event.instructions : event.files
      return files.length === 0 ? [] : [add({ ...base('instructions'), kind: 'instructions', files })]
    }
    case 'pause-changed':
      return [notice(event.paused ? 'You paused this agent.' : 'You let this agent go on.')]
    case 'moved-to-background':
      return [
        notice(
          event.by === 'user'
            ? 'You moved this agent to the background: whoever started it goes on without it.'
            : 'It goes on in the background: nobody waits for it.',
        ),
      ]
    case 'awaited-again':
      return [notice('Whoever started it waits for it again.')]
    case 'limits-changed':
      return [notice('You changed what this agent may spend.')]
    case 'definition-renewed':
      return [notice('You had this agent take its definition as it is now.')]
    case 'status-changed':
    case 'request-started':
      return []
  }
}

function assistantRows(event: EventOf<'assistant-message'>): readonly RowChange[] {
  const rows: TranscriptRow[] = []
  const agentCalls: string[] = []
  event.content.forEach((block, index) => {
    const base = { key: `${event.seq}:${index}`, at: event.at, seq: event.seq }
    if (block.type === 'text' && block.text.trim() !== '')
      rows.push({ ...base, kind: 'text', text: block.text })
    if (block.type === 'thinking' && block.thinking !== '')
      rows.push({ ...base, kind: 'thinking', text: block.thinking })
    if (block.type !== 'tool_use') return
    if (AGENT_TOOL_NAMES.has(block.name)) agentCalls.push(block.id)
    else
      rows.push({
        ...base,
        key: toolKey(block.id),
        kind: 'tool',
        toolUseId: block.id,
        name: block.name,
        input: block.input,
        summary: '',
        status: 'waiting',
        note: '',
        content: null,
        display: null,
        outputFile: null,
        startedAt: null,
        durationMs: null,
      })
  })
  if (agentCalls.length > 0)
    rows.push({
      key: `${event.seq}:agents`,
      at: event.at,
      seq: event.seq,
      kind: 'agents',
      toolUseIds: agentCalls,
      failures: {},
    })
  return rows.map((row) => ({ op: 'add', row }))
}

/** A list of rows that grows in place. */
export class TranscriptRows {
  readonly rows: TranscriptRow[] = []
  private readonly indexOf = new Map<string, number>()

  /** Applies one event. A change to a row that is not here (its event is on an older page) is dropped. */
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

function withFailure(row: AgentsRow, key: string, change: Partial<ToolRow> | Partial<PromptRow>): AgentsRow {
  const id = row.toolUseIds.find((toolUseId) => toolKey(toolUseId) === key)
  if (id === undefined || !('status' in change) || change.status !== 'failed') return row
  return { ...row, failures: { ...row.failures, [id]: textOf(change.content ?? '') } }
}

/** The words of a SendMessage call, by either name that its field has; else what the call says of itself. */
export function sentText({ input, summary }: Pick<ToolRow, 'input' | 'summary'>): string {
  const fields: { readonly message?: unknown; readonly content?: unknown } =
    typeof input === 'object' && input !== null ? input : {}
  const words = fields.message ?? fields.content
  return typeof words === 'string' ? words : summary
}

/** The plain text of a row, for copying and finding. */
export function rowText(row: TranscriptRow): string {
  switch (row.kind) {
    case 'user':
    case 'text':
    case 'thinking':
    case 'notice':
      return row.text
    case 'tool':
      if (row.display?.kind === 'message') return `To ${row.display.to}: ${sentText(row)}`
      return [`${row.name} ${row.summary}`, row.content === null ? '' : textOf(row.content)].join('\n').trim()
    case 'prompt':
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
      return [workWords(row.work), ...row.work.problems].join('\n')
  }
}
