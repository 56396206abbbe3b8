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
  begin(main)
  main.run = runMain(conversation, main).then((goesOn) => {
    main.run = null
    conversation.deps.changed(conversation)
    // A message may have come between the last look at the queue and now.
    if (goesOn && !main.controller.signal.aborted && conversation.queue.hasFor(main.id))
      startMain(conversation, main)
    // There was nothing left that it could have rested before.
    else if (main.state().pauseWanted) main.emit({ type: 'pause-changed', paused: false })
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
  if (child.run !== null) return child.run
  begin(child)
  child.run = runSubagent(conversation, child)
  return child.run
}

/** From here on it counts as one that works, also for whoever finds its log after a crash. */
function begin(agent: LiveAgent): void {
  if (agent.state().endedAt !== null)
    agent.emit({ type: 'status-changed', status: 'queued', waitingFor: null })
}

async function runSubagent(conversation: Conversation, child: LiveAgent): Promise<EndedRun> {
  const startedAt = conversation.clock.now()
  // Before it does anything: an agent that the record does not name would be lost with the program.
  await conversation.saveFor(child.id, {}, child.controller.signal)
  let end: RunEnd
  // What was said to it during its last turn is heard before it ends.
  do end = await runLoop(conversation, child)
  while (hearsMore(end) && conversation.queue.hasFor(child.id))
  endAgent(child, end)
  const state = child.state()
  // Nobody else had a turn since the last look at what was said: who speaks from here on, brings it back.
  conversation.leave(child)
  try {
    // The report is on the disk before anybody builds on it.
    await child.flush(child.controller.signal)
    const ended = { state, end, ms: conversation.clock.now() - startedAt }
    const isTold = state.background !== 'no' && !child.isAwaited
    if (isTold) await tellOfEnd(conversation, ended)
    const isPassedOn = await passOnNotices(conversation, state)
    // What is stopped wakes nobody.
    if ((isTold || isPassedOn) && !child.controller.signal.aborted) wakeMain(conversation)
    await leaveWorktree(conversation, child)
    return ended
  } finally {
    conversation.leaving.delete(child.id)
  }
}

/** Whether it goes on for what was said to it meanwhile; else only a person starts it again. */
function hearsMore(end: RunEnd): boolean {
  return end.kind === 'answered' && (end.reachedLimit === null || end.reachedLimit.kind === 'turns')
}

/** False where it failed, was stopped, or reached a limit. */
async function runMain(conversation: Conversation, main: LiveAgent): Promise<boolean> {
  const { signal } = main.controller
  do {
    const end = await runLoop(conversation, main)
    if (!hearsMore(end)) {
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
  const end = await guardedLoop(conversation, agent)
  await saveWork(conversation, agent, end)
  return end
}

/** A bug fails the agent, in the open, and not the program. */
async function guardedLoop(conversation: Conversation, agent: LiveAgent): Promise<RunEnd> {
  const { signal } = agent.controller
  try {
    const entered = await enterWorktree(conversation, agent, signal)
    if (signal.aborted) return { kind: 'stopped' }
    if (!entered.ok) return { kind: 'failed', type: entered.failure.type, message: entered.failure.message }
    await conversation.deps.letters.read(agent)
    const end = await runAgent(agent, 0, conversation.deps.loop, signal)
    return signal.aborted ? { kind: 'stopped' } : end
  } catch (thrown) {
    return { kind: 'failed', type: 'bug', message: `Troupe itself failed here: ${messageOf(thrown)}` }
  }
}

/** In the next turn of the nearest agent above it that has not ended. */
async function tellOfEnd(conversation: Conversation, { state, end, ms }: EndedRun): Promise<void> {
  const teller = nearestAbove(conversation, state)
  conversation.queue.add(noticeOf(state, teller, { end, ms }))
  // The notice waits in the record: should that be lost, nobody would hear of it after a restart.
  await conversation.saveFor(teller, { updatedAt: conversation.clock.now() }, AbortSignal.abort())
}

/** Ends that it was to be told of, and ended too early to hear: whoever is above it hears them. */
async function passOnNotices(conversation: Conversation, state: AgentState): Promise<boolean> {
  const teller = nearestAbove(conversation, state)
  if (!conversation.queue.passOnNotices(state.id, teller)) return false
  await conversation.saveFor(teller, { updatedAt: conversation.clock.now() }, AbortSignal.abort())
  return true
}

function nearestAbove(conversation: Conversation, state: AgentState): string {
  for (let at = state.parentId; at !== null; at = conversation.state(at)?.parentId ?? null)
    if (conversation.agents.get(at)?.run != null) return at
  return conversation.record.mainAgentId
}
