/**
 * Runs agents: the main agent whenever it has something to do, a subagent to its end. An agent that does not wait for
 * its subagent gets a notice of the end.
 */

import { attemptOf } from '../../../shared/comparison/comparison.ts'
import type { QueuedMessage } from '../../../shared/events/conversation.ts'
import { messageOf } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { isMcp } from '../../../shared/tools/tool-entry.ts'
import { isStartedByProgram } from '../../../shared/verification/verification.ts'
import { enterWorktree, leaveWorktree, saveWork } from '../agent/agent-worktree.ts'
import { endAgent } from '../agent/end-agent.ts'
import { subagentStarts, turnFailed, worktreeCreated } from '../agent/interception-points.ts'
import { noticeOf } from '../agent/report.ts'
import { catalogOf } from '../agent/spawn-context.ts'
import type { AgentHandle, EndedRun } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Happening } from '../conversation/happening.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { conversationTotals } from '../conversation/summarize-conversation.ts'
import type { RunEnd } from '../ports/run-end.ts'
import { recordVerdict } from './record-verdict.ts'
import { remindOfVerification } from './set-phase.ts'
import { afterRun, beforeRun } from './verify-work.ts'

/** Starts the idle main agent on queued messages, or on results that the model has not seen. */
export function startMain(conversation: Conversation, main: AgentHandle): void {
  begin(main)
  void main.start(async (signal, agent) => {
    await beforeRun(conversation)
    const isIdle = await runMain(conversation, agent, signal)
    if (isIdle && !signal.aborted)
      for (const verifier of await afterRun(conversation)) void startSubagent(conversation, verifier)
    main.settle()
    conversation.publishSummary()
    // A message may have been queued since the last check.
    if (isIdle && !signal.aborted && conversation.file.queue.hasFor(main.id)) startMain(conversation, main)
    // The run ended before a pause could take effect.
    else if (agent.state().pauseWanted) agent.emit({ type: 'pause-changed', paused: false })
    return null
  })
}

/** Wakes the main agent when a command in the background has ended. */
export function wakeForCommand(conversation: Conversation, happened: Happening): undefined {
  if (happened.type === 'command-reported') wakeMain(conversation)
}

/** Starts an idle main agent on its queued messages. After a stop or a failure the main agent waits for the user. */
function wakeMain(conversation: Conversation): void {
  const { main } = conversation.agents
  if (!main || main.isRunning || !conversation.file.queue.hasFor(main.id)) return
  if (main.state().status === 'waiting') startMain(conversation, main)
}

/**
 * Starts a subagent, unless a message started it already. Resolves when the end is on disk and its notices are queued.
 */
export function startSubagent(conversation: Conversation, child: AgentHandle): Promise<EndedRun | null> {
  if (child.done !== null) return child.done
  begin(child)
  return child.start((signal, agent) => runSubagent(conversation, { handle: child, agent }, signal))
}

/** From here on the agent counts as live, also for a reader of its log after a crash. */
function begin({ agent }: AgentHandle): void {
  if (agent && agent.state().endedAt !== null)
    agent.emit({ type: 'status-changed', status: 'queued', waitingFor: null })
}

async function runSubagent(
  conversation: Conversation,
  { handle, agent }: { readonly handle: AgentHandle; readonly agent: LiveAgent },
  signal: AbortSignal,
): Promise<EndedRun> {
  const { clock } = conversation.ports
  const startedAt = clock.now()
  const reserved = agent.backing.reserve(signal)
  // Save first: a crash would lose an agent that the record does not name.
  await conversation.file.saveFor(agent.id, signal)
  await reserved
  await startOwnServers(conversation, agent)
  const isRefused = agent.backing.job === null && (await subagentStarts(conversation, agent, signal))
  let end: RunEnd = isRefused ? { kind: 'stopped', by: 'hook' } : await runOnce(conversation, agent, signal)
  const commands: string[] = []
  do {
    // A message that arrived during the last turn is read before the end.
    while (canContinue(end) && conversation.file.queue.hasFor(agent.id))
      end = withEarlierReport(end, await runOnce(conversation, agent, signal))
    commands.push(...(await conversation.commands.endOf(agent.id)))
  } while (canContinue(end) && conversation.file.queue.hasFor(agent.id))
  endAgent(agent, end, signal)
  const state = agent.state()
  // No await since the last check of the queue: a message sent from here on starts a new run.
  handle.end()
  try {
    // The report must be on disk before others build on it.
    await agent.flush(signal)
    const ended = { state, end, ms: clock.now() - startedAt, commands }
    recordVerdict(conversation, ended)
    // The user compares attempts. The main agent is told which one was merged.
    const isAttempt = attemptOf(conversation.file.record.comparisons, state.id) !== null
    const needsNotice = state.background !== 'no' && !handle.isAwaited && !isAttempt
    // The user reads the verdict first. The main agent gets it with its next message.
    const wakes = needsNotice && !isStartedByProgram(conversation.file.record.verifications, state.id)
    if (needsNotice) await queueNotice(conversation, ended)
    await conversation.happened({ type: 'run-ended', ended, signal })
    const isPassedOn = await passOnNotices(conversation, state)
    // A stop must not wake the main agent.
    if ((wakes || isPassedOn) && !signal.aborted) wakeMain(conversation)
    await leaveWorktree(conversation, agent)
    void conversation.happened({ type: 'run-settled', agentId: state.id })
    return ended
  } finally {
    handle.settle()
  }
}

/** The answer to a message that came late does not replace the report before it. */
function withEarlierReport(earlier: RunEnd, end: RunEnd): RunEnd {
  if (earlier.kind !== 'answered' || end.kind !== 'answered') return end
  const texts = [earlier.text, end.text].filter((text) => text.trim() !== '')
  return { ...end, text: texts.join('\n\n') }
}

/** Whether a queued message may continue the run; otherwise only the user starts the agent again. */
function canContinue(end: RunEnd): boolean {
  return end.kind === 'answered' && (end.reachedLimit === null || end.reachedLimit.kind === 'turns')
}

/** True: the main agent waits for the next message. False: it failed, was stopped, or reached a limit. */
async function runMain(conversation: Conversation, main: LiveAgent, signal: AbortSignal): Promise<boolean> {
  let end: RunEnd
  do {
    end = await runOnce(conversation, main, signal)
    if (!canContinue(end)) {
      recordOutcome(conversation, end)
      endAgent(main, end, signal)
      await main.flush(signal)
      return false
    }
    if (end.kind === 'answered' && end.reachedLimit === null) remindOfVerification(conversation)
  } while (conversation.file.queue.hasFor(main.id))
  main.slot.release()
  recordOutcome(conversation, end)
  const atLimit = end.kind === 'answered' && end.reachedLimit !== null
  main.emit({
    type: 'status-changed',
    status: 'waiting',
    waitingFor: 'message',
    ...(atLimit ? { reachedLimit: 'turns' as const } : {}),
  })
  main.notify({ kind: 'idle', text: main.state().lastLine }, conversation.lifetime.signal)
  await main.flush(signal)
  return true
}

/** Records for the list of conversations how the main agent's run ended. No agent waits for the disk. */
function recordOutcome({ file, agents }: Conversation, end: RunEnd): void {
  const outcome = end.kind === 'answered' ? (end.reachedLimit === null ? 'done' : 'limit') : failedAs(end)
  file.emit({ type: 'conversation-settled', outcome, totals: conversationTotals(agents.states()) })
  void file.save()
}

const failedAs = ({ kind }: Exclude<RunEnd, { kind: 'answered' }>) =>
  kind === 'interrupted' ? 'failed' : kind

/** Runs the backing once, and commits the work in the agent's worktree before others build on it. */
async function runOnce(conversation: Conversation, agent: LiveAgent, signal: AbortSignal): Promise<RunEnd> {
  const end = await runBacking(conversation, agent, signal)
  await turnFailed(conversation, agent, { end, signal })
  await saveWork(conversation, agent, end)
  return end
}

/** A bug fails the agent visibly instead of ending the program. */
async function runBacking(
  conversation: Conversation,
  agent: LiveAgent,
  signal: AbortSignal,
): Promise<RunEnd> {
  try {
    const entered = await enterWorktree(conversation, agent, signal)
    if (signal.aborted) return { kind: 'stopped' }
    if (!entered.ok)
      return { kind: 'failed', type: 'worktree', message: entered.failure.message, cause: entered.failure }
    await worktreeCreated(conversation.loop, agent, signal)
    await takeMail(conversation, agent.id)
    const end = await agent.backing.start(signal)
    return signal.aborted ? { kind: 'stopped' } : end
  } catch (thrown) {
    return { kind: 'failed', type: 'bug', message: `Internal error: ${messageOf(thrown)}` }
  }
}

/** Queues the notice for the nearest agent above that runs, or for the main agent. */
async function queueNotice(conversation: Conversation, ended: EndedRun): Promise<void> {
  const { state } = ended
  const receiver = conversation.agents.nearestRunningAbove(state.id)
  conversation.file.queue.add(noticeOf(state, receiver, ended))
  await saveQueue(conversation, receiver)
}

/** Passes on notices that the agent did not read before its own end. */
async function passOnNotices(conversation: Conversation, state: AgentState): Promise<boolean> {
  const receiver = conversation.agents.nearestRunningAbove(state.id)
  if (!conversation.file.queue.passOnNotices(state.id, receiver)) return false
  await saveQueue(conversation, receiver)
  return true
}

/**
 * Tries once: while the disk refuses, the receiver is shown as waiting for the disk, but the end of the run is not
 * delayed.
 */
async function saveQueue(conversation: Conversation, receiver: string): Promise<void> {
  await conversation.file.saveFor(receiver, AbortSignal.abort())
}

/**
 * Starts the servers whose tools the agent has. A new agent's servers started before its plan. On a worker's machine,
 * what is missing there is announced to the agent as removed.
 */
async function startOwnServers(conversation: Conversation, agent: LiveAgent): Promise<void> {
  const { id, file, ports, relay } = conversation
  const { serverTools } = ports
  const { turns, definition } = agent.state()
  const isNew = turns === 0 && relay === null
  const hasServers = agent.prompt.toolSchemas.some(({ name }) => isMcp(name))
  if (serverTools === undefined || isNew || !hasServers || agent.backing.name !== 'loop') return
  const { folder } = file.record
  if (relay !== null) await serverTools.ready(folder, id)
  const { definitions } = await catalogOf(conversation)
  const own = definitions.find(({ name }) => name === definition.name)
  if (own) await serverTools.need(folder, own)
}

/**
 * Moves the messages in an agent's mailboxes to its queue. Resolves when the messages are queued and on disk; an agent that has ended is read first. Messages that can't be saved
 * now stay in the mailbox too, and are not queued twice.
 */
export async function takeMail(
  conversation: Conversation,
  agentId: string,
): Promise<readonly QueuedMessage[]> {
  const { file, assembly } = conversation
  const name = conversation.agents.state(agentId)?.name ?? null
  return assembly.mailbox.read({
    agentId,
    mailboxes: name === null ? [agentId] : [agentId, name],
    async unknown(messageIds) {
      const known = await conversation.withAgent(agentId, (agent) => agent.transcript.messageIds)
      return known.ok ? messageIds.filter((id) => !known.value.has(id) && !file.queue.has(id)) : null
    },
    accept: async (messages) => {
      for (const message of messages) file.queue.add(message)
      return (await file.save()).ok
    },
    failed: (text) =>
      conversation.agents.get(agentId)?.agent?.emit({ type: 'notice', level: 'warning', text }),
  })
}
