/** A conversation as Markdown for people: its task, a section for each agent, folded tool calls, diffs in code blocks. */
import type { ToolRow, TranscriptRow } from '../../../../shared/events/transcript-row.ts'
import { countOf } from '../../../../shared/kernel/amounts.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import { textOf, withoutFrame } from '../../../../shared/messages/text-of.ts'
import type { AgentState } from '../../../../shared/state/agent-state.ts'
import { rowText } from '../../../../shared/transcript/transcript-rows.ts'
import { createPlainOutput } from '../../../platform/shell/plain-output.ts'
import type { SharedConversation } from '../shared-conversation.ts'

/** A text for each turn of each agent, the parents before their subagents. */
export async function* markdown(shared: SharedConversation): AsyncGenerator<Result<string>> {
  const { record, states, nameOf, turnsOf } = shared
  const started = new Map(states.map(({ id, parentToolUseId }) => [parentToolUseId, nameOf(id)]))
  const names: Names = { nameOf, startedBy: (toolUseId) => started.get(toolUseId) ?? null }
  yield ok(
    `# ${line(record.title)}\n\n${[
      code(record.folder),
      new Date(record.createdAt).toISOString().slice(0, 16).replace('T', ' '),
      countOf(states.length, 'agent'),
    ].join(' · ')}\n\n${agentList(states, nameOf)}`,
  )
  for (const state of states) {
    yield ok(`\n## ${line(nameOf(state.id))}\n\n_${aboutAgent(state)}_\n`)
    for await (const turn of turnsOf(state.id)) {
      if (!turn.ok) return yield turn
      const text = turn.value.map((row) => textOfRow(row, names)).filter(Boolean)
      if (text.length > 0) yield ok(`\n${text.join('\n\n')}\n`)
    }
  }
}

/** Agents by their ids, and by the calls that started them. */
interface Names {
  readonly nameOf: (id: string) => string
  readonly startedBy: (toolUseId: string) => string | null
}

function agentList(states: readonly AgentState[], nameOf: (id: string) => string): string {
  if (states.length < 2) return ''
  const entry = (state: AgentState) =>
    `${'  '.repeat(state.depth)}- **${line(nameOf(state.id))}** (${aboutAgent(state)})\n`
  return `${states.map(entry).join('')}`
}

const aboutAgent = ({ definition, model, status, turns }: AgentState): string =>
  [line(definition.name), line(model), status, countOf(turns, 'turn')].join(', ')

function textOfRow(row: TranscriptRow, names: Names): string {
  switch (row.kind) {
    case 'user':
      return `**${speaker(row, names)}:**\n\n${quoted(withoutFrame(row.typed ?? row.text))}${row.images.length > 0 ? `\n\n_${countOf(row.images.length, 'image')}_` : ''}`
    case 'text':
      return row.text
    case 'thinking':
      return folded('Thinking', row.text)
    case 'tool':
      return toolText(row)
    case 'request':
      return `_Permission: ${line(rowText(row))}${row.decision === null ? '' : ` (${row.decision})`}_`
    case 'retry':
    case 'notice':
    case 'ended':
    case 'work':
      return `_${line(rowText(row))}_`
    case 'instructions':
      return `_Loaded: ${line(rowText(row).replaceAll('\n', ', '))}_`
    case 'agents':
      return startedText(row, names)
  }
}

function startedText(
  { toolUseIds, failures }: Extract<TranscriptRow, { kind: 'agents' }>,
  { startedBy }: Names,
): string {
  const lines = toolUseIds.flatMap((id) => {
    const name = startedBy(id)
    if (name !== null) return [`- Started **${line(name)}**`]
    return failures[id] === undefined ? [] : [`- Not started: ${line(failures[id])}`]
  })
  return lines.join('\n')
}

const SPEAKERS = { user: 'You', parent: 'Task', agent: 'Another agent', runtime: 'Troupe' } as const

const speaker = ({ from, sender }: Extract<TranscriptRow, { kind: 'user' }>, { nameOf }: Names): string =>
  from === 'agent' && sender !== null ? line(nameOf(sender)) : SPEAKERS[from]

function toolText(row: ToolRow): string {
  const title = `${row.call.label} ${row.summary}`.trim()
  const head = row.note === '' ? title : `${title} (${row.note})`
  if (row.display?.kind === 'diff') return folded(head, fenced(row.display.patch.trimEnd(), 'diff'))
  const input = typeof row.input === 'object' && row.input !== null ? JSON.stringify(row.input, null, 2) : ''
  const output = row.content === null ? '' : plain(textOf(row.content))
  const parts = [
    input === '' || input === '{}' ? '' : fenced(input, 'json'),
    output === '' ? '' : fenced(output, 'text'),
  ]
  return folded(head, parts.filter(Boolean).join('\n\n'))
}

/** Folded wherever Markdown is shown with HTML. The title is text, so that it can't end the fold. */
const folded = (title: string, body: string): string =>
  `<details><summary>${escaped(line(title))}</summary>\n\n${body}\n\n</details>`

const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (sign) => (sign === '&' ? '&amp;' : sign === '<' ? '&lt;' : '&gt;'))

/** A fence longer than any in the text. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((match) => match[0].length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

const quoted = (text: string): string => text.replace(/^/gm, '> ')
const code = (text: string): string => `\`${line(text).replaceAll('`', "'")}\``
const line = (text: string): string => makeVisible(text.trim()).replaceAll(/\s*\n\s*/g, ' ')

function plain(output: string): string {
  const reader = createPlainOutput()
  return (reader.push(output) + reader.end()).trimEnd()
}
