/** `troupe conversations list` and `show`, and `troupe context`. */

import { historyNames } from '../../../shared/histories/history.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { contextAdvice, contextText } from '../../../shared/state/context-report.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import type { ConversationSummary } from '../../../shared/state/conversation-summary.ts'
import type { PhaseEntry } from '../../../shared/teams/team-schema.ts'
import { rowText, TranscriptRows } from '../../../shared/transcript/transcript-rows.ts'
import { EXIT, failed, jsonLine, oneLine, type Printing } from '../../platform/command-line/terminal.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'
import type { TranscriptStore } from '../../runtime/ports/transcripts.ts'

interface Context extends Printing {
  readonly runtime: Runtime
  readonly store: Pick<TranscriptStore, 'page'>
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
    for (const conversation of conversations) output.write(jsonLine(publishedConversation(conversation)))
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
  if (!snapshot.ok) return failed({ errors }, snapshot.failure.message)
  const { history } = snapshot.value.record
  if (history !== undefined && !json)
    output.write(
      `From ${historyNames[history.program]} (${oneLine(history.source)}). It can’t be changed here.${history.leftOut.length > 0 ? ` Left out: ${oneLine(history.leftOut.join(' '))}` : ''}\n\n`,
    )
  for (const entry of snapshot.value.record.phases) output.write(phaseLine(entry, { id, json }))
  if (!json && snapshot.value.record.phases.length > 0) output.write('\n')
  for (const agent of snapshot.value.agents) {
    const page = await store.page(agent.id, { before: null, limit: MOST_EVENTS })
    if (!page.ok) return failed({ errors }, page.failure.message)
    if (json) {
      for (const event of page.value.events) output.write(jsonLine(event))
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
  if (json) return jsonLine({ type: 'phase-changed', conversationId: id, ...entry })
  const at = new Date(entry.at).toISOString().slice(0, 16).replace('T', ' ')
  return `${oneLine(`phase ${entry.phase}  ${at}  ${entry.note}`)}\n`
}

/** `troupe context`: what fills the context window of an agent. @returns the exit code */
export async function contextCommand(
  {
    id,
    agent,
    json,
  }: {
    /** A conversation's id. */
    readonly id: string
    /** An agent's id or name. Null: the main agent. */
    readonly agent: string | null
    readonly json: boolean
  },
  { runtime, output, errors }: Printing & { readonly runtime: Pick<Runtime, 'snapshot' | 'dispatch'> },
): Promise<number> {
  const text = await report()
  if (text.ok) output.write(text.value)
  else errors.write(`troupe: ${text.failure.message}\n`)
  return text.ok ? EXIT.done : EXIT.failed

  async function report(): Promise<Result<string>> {
    const snapshot = await runtime.snapshot(id)
    if (!snapshot.ok) return snapshot
    const found = findAgent(snapshot.value, agent)
    if (!found.ok) return found
    const context = await runtime.dispatch({
      type: 'agent.context',
      conversationId: id,
      agentId: found.value.id,
    })
    if (!context.ok) return context
    const { value } = context
    return ok(
      json
        ? jsonLine({ ...value, advice: contextAdvice(value) })
        : contextText(value, oneLine(nameOf(found.value))),
    )
  }
}

function findAgent({ record, agents }: ConversationSnapshot, wanted: string | null): Result<AgentState> {
  const named = agents.filter((agent) =>
    wanted === null ? agent.id === record.mainAgentId : agent.id === wanted || nameOf(agent) === wanted,
  )
  const [found, other] = named
  if (found === undefined)
    return fail({
      type: 'not-found',
      message: `No agent "${oneLine(wanted ?? 'main')}" is in this conversation. See its agents with: troupe conversations show ID`,
    })
  if (other !== undefined)
    return fail({
      type: 'several',
      message: `Several agents are named "${oneLine(wanted ?? '')}". Give an id: ${named.map(({ id }) => id).join(', ')}.`,
    })
  return ok(found)
}

const nameOf = ({ name, parentId, definition }: AgentState): string =>
  name ?? (parentId === null ? 'main' : definition.name)
