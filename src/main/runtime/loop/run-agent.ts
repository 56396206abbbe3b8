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
const CALL_MISSING =
  'You ended your message in order to use a tool, but no call of one came with it. Make the call again, or go on without it.'
const INCOMPLETE =
  'This call was not run: the message was cut off, so its input may be incomplete. Make it again.'
const NOT_ASKED_FOR =
  'This call was not run: you ended your message without waiting for its result. Make it again if you still want it.'

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
    // What it was to start on was taken back.
    if (turn === startTurn && !agent.history.awaitsAnswer)
      return { kind: 'answered', text: agent.state().report, reachedLimit: null }
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
    const reply = withNewIds(result.value, agent.history)
    const calls = callsOf(reply)
    record(agent, reply, turn, deps.clock.now() - startedAt, deps)
    lastUsage = reply.usage
    const isCutOff = reply.stopReason === 'max_tokens' || (reply.stopReason === 'tool_use' && !calls.length)
    cutOff = isCutOff ? cutOff + 1 : 0
    const answered = { kind: 'answered', text: textOf(reply.content), reachedLimit: limit } as const

    switch (reply.stopReason) {
      case 'tool_use':
        tooLong = false
        if (limit !== null) {
          refuse(agent, calls, NOT_ASKED_FOR)
          return answered
        }
        await runTools(agent, calls, deps, signal)
        if (cutOff > MOST_CUT_OFF)
          return failed('no-call', `The model wanted to use a tool ${cutOff} times in a row, and named none.`)
        if (isCutOff) tell(agent, CALL_MISSING)
        continue
      case 'pause_turn':
        refuse(agent, calls, NOT_ASKED_FOR)
        if (limit !== null) return answered
        continue
      case 'end_turn':
      case 'stop_sequence':
        refuse(agent, calls, NOT_ASKED_FOR)
        return answered
      case 'max_tokens':
        refuse(agent, calls, INCOMPLETE)
        if (limit !== null) return answered
        if (cutOff > MOST_CUT_OFF)
          return failed('output-limit', `The model's message was cut off ${cutOff} times in a row.`)
        tell(agent, CUT_OFF)
        continue
      case 'model_context_window_exceeded':
        refuse(agent, calls, INCOMPLETE)
        if (tooLong)
          return failed('context-full', 'The conversation no longer fits into the model’s context window.')
        tooLong = true
        if (!agent.history.awaitsAnswer) tell(agent, CUT_OFF)
        continue
      case 'refusal':
        refuse(agent, calls, INCOMPLETE)
        return failed(
          'refusal',
          'The model declined to answer this. Rephrase the task, or leave out what it declined.',
        )
      case 'compaction':
      case 'unknown':
        refuse(agent, calls, INCOMPLETE)
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
function refuse(agent: AgentRun, calls: readonly ToolUseBlock[], why: string): void {
  for (const call of calls)
    agent.emit({
      type: 'tool-ended',
      toolUseId: call.id,
      name: call.name,
      isError: true,
      content: why,
      note: why === INCOMPLETE ? 'cut off' : 'not run',
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

/**
 * A call whose id was used before, or by another one of its message, gets another one: some servers count anew in
 * each message, and the API takes no history in which two calls have the same id.
 */
function withNewIds(reply: ModelReply, history: AgentRun['history']): ModelReply {
  const taken = new Set<string>()
  const content = reply.content.map((block) => {
    if (block.type !== 'tool_use') return block
    const id = history.newCallId(block.id, taken)
    taken.add(id)
    return id === block.id ? block : { ...block, id }
  })
  return { ...reply, content }
}

const callsOf = (reply: ModelReply): readonly ToolUseBlock[] =>
  reply.content.filter((block): block is ToolUseBlock => block.type === 'tool_use')

const failed = (type: string, message: string) =>
  ({ kind: 'failed', type, message }) as const satisfies RunEnd
