/** What fills the next request of an agent, in memory or in its transcript. */
import type { ContextReport } from '../../../shared/context-report.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { contextReport } from '../context-parts.ts'
import type { Ports } from '../ports.ts'
import { type Conversation, noSuchAgent } from './conversation.ts'
import { readAgent } from './read-agent.ts'
import { RequestTools } from './request-tools.ts'

export interface ContextSources {
  /** The agent's conversation, if this runtime has it open. */
  readonly open: Conversation | null
  readonly ports: Pick<Ports, 'store' | 'models'>
}

/** Fails with `not-found`, `damaged`, or a failure of the store. */
export async function readContext(
  { conversationId, agentId }: { readonly conversationId: string; readonly agentId: string },
  { open, ports }: ContextSources,
): Promise<Result<ContextReport>> {
  const windowOf = (model: string) => ports.models.facts(model).contextTokens
  const live = open?.agents.get(agentId)?.agent
  if (live) {
    const { history } = live.transcript
    const state = live.state()
    return ok(
      contextReport({
        state,
        system: live.prompt.system,
        tools: live.prompt.toolSchemas,
        messages: history.messages(),
        instructions: [...live.prompt.instructions, ...history.announcedInstructions.values()],
        window: state.context.window ?? windowOf(state.model),
      }),
    )
  }
  const read = await readAgent(ports.store, agentId)
  if (!read.ok) return read
  const { spawned, state, history } = read.value
  if (spawned.conversationId !== conversationId) return fail(noSuchAgent)
  return ok(
    contextReport({
      state,
      system: spawned.system,
      tools: new RequestTools(spawned.tools, history.compactedDescriptions, {
        added: history.addedTools,
        refused: history.refusedTools,
      }).schemas,
      messages: history.messages(),
      instructions: [...spawned.instructions, ...history.announcedInstructions.values()],
      window: state.context.window ?? windowOf(state.model),
    }),
  )
}
