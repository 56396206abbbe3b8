/** The points outside the loop: a conversation's start and end, a subagent's start, messages, and worktrees. */
import type { AgentEventDraft, InterceptionPoint } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import type { History } from '../loop/history.ts'
import {
  type Interceptable,
  type InterceptDeps,
  type Interception,
  intercept,
  interceptionSubject,
} from '../loop/intercept.ts'
import type { PointFacts } from '../ports/interceptors.ts'
import type { RunEnd } from '../ports/run-end.ts'

/** @returns the context for the agent. The failure `refused` says why the message is not delivered. */
export async function submitUserMessage(
  conversation: Conversation,
  agent: AgentState,
  content: readonly UserBlock[],
): Promise<Result<string | null>> {
  if (conversation.loop.interceptors === undefined) return ok(null)
  const { denial, context } = await conversation.submissions.withLock(conversation.id, () =>
    interceptWithoutRun(conversation, agent, {
      point: 'user-message',
      facts: { text: textOf(content) },
    }),
  )
  if (denial !== null) return fail({ type: 'refused', message: denial })
  return conversation.lifetime.signal.aborted
    ? fail({ type: 'refused', message: 'The conversation was closed before the message was sent.' })
    : ok(context)
}

/** An ended agent has no open log, so its verdicts are kept until the interceptors are done. */
export async function interceptWithoutRun<P extends InterceptionPoint>(
  conversation: Conversation,
  state: AgentState,
  { point, facts }: { readonly point: P; readonly facts: PointFacts[P] },
): Promise<Interception> {
  const verdicts: AgentEventDraft[] = []
  const { record } = conversation.file
  const subject = interceptionSubject(state, {
    project: record.folder,
    team: record.teams.find(({ id }) => id === state.teamId)?.name ?? null,
    transcriptPath: conversation.file.transcriptPath(state.id),
  })
  const { agents } = conversation
  const live = agents.get(state.id)?.agent ?? agents.main?.agent
  let isOver = false
  const agent = {
    subject: () => subject,
    // An interceptor that nobody waits for answers later.
    emit: (draft: AgentEventDraft) =>
      isOver ? agents.get(state.id)?.agent?.emit(draft) : verdicts.push(draft),
    reach: live?.reach ?? null,
  }
  const { loop, lifetime } = conversation
  const result = await intercept({ agent, deps: loop, signal: lifetime.signal }, point, facts)
  isOver = true
  if (verdicts.length > 0)
    await conversation.withAgent(state.id, (live) => {
      for (const verdict of verdicts) live.emit(verdict)
    })
  return result
}

/**
 * Runs at every start of a subagent, also of one that is resumed.
 * @returns whether an interceptor stopped it
 */
export async function subagentStarts(
  conversation: Conversation,
  agent: LiveAgent,
  signal: AbortSignal,
): Promise<boolean> {
  const run = { agent, deps: conversation.loop, signal }
  const { context, stop } = await interceptStart(run, agent.transcript.history)
  addContext(agent, context)
  return stop !== null
}

export async function sessionStarts(
  conversation: Conversation,
  facts: PointFacts['session-start'],
): Promise<void> {
  const { agents, loop, lifetime } = conversation
  const main = agents.main?.agent
  if (!main) return
  const run = { agent: main, deps: loop, signal: lifetime.signal }
  addContext(main, (await intercept(run, 'session-start', facts)).context)
}

/** Each interceptor's own time limit bounds the wait. */
export async function sessionEnds(
  { agents, loop }: Conversation,
  facts: PointFacts['session-end'],
): Promise<void> {
  const main = agents.main?.agent
  if (!main) return
  const { signal } = new AbortController()
  await intercept({ agent: main, deps: loop, signal }, 'session-end', facts)
}

/** After a run that failed here. A worker tells the interceptors of its own machine. */
export async function turnFailed(
  { loop }: Conversation,
  agent: LiveAgent,
  { end, signal }: { readonly end: RunEnd; readonly signal: AbortSignal },
): Promise<void> {
  if (end.kind !== 'failed' || agent.backing.job?.isAttached()) return
  const { type, message } = end
  const facts = { type, message, text: agent.state().lastLine }
  await intercept({ agent, deps: loop, signal }, 'turn-failed', facts)
}

function addContext(agent: LiveAgent, context: string | null): void {
  if (context !== null) agent.transcript.tell(context)
}

/** The interceptors of a subagent's start. An agent whose history has an answer counts as resumed. */
export function interceptStart(
  run: {
    readonly agent: Interceptable & { state(): AgentState }
    readonly deps: InterceptDeps
    readonly signal: AbortSignal
  },
  { lastAnswerSeq }: Pick<History, 'lastAnswerSeq'>,
): Promise<Interception> {
  return intercept(run, 'subagent-start', {
    task: run.agent.state().task,
    isResumed: lastAnswerSeq !== null,
  })
}

/** Tells interceptors of an agent's new worktree, only at the first start of the agent that owns its worktree. */
export async function worktreeCreated(
  loop: InterceptDeps,
  agent: LiveAgent,
  signal: AbortSignal,
): Promise<void> {
  const { worktree } = agent.state()
  if (worktree === null || !agent.isWorktreeNew) return
  agent.isWorktreeNew = false
  const { context } = await intercept({ agent, deps: loop, signal }, 'worktree-create', worktree)
  if (context !== null) agent.transcript.tell(context)
}

/** Each interceptor's own time limit bounds the wait. */
export async function worktreeRemoved(loop: InterceptDeps, agent: LiveAgent): Promise<void> {
  const { worktree } = agent.state()
  const { signal } = new AbortController()
  if (worktree !== null) await intercept({ agent, deps: loop, signal }, 'worktree-remove', worktree)
}
