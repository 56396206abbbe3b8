/** `troupe conversations list` and `show`. */

import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { PhaseEntry } from '../../../shared/teams/team-schema.ts'
import { rowText, TranscriptRows } from '../../../shared/transcript/transcript-rows.ts'
import { EXIT, oneLine } from '../../platform/command-line/terminal.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'

interface Context {
  readonly runtime: Runtime
  readonly store: Pick<TranscriptStore, 'page'>
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/** Maximum events that `show` prints per agent. */
const MOST_EVENTS = 100_000

/** @returns the exit code */
export async function conversationsList(
  { json }: { readonly json: boolean },
  { runtime, output }: Pick<Context, 'runtime' | 'output'>,
): Promise<number> {
  const conversations = (await runtime.conversations())
    .filter(({ scratch }) => !scratch)
    .sort((a, b) => b.updatedAt - a.updatedAt)
  if (json)
    for (const conversation of conversations)
      output.write(`${JSON.stringify(publishedConversation(conversation))}\n`)
  else if (conversations.length === 0) output.write('No conversations yet. Start one: troupe run "…"\n')
  else
    for (const { id, updatedAt, title, folder } of conversations)
      output.write(
        `${id}  ${new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')}  ${oneLine(title)}  (${oneLine(folder)})\n`,
      )
  return EXIT.done
}

/** With the keys and values of version 0.1.0, which scripts read. */
const publishedConversation = ({ requests, ...summary }: ConversationSummary) => ({
  ...summary,
  prompts: requests,
})

/** @returns the exit code */
export async function conversationsShow(
  { id, json }: { readonly id: string; readonly json: boolean },
  { runtime, store, output, errors }: Context,
): Promise<number> {
  const snapshot = await runtime.snapshot(id)
  if (!snapshot.ok) {
    errors.write(`troupe: ${snapshot.failure.message}\n`)
    return EXIT.failed
  }
  for (const entry of snapshot.value.record.phases) output.write(phaseLine(entry, { id, json }))
  if (!json && snapshot.value.record.phases.length > 0) output.write('\n')
  for (const agent of snapshot.value.agents) {
    const page = await store.page(agent.id, { before: null, limit: MOST_EVENTS })
    if (!page.ok) {
      errors.write(`troupe: ${page.failure.message}\n`)
      return EXIT.failed
    }
    if (json) {
      for (const event of page.value.events) output.write(`${JSON.stringify(event)}\n`)
      continue
    }
    output.write(
      `── ${oneLine(`${agent.parentId === null ? 'main' : agent.definition.name} ${agent.task}`)} (${agent.id}, ${agent.status})\n`,
    )
    for (const row of TranscriptRows.from(page.value.events).rows) {
      const text = rowText(row)
      if (text !== '') output.write(`${row.kind === 'user' ? '> ' : ''}${text}\n`)
    }
    output.write('\n')
  }
  return EXIT.done
}

function phaseLine(entry: PhaseEntry, { id, json }: { readonly id: string; readonly json: boolean }): string {
  if (json) return `${JSON.stringify({ type: 'phase-changed', conversationId: id, ...entry })}\n`
  const at = new Date(entry.at).toISOString().slice(0, 16).replace('T', ' ')
  return `${oneLine(`phase ${entry.phase}  ${at}  ${entry.note}`)}\n`
}
