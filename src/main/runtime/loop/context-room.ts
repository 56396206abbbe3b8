/**
 * Room in the context window. When it runs short, older tool results are cleared first; if that is not
 * enough, the same model sums the conversation up and goes on from its summary.
 */

import type { Usage } from '../../../shared/agent-event.ts'
import { totalTokens } from '../../../shared/agent-state.ts'
import { textOf } from '../../../shared/content.ts'
import { costOf } from '../model-cost.ts'
import type { ModelCatalog } from '../ports.ts'
import type { AgentRun } from './agent-run.ts'
import { type RequestDeps, requestModel } from './request-model.ts'

/** The share of the window at which room is made. */
const NEARLY_FULL = 0.8
/** The share that clearing must bring it down to; else it is summarised. */
const ROOMY = 0.6
const CHARACTERS_PER_TOKEN = 4
/** User messages whose results are never cleared. */
const KEPT_TURNS = 3

const SUMMARY_REQUEST = `The conversation no longer fits. Write a summary from which you can go on without anything above.
State, in this order: what the user asked for, in their words where they matter; what was decided and why; what has been done, with file paths and line numbers; what was found out, errors included; what is left to do, the next step first. Leave nothing out that you would have to look up again. Write only the summary.`

export interface RoomDeps extends RequestDeps {
  readonly models: ModelCatalog
}

/** Makes room if the last request came near the window's end, or `force` says that it did not fit. */
export async function makeRoom(
  agent: AgentRun,
  options: { readonly lastUsage: Usage | null; readonly force: boolean; readonly turn: number },
  deps: RoomDeps,
  signal: AbortSignal,
): Promise<void> {
  const { contextTokens } = deps.models.facts(agent.state().model)
  const used = options.force ? contextTokens : options.lastUsage ? totalTokens(options.lastUsage) : 0
  if (used < contextTokens * NEARLY_FULL) return

  const clearable = agent.history.clearable(KEPT_TURNS)
  const freed = clearable.reduce((sum, result) => sum + result.characters, 0) / CHARACTERS_PER_TOKEN
  if (clearable.length > 0)
    agent.emit({ type: 'context-cleared', toolUseIds: clearable.map((result) => result.toolUseId) })
  if (used - freed <= contextTokens * ROOMY) return
  await summarise(agent, options.turn, deps, signal)
}

async function summarise(agent: AgentRun, turn: number, deps: RoomDeps, signal: AbortSignal): Promise<void> {
  const startedAt = deps.clock.now()
  const { model } = agent.state()
  const messages = agent.history.messages()
  const last = messages.at(-1)
  const request = { type: 'text' as const, text: SUMMARY_REQUEST }
  const asked =
    last?.role === 'user'
      ? [...messages.slice(0, -1), { role: 'user' as const, content: [...last.content, request] }]
      : [...messages, { role: 'user' as const, content: [request] }]
  const reply = await requestModel(
    agent,
    { model, system: agent.system, tools: agent.toolSchemas, messages: asked, toolChoice: 'none' },
    turn,
    deps,
    signal,
  )
  agent.live({ type: 'live-clear', agentId: agent.id, reason: 'finished' })
  if (!reply.ok) return
  const summary = textOf(reply.value.content)
  // The request is paid for: it is logged as what it was, then replaced by what it said.
  agent.emit({
    type: 'assistant-message',
    turn,
    messageId: reply.value.id,
    model: reply.value.model,
    content: [],
    stopReason: reply.value.stopReason,
    usage: reply.value.usage,
    costUsd: costOf(reply.value.usage, deps.models.facts(reply.value.model)),
    durationMs: deps.clock.now() - startedAt,
    pace: [],
  })
  if (summary.trim() !== '') agent.emit({ type: 'context-summarised', summary })
}
