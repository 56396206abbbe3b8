/** A conversation as Markdown for people: its task, a section for each agent, folded tool calls, diffs in code blocks. */
import { countOf } from '../../../../shared/kernel/amounts.ts'
import { ok, type Result } from '../../../../shared/kernel/result.ts'
import { makeVisible } from '../../../../shared/kernel/visible-text.ts'
import type { SharedRow } from '../../../../shared/sharing/page-data.ts'
import type { AgentState } from '../../../../shared/state/agent-state.ts'
import type { SharedConversation } from '../shared-conversation.ts'
import { createRowReader } from './shared-rows.ts'

/** A text for each turn of each agent, the parents before their subagents. */
export async function* markdown(shared: SharedConversation): AsyncGenerator<Result<string>> {
  const { record, states, nameOf, eventsOf } = shared
  const about = [
    code(record.folder),
    new Date(record.createdAt).toISOString().slice(0, 16).replace('T', ' '),
    countOf(states.length, 'agent'),
  ]
  yield ok(`# ${line(record.title)}\n\n${about.join(' · ')}\n\n${agentList(states, nameOf)}`)
  for (const state of states) {
    yield ok(`\n## ${line(nameOf(state.id))}\n\n_${aboutAgent(state)}_\n`)
    const reader = createRowReader(shared)
    const textOf = (rows: readonly SharedRow[]) => rows.map((row) => `\n${textOfRow(row, nameOf)}\n`).join('')
    for await (const batch of eventsOf(state.id)) {
      if (!batch.ok) return yield batch
      yield ok(textOf(batch.value.flatMap(reader.take)))
    }
    yield ok(textOf(reader.end().flatMap(({ rows }) => rows)))
  }
}

function agentList(states: readonly AgentState[], nameOf: (id: string) => string): string {
  if (states.length < 2) return ''
  const entry = (state: AgentState) =>
    `${'  '.repeat(state.depth)}- **${line(nameOf(state.id))}** (${aboutAgent(state)})\n`
  return states.map(entry).join('')
}

const aboutAgent = ({ definition, model, status, turns }: AgentState): string =>
  [line(definition.name), line(model), status, countOf(turns, 'turn')].join(', ')

function textOfRow(row: SharedRow, nameOf: (id: string) => string): string {
  switch (row.kind) {
    case 'message': {
      const images = row.images.length === 0 ? '' : `\n\n_${countOf(row.images.length, 'image')}_`
      return `**${line(row.from)}:**\n\n${row.text.replace(/^/gm, '> ')}${images}`
    }
    case 'text':
      return row.text
    case 'thinking':
      return folded('Thinking', row.text)
    case 'call': {
      const parts = [
        row.diff === null ? '' : fenced(row.diff.patch, 'diff'),
        row.input === '' ? '' : fenced(row.input, 'json'),
        row.output === '' ? '' : fenced(row.output, 'text'),
      ]
      const title = row.note === '' ? row.title : `${row.title} (${row.note})`
      return folded(title, parts.filter(Boolean).join('\n\n'))
    }
    case 'note':
      return `_${line(row.text)}_`
    case 'agents':
      return [
        ...row.ids.map((id) => `- Started **${line(nameOf(id))}**`),
        ...row.failures.map((reason) => `- Not started: ${line(reason)}`),
      ].join('\n')
  }
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

const code = (text: string): string => `\`${line(text).replaceAll('`', "'")}\``
const line = (text: string): string => makeVisible(text.trim()).replaceAll(/\s*\n\s*/g, ' ')
