/**
 * The loop: ask the model, run the tools it calls, give it the results, until it has nothing more to do.
 * Its state is local; what it did is in the agent's events and nowhere else.
 */

import type { Usage } from '../../../shared/agent-event.ts'
import { assertNever } from '../../../shared/assert-never.ts'
import { type ToolUseBlock, textOf } from '../../../shared/content.ts'
import { describeLimit } from '../../../shared/spending.ts'
import { costOf } from '../model-cost.ts'
import type { ModelReply } from '../ports.ts'
import type { AgentRun, LimitReached, RunEnd } from './agent-run.ts'
import { makeRoom, type RoomDeps } from './context-room.ts'
import { requestModel } from './request-model.ts'
import type { ToolDeps } from './run-tool-call.ts'
import { runTools } from './run-tools.ts'

export type LoopDeps = RoomDeps & ToolDeps

/** How often in a row a message may be cut off by the output limit before the agent fails. */
const MOST_CUT_OFF = 3

const lastWordsAt = (limit: LimitReached) =>
  `You have reached ${limit.words}: you cannot use tools any more. Write your report now: what you did and found, with paths and line numbers, what is left, and what you are not sure of.`
const CUT_OFF =
  'Your message was cut off at the output limit. Go on from where it ended, without repeating what you said.'

/**
 * Runs until the model ends its turn, `startTurn` turns having been used before. It never throws for what
 * can go wrong in a day: that is a `RunEnd`.
 */
export async function runAgent(
  agent: AgentRun,
  startTurn: number,
  deps: LoopDeps,
  signal: AbortSignal,
): Promise<RunEnd> {
  let turn = startTurn
  let lastUsage: Usage | null = null
  let cutOff = 0
  let tooLong = false

  for (;;) {
    await agent.ensurePlace(signal)
    if (signal.aborted) return { kind: 'stopped' }
    agent.takeInbox()
    await agent.tellChanges()
    if (signal.aborted) return { kind: 'stopped' }
    const limit = turnLimit(agent, turn) ?? agent.limitReached()
    // Spent before it began: another request would only spend more.
    if (limit !== null && (limit.isRefusal || turn === startTurn))
      return { ...failed('limit', refusalAt(limit)), limit }
    if (limit !== null) tell(agent, lastWordsAt(limit))
    turn++
    await makeRoom(agent, { lastUsage, force: tooLong, turn }, deps, signal)
    lastUsage = null
    if (signal.aborted) return { kind: 'stopped' }

    const startedAt = deps.clock.now()
    const result = await requestModel(
      agent,
      {
        model: agent.state().model,
        system: agent.system,
        tools: agent.toolSchemas,
        messages: agent.history.messages(),
        toolChoice: limit === null ? 'auto' : 'none',
      },
      turn,
      deps,
      signal,
    )
    if (!result.ok) {
      if (result.failure.type === 'aborted') return { kind: 'stopped' }
      if (result.failure.type === 'prompt-too-long' && !tooLong) {
        tooLong = true
        continue
      }
      return { kind: 'failed', type: result.failure.type, message: result.failure.message }
    }
    const reply = result.value
    const calls = callsOf(reply)
    record(agent, reply, turn, deps.clock.now() - startedAt, deps)
    lastUsage = reply.usage
    if (reply.stopReason !== 'max_tokens') cutOff = 0

    switch (reply.stopReason) {
      case 'tool_use':
        tooLong = false
        await runTools(agent, calls, deps, signal)
        await agent.flush(signal)
        if (limit !== null) return { kind: 'answered', text: textOf(reply.content), reachedLimit: limit }
        continue
      case 'pause_turn':
        continue
      case 'end_turn':
      case 'stop_sequence':
        return { kind: 'answered', text: textOf(reply.content), reachedLimit: limit }
      case 'max_tokens':
        if (limit !== null) return { kind: 'answered', text: textOf(reply.content), reachedLimit: limit }
        if (++cutOff > MOST_CUT_OFF)
          return failed('output-limit', `The model's message was cut off ${cutOff} times in a row.`)
        refuseCutOff(agent, calls)
        tell(agent, CUT_OFF)
        continue
      case 'model_context_window_exceeded':
        refuseCutOff(agent, calls)
        if (tooLong)
          return failed('context-full', 'The conversation no longer fits into the model’s context window.')
        tooLong = true
        if (!agent.history.awaitsAnswer) tell(agent, CUT_OFF)
        continue
      case 'refusal':
        refuseCutOff(agent, calls)
        return failed(
          'refusal',
          'The model declined to answer this. Rephrase the task, or leave out what it declined.',
        )
      case 'compaction':
      case 'unknown':
        refuseCutOff(agent, calls)
        return failed(
          'unknown-stop-reason',
          'The model stopped for a reason this version does not know. Its message is in the transcript; send a message to go on.',
        )
      default:
        return assertNever(reply.stopReason)
    }
  }
}

function turnLimit(agent: AgentRun, turn: number): LimitReached | null {
  const { maxTurns } = agent.state()
  if (turn < maxTurns) return null
  const words = describeLimit({ limit: 'turns', of: 'agent', most: maxTurns })
  return { kind: 'turns', of: 'agent', words, isRefusal: false }
}

function refusalAt({ isRefusal, words }: LimitReached): string {
  return isRefusal ? words : `This has reached ${words}. Raise it to go on.`
}

function record(agent: AgentRun, reply: ModelReply, turn: number, durationMs: number, deps: LoopDeps): void {
  agent.emit({
    type: 'assistant-message',
    turn,
    messageId: reply.id,
    model: reply.model,
    content: [...reply.content],
    stopReason: reply.stopReason,
    usage: reply.usage,
    costUsd: costOf(reply.usage, deps.models.facts(reply.model)),
    durationMs,
    pace: reply.pace.map(([ms, characters]) => [ms, characters]),
  })
  for (const text of reply.notes ?? []) agent.emit({ type: 'notice', level: 'warning', text })
  agent.live({ type: 'live-clear', agentId: agent.id, reason: 'finished' })
}

/** Calls in a message that did not end with `tool_use` are never run: their input may be cut short. */
function refuseCutOff(agent: AgentRun, calls: readonly ToolUseBlock[]): void {
  for (const call of calls)
    agent.emit({
      type: 'tool-ended',
      toolUseId: call.id,
      name: call.name,
      isError: true,
      content:
        'This call was not run: the message was cut off, so its input may be incomplete. Make it again.',
      note: 'cut off',
      durationMs: 0,
      display: null,
      outputFile: null,
    })
}

function tell(agent: AgentRun, text: string): void {
  agent.emit({
    type: 'user-message',
    messageId: `${agent.id}-${agent.state().lastSeq + 1}`,
    from: 'runtime',
    sender: null,
    content: [{ type: 'text', text }],
  })
}

const callsOf = (reply: ModelReply): readonly ToolUseBlock[] =>
  reply.content.filter((block): block is ToolUseBlock => block.type === 'tool_use')

const failed = (type: string, message: string) =>
  ({ kind: 'failed', type, message }) as const satisfies RunEnd
