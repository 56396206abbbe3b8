/** The rows that one event adds to a transcript, and the rows that it changes. */

import type { AgentEvent, EventOf } from '../events/agent-event.ts'
import type { AssistantBlock, ImageBlock, TextBlock } from '../messages/content.ts'
import { textOf } from '../messages/text-of.ts'
import { rowForName } from '../tools/row-for-name.ts'
import { startsAgents } from '../tools/tool-names.ts'
import { type NoticeEvent, noticeText } from './notice-text.ts'
import { type RowBase, type RowChange, requestKey, type TranscriptRow, toolKey } from './transcript-row.ts'

/** In the order of the transcript. */
export function rowsOf(event: AgentEvent): readonly RowChange[] {
  switch (event.type) {
    case 'user-message':
      return [add(event.note === undefined ? userRow(event) : noteRow(event, event.note))]
    case 'assistant-message':
      return assistantRows(event)
    case 'tool-started':
      return [toolStart(event)]
    case 'tool-ended':
      return [toolEnd(event)]
    case 'permission-asked':
      return [add(requestRow(event))]
    case 'permission-answered': {
      const { requestId, decision, feedback, rule, answeredBy } = event
      const by = { ...(rule !== undefined && { rule }), ...(answeredBy !== undefined && { answeredBy }) }
      return [{ op: 'change', key: requestKey(requestId), with: { decision, feedback, ...by } }]
    }
    case 'request-failed': {
      const { attempt, failure, retryAt } = event
      // After the last attempt the end of the run has the failure.
      if (retryAt === null) return []
      return [add({ ...baseOf(event, 'retry'), kind: 'retry', attempt, failure, retryAt })]
    }
    case 'work-saved':
      return [add({ ...baseOf(event, 'work'), kind: 'work', work: event.work })]
    case 'agent-spawned':
      return instructionRows(event, event.instructions)
    case 'instructions-loaded':
      return instructionRows(event, event.files)
    case 'agent-ended': {
      const { status, failure, reachedLimit, limitOf } = event
      return [add({ ...baseOf(event, 'ended'), kind: 'ended', status, failure, reachedLimit, limitOf })]
    }
    case 'files-changed':
      return changedFiles(event)
    case 'worker-changed':
      return event.note === '' ? [] : [noticeRow(event)]
    case 'status-changed':
    // The panel's title shows it.
    case 'child-changed':
    case 'request-started':
    case 'permissions-told':
    // The panel shows the program, its options and its login.
    case 'program-connected':
    case 'program-options':
    case 'program-commands':
    case 'program-login':
    case 'model-asked':
    // Its effects are verdicts, which have rows.
    case 'hook-ran':
    // The row of the call shows the form.
    case 'form-opened':
    case 'form-closed':
    // The panel lists the commands that run.
    case 'command-started':
    case 'command-ended':
      return []
    default:
      return [noticeRow(event)]
  }
}

const add = (row: TranscriptRow): RowChange => ({ op: 'add', row })

function baseOf({ seq, at }: AgentEvent, part: string | number): RowBase {
  return { key: `${seq}:${part}`, at, seq }
}

function userRow(event: EventOf<'user-message'>): TranscriptRow {
  const { from, messageId, sender, content, typed } = event
  const texts = content.filter((block): block is TextBlock => block.type === 'text')
  return {
    ...baseOf(event, 'user'),
    kind: 'user',
    from,
    messageId,
    sender,
    text: texts.map(({ text }) => text).join('\n'),
    ...(typed === undefined ? {} : { typed }),
    images: content.filter((block): block is ImageBlock => block.type === 'image'),
  }
}

function noteRow(event: EventOf<'user-message'>, note: string): TranscriptRow {
  const text = `${note}\n\nThe agent received: ${textOf(event.content)}`
  return { ...baseOf(event, 'notice'), kind: 'notice', level: 'info', text }
}

function assistantRows(event: EventOf<'assistant-message'>): readonly RowChange[] {
  const rows = event.content.flatMap((block, index) => blockRow(block, baseOf(event, index)))
  const agentCalls = event.content.flatMap((block) =>
    block.type === 'tool_use' && startsAgents(block.name) ? [block.id] : [],
  )
  const card: readonly TranscriptRow[] =
    agentCalls.length === 0
      ? []
      : [{ ...baseOf(event, 'agents'), kind: 'agents', toolUseIds: agentCalls, failures: {} }]
  return [...rows, ...card].map(add)
}

function blockRow(block: AssistantBlock, base: RowBase): readonly TranscriptRow[] {
  if (block.type === 'text' && block.text.trim() !== '') return [{ ...base, kind: 'text', text: block.text }]
  if (block.type === 'thinking' && block.thinking !== '')
    return [{ ...base, kind: 'thinking', text: block.thinking }]
  if (block.type === 'tool_use' && !startsAgents(block.name))
    return [
      {
        ...base,
        key: toolKey(block.id),
        kind: 'tool',
        toolUseId: block.id,
        name: block.name,
        call: rowForName(block.name),
        input: block.input,
        summary: '',
        status: 'waiting',
        note: '',
        content: null,
        display: null,
        outputFile: null,
        startedAt: null,
        durationMs: null,
      },
    ]
  return []
}

function toolStart({ toolUseId, row, summary, at, confinement }: EventOf<'tool-started'>): RowChange {
  return {
    op: 'change',
    key: toolKey(toolUseId),
    with: { call: row, summary, status: 'running', startedAt: at, ...(confinement && { confinement }) },
  }
}

function toolEnd(event: EventOf<'tool-ended'>): RowChange {
  const { toolUseId, isError, note, content, display, outputFile, durationMs } = event
  return {
    op: 'change',
    key: toolKey(toolUseId),
    with: { status: isError ? 'failed' : 'done', note, content, display, outputFile, durationMs },
  }
}

/** The row of Write or Edit shows its change anyway. */
function changedFiles({ toolUseId, cause, files }: EventOf<'files-changed'>): readonly RowChange[] {
  const told = cause === 'command' ? files.filter(({ kept }) => kept !== 'ignored') : []
  const [first] = told
  if (first === undefined) return []
  const sum = (side: 'added' | 'removed') => told.reduce((total, file) => total + (file[side] ?? 0), 0)
  const changed = { files: told.length, added: sum('added'), removed: sum('removed'), path: first.path }
  return [{ op: 'change', key: toolKey(toolUseId), with: { changed } }]
}

function requestRow(event: EventOf<'permission-asked'>): TranscriptRow {
  const { requestId, toolUseId, toolName, subject, because, alwaysRule, at, seq } = event
  return {
    key: requestKey(requestId),
    at,
    seq,
    kind: 'request',
    requestId,
    toolUseId,
    toolName,
    subject,
    because,
    alwaysRule,
    decision: null,
    feedback: null,
  }
}

function instructionRows(
  event: AgentEvent,
  files: EventOf<'instructions-loaded'>['files'],
): readonly RowChange[] {
  return files.length === 0 ? [] : [add({ ...baseOf(event, 'instructions'), kind: 'instructions', files })]
}

function noticeRow(event: NoticeEvent): RowChange {
  const path = event.type === 'notice' ? event.path : undefined
  const link = path === undefined ? {} : { path }
  return add({ ...baseOf(event, 'notice'), kind: 'notice', ...noticeText(event), ...link })
}
