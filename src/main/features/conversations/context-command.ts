/** `troupe context`: what fills the context window of an agent. */

import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { contextAdvice, contextText } from '../../../shared/state/context-report.ts'
import type { ConversationSnapshot } from '../../../shared/state/conversation-snapshot.ts'
import { EXIT, oneLine } from '../../platform/command-line/terminal.ts'
import type { Runtime } from '../../runtime/ports/runtime.ts'

interface Context {
  readonly runtime: Pick<Runtime, 'snapshot' | 'context'>
  readonly output: { write(text: string): void }
  readonly errors: { write(text: string): void }
}

/** @returns the exit code */
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
  { runtime, output, errors }: Context,
): Promise<number> {
  const text = await report()
  if (text.ok) output.write(text.value)
  else errors.write(`troupe: ${text.failure.message}\n`)
  return text.ok ? EXIT.done : EXIT.failed

  async function report(): Promise<Result<string>> {
    const snapshot = await runtime.snapshot(id)
    if (!snapshot.ok) return snapshot
    const found = find(snapshot.value, agent)
    if (!found.ok) return found
    const context = await runtime.context(id, found.value.id)
    if (!context.ok) return context
    const { value } = context
    return ok(
      json
        ? `${JSON.stringify({ ...value, advice: contextAdvice(value) })}\n`
        : contextText(value, oneLine(nameOf(found.value))),
    )
  }
}

function find({ record, agents }: ConversationSnapshot, wanted: string | null): Result<AgentState> {
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
