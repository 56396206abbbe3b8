/**
 * Agents at work: the main agent whenever there is something for it to do, a subagent to its end. Who goes on
 * without waiting for a subagent is told of its end.
 */
import type { AgentState } from '../../../shared/agent-state.ts'
import { messageOf } from '../../../shared/result.ts'
import type { RunEnd } from '../loop/agent-run.ts'
import { runAgent } from '../loop/run-agent.ts'
import { enterWorktree, leaveWorktree, saveWork } from './agent-worktree.ts'
import type { Conversation } from './conversation.ts'
import { endAgent } from './end-agent.ts'
import type { EndedRun, LiveAgent } from './live-agent.ts'
import { noticeOf } from './report.ts'

/** Goes on where messages wait, or results that the model has not seen. */
export function startMain(conversation: Conversation, main: LiveAgent): void {
  if (main.controller.signal.aborted) main.controller = new AbortController()
  main.run = runMain(conversation, main).then((goesOn) => {
    main.run = null
    conversation.deps.changed(conversation)
    // A message may have come between the last look at the queue and now.
    if (goesOn && conversation.queue.hasFor(main.id)) startMain(conversation, main)
    return null
  })
}

/** An idle main agent starts on what waits for it. One that was stopped, or failed, waits for a person. */
export function wakeMain(conversation: Conversation): void {
  const { main, queue } = conversation
  // It may have heard of it already, in a turn that was under way.
  if (!main || main.run !== null || !queue.hasFor(main.id)) return
  if (main.state().status === 'waiting') startMain(conversation, main)
}

/**
 * Starts a subagent's run; it is over when its end is on the disk and those who need it know. Where somebody
 * spoke to it before whoever starts it came to it, it runs already.
 */
export function startSubagent(conversation: Conversation, child: LiveAgent): Promise<EndedRun | null> {
  child.run ??= runSubagent(conversation, child)
  return child.run
}

async function runSubagent(conversation: Conversation, child: LiveAgent): Promise<EndedRun> {
  const startedAt = conversation.clock.now()
  let end: RunEnd
  // What was said to it during its last turn is heard before it ends.
  do end = await runLoop(conversation, child)
  while (end.kind === 'answered' && end.reachedLimit === null && conversation.queue.hasFor(child.id))
  endAgent(child, end)
  const state = child.state()
  // Nobody else had a turn since the last look at what was said: who speaks from here on, brings it back.
  conversation.leave(child)
  try {
    // The report is on the disk before anybody builds on it.
    await child.flush(child.controller.signal)
    const ended = { state, end, ms: conversation.clock.now() - startedAt }
    if (state.background !== 'no' && !child.isAwaited) await tellOfEnd(conversation, ended)
    await passOnNotices(conversation, state)
    await leaveWorktree(conversation, child)
    return ended
  } finally {
    conversation.leaving.delete(child.id)
  }
}

/** False where it failed, was stopped, or reached a limit: then only a person starts it again. */
async function runMain(conversation: Conversation, main: LiveAgent): Promise<boolean> {
  const { signal } = main.controller
  do {
    const end = await runLoop(conversation, main)
    if (end.kind !== 'answered' || (end.reachedLimit !== null && end.reachedLimit.kind !== 'turns')) {
      endAgent(main, end)
      await main.flush(signal)
      return false
    }
  } while (conversation.queue.hasFor(main.id))
  main.leavePlace()
  main.emit({ type: 'status-changed', status: 'waiting', waitingFor: 'message' })
  await main.flush(signal)
  return true
}

/** One run of its loop, in its worktree where it has one: that is committed before anybody builds on it. */
async function runLoop(conversation: Conversation, agent: LiveAgent): Promise<RunEnd> {
  const { signal } = agent.controller
  const entered = await enterWorktree(conversation, agent, signal)
  if (!entered.ok && !signal.aborted)
    return { kind: 'failed', type: entered.failure.type, message: entered.failure.message }
  const end: RunEnd = signal.aborted ? { kind: 'stopped' } : await guardedLoop(conversation, agent)
  await saveWork(conversation, agent, end)
  return end
}

/** A bug in the loop fails the agent, in the open, and not the program. */
async function guardedLoop(conversation: Conversation, agent: LiveAgent): Promise<RunEnd> {
  const { signal } = agent.controller
  try {
    await conversation.deps.letters.read(agent)
    const end = await runAgent(agent, 0, conversation.deps.loop, signal)
    return signal.aborted ? { kind: 'stopped' } : end
  } catch (thrown) {
    return { kind: 'failed', type: 'bug', message: `Troupe itself failed here: ${messageOf(thrown)}` }
  }
}

/** In the next turn of the nearest agent above it that has not ended; the main agent is woken for it. */
async function tellOfEnd(conversation: Conversation, { state, end, ms }: EndedRun): Promise<void> {
  const teller = nearestAbove(conversation, state)
  conversation.queue.add(noticeOf(state, teller, { end, ms }))
  // The notice waits in the record: should that be lost, nobody would hear of it after a restart.
  await conversation.saveFor(teller, { updatedAt: conversation.clock.now() }, AbortSignal.abort())
  if (end.kind !== 'stopped' && conversation.isMain(teller)) wakeMain(conversation)
}

/** Ends that it was to be told of, and ended too early to hear: whoever is above it hears them. */
async function passOnNotices(conversation: Conversation, state: AgentState): Promise<void> {
  const { queue } = conversation
  const waiting = queue.take(state.id)
  if (waiting.length === 0) return
  const teller = nearestAbove(conversation, state)
  for (const words of waiting) queue.add(words.from === 'runtime' ? { ...words, agentId: teller } : words)
  await conversation.saveFor(teller, { updatedAt: conversation.clock.now() }, AbortSignal.abort())
  if (conversation.isMain(teller)) wakeMain(conversation)
}

function nearestAbove(conversation: Conversation, state: AgentState): string {
  for (let at = state.parentId; at !== null; at = conversation.state(at)?.parentId ?? null)
    if (conversation.agents.get(at)?.run != null) return at
  return conversation.record.mainAgentId
}
