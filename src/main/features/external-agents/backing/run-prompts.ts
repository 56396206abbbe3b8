/** The prompts of one run of an agent, to a session that is open. */
import type { AgentEventDraft } from '../../../../shared/events/agent-event.ts'
import type { UserBlock } from '../../../../shared/messages/content.ts'
import { promptOf } from '../../../platform/acp/content.ts'
import { reportOf, runEndOfTurn } from '../../../platform/acp/turn-end.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { RunEnd } from '../../../runtime/ports/run-end.ts'
import { explainedFailure } from './agent-process.ts'
import { AgentTerminals } from './agent-terminals.ts'
import type { BackingDeps } from './backing-deps.ts'
import { ExternalChanges } from './external-changes.ts'
import { ExternalHooks } from './external-hooks.ts'
import { connectedEvent, followSession, type SessionBeginning } from './external-session.ts'
import { ExternalSubagents } from './external-subagents.ts'
import { abandonSession, type HeldSession } from './held-sessions.ts'
import type { LoginWait } from './login-wait.ts'
import { firstPrompt, nextPrompt } from './prompt-content.ts'
import { runTurn, STOP_TIME, type Turn } from './run-turn.ts'
import { createHost } from './session-host.ts'
import { silentSubagents, UNHEARD, UnheardEnds } from './untold-subagents.ts'
import { MOST_CALLS, UpdateRecorder } from './update-recorder.ts'

export interface RunSession extends HeldSession {
  /** How it began for this run; null: it was open already. */
  readonly began: SessionBeginning | null
}

interface PromptRun {
  readonly agent: BackedAgent
  readonly deps: BackingDeps
  readonly emit: (draft: AgentEventDraft) => void
  readonly loginWait: LoginWait
  readonly signal: AbortSignal
}

/** `restart`: after a login the program must be started again, and nothing was sent. */
export async function runPrompts(held: RunSession, run: PromptRun): Promise<RunEnd | 'restart'> {
  const { agent, deps, emit, signal } = run
  const { session, lease } = held
  const over = new AbortController()
  const stop = () => over.abort()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  const hooks = new ExternalHooks(agent, over.signal)
  hooks.stopped.addEventListener('abort', stop, { once: true })
  // At a limit nobody is asked any more. Hooks and changes go on to the end.
  const limited = new AbortController()
  const asking = AbortSignal.any([over.signal, limited.signal])
  const ending = earlyEnd(lease.process.ended, stop)
  const changes = new ExternalChanges({
    ...(deps.journal && { journal: deps.journal }),
    agent,
    clock: deps.clock,
    emit,
    signal: over.signal,
  })
  const subagentSeen = silentSubagents({
    program: session.connection.program.name,
    clock: deps.clock,
    emit,
    signal: over.signal,
  })
  const recorder: UpdateRecorder = new UpdateRecorder({
    agentId: agent.id,
    now: () => deps.clock.now(),
    emit,
    live: (event) => agent.live(event),
    model: () => agent.state().model,
    cost: session.cost,
    onCall(call) {
      changes.seen(call, { emit, start: (begun) => recorder.start(begun) })
      terminals.seen(call)
      subagentSeen(call)
    },
    onEnd: (call, result) => hooks.callEnded(call, result),
    terminal: (terminalId) => terminals.view(terminalId),
  })
  const terminals: AgentTerminals = new AgentTerminals({
    agent,
    shell: deps.shell,
    recorder,
    changes,
    signal: over.signal,
    permit: hooks.permit,
  })
  const common = { files: deps.files, changes }
  const host = createHost({
    ...common,
    agent,
    permit: hooks.permit,
    recorder,
    terminals,
    emit,
    signal: asking,
    updated: () => {
      if (recorder.callCount > MOST_CALLS) ending.refuse(`It made more than ${MOST_CALLS} calls.`)
    },
  })
  const children = new ExternalSubagents({
    owner: agent,
    recorder,
    now: () => deps.clock.now(),
    signal: asking,
    cancel: (sessionId) => session.connection.notify('session/cancel', { sessionId }),
    attach: (sessionId, child) => session.connection.attach(sessionId, child),
    serve(child) {
      const own = new AgentTerminals({ ...child, shell: deps.shell, changes })
      return {
        host: createHost({ ...common, ...child, terminals: own, updated: () => {} }),
        seen(call) {
          const { emit: tell, recorder: calls } = child
          changes.seen(call, { emit: tell, start: (begun) => calls.start(begun) })
          own.seen(call)
        },
        terminal: (terminalId) => own.view(terminalId),
      }
    },
    refuse: ending.refuse,
  })
  const unheard = new UnheardEnds()
  session.serve(unheard.following(children.serving(host)))
  followSession(session, agent, emit)
  let isLost = true
  try {
    agent.takeMessages()
    const sent = await sendAll(held, {
      ...{ ...run, recorder, changes, hooks, unheard },
      ...{ early: ending.early, withdraw: () => limited.abort() },
    })
    isLost = sent.isLost
    return sent.end
  } finally {
    await terminals.end()
    recorder.finish('cancelled')
    await tellAdded(hooks, agent)
    // Before the subagents end: what they did is theirs.
    await changes.settle()
    await children.handled()
    signal.removeEventListener('abort', stop)
    over.abort()
    await children.end(`${agent.state().definition.name} ended before this subagent of it had ended.`)
    session.serve(null)
    if (isLost) await abandonSession(held, { clock: deps.clock, limit: STOP_TIME, held: deps.held })
    // The last look, when nothing of the run can write any more.
    await changes.end()
    if (!isLost) deps.held.put(agent.id, held)
  }
}

interface Sent {
  readonly end: RunEnd | 'restart'
  /** Whether the session can't be used again. */
  readonly isLost: boolean
}

/** Sends prompts until no message waits any more. */
async function sendAll(
  held: RunSession,
  run: PromptRun & {
    readonly recorder: UpdateRecorder
    readonly changes: ExternalChanges
    readonly hooks: ExternalHooks
    readonly unheard: UnheardEnds
    readonly early: Promise<Turn>
    readonly withdraw: () => void
  },
): Promise<Sent> {
  const { agent, deps, recorder, changes, hooks, unheard, early, withdraw, signal } = run
  const { session, lease, began } = held
  const { images } = session.connection.can
  let content = began === 'new' ? firstPrompt(agent, images) : nextPrompt(agent, images)
  for (;;) {
    await changes.begin()
    if (signal.aborted) return { end: { kind: 'stopped' }, isLost: false }
    recorder.begin()
    const turn = await runTurn(session, content, {
      agent,
      clock: deps.clock,
      early,
      withdraw,
      signal: AbortSignal.any([signal, hooks.stopped]),
    })
    await changes.settle()
    const usage = turn.kind === 'ended' ? turn.usage : null
    const text = recorder.finish(stopReasonOf(turn), usage)
    const added = await tellAdded(hooks, agent)
    const { isLost } = turn
    if (signal.aborted) return { end: { kind: 'stopped' }, isLost }
    if (hooks.stopped.aborted) return { end: { kind: 'stopped', by: 'hook' }, isLost }
    if (turn.kind === 'login') {
      const first = await run.loginWait.wait(session.connection, { process: lease.process, signal })
      if (first === 'restart') return { end: 'restart', isLost: true }
      if (first !== 'again') return { end: first, isLost: first.kind === 'failed' }
      run.emit(connectedEvent(session, began ?? 'resumed'))
      continue
    }
    const end = await endOfTurn(turn, text, { run, held })
    if (end.kind !== 'answered') return { end, isLost }
    if (turn.kind !== 'ended') {
      await hooks.reasonToContinue(end)
      return { end, isLost }
    }
    await agent.acquireSlot(signal)
    if (signal.aborted) return { end: { kind: 'stopped' }, isLost }
    const messages = agent.takeMessages()
    const continues = unheard.taken() && messages.length === 0
    if (continues) agent.tell(UNHEARD)
    const reason = continues ? UNHEARD : messages.length === 0 ? await hooks.reasonToContinue(end) : null
    if (messages.length === 0 && reason === null) return { end, isLost }
    const notes = [...added, ...(reason === null ? [] : [reason])].map(noteOf)
    const told = messages.flatMap((message) => [
      ...message.content,
      ...(message.attached ?? []).map(({ text }) => noteOf(text)),
      ...(message.context ? [noteOf(message.context)] : []),
    ])
    content = promptOf([...notes, ...told], images)
  }
}

/** What hooks added is in the transcript when the next prompt brings it to the program. */
async function tellAdded(hooks: ExternalHooks, agent: BackedAgent): Promise<readonly string[]> {
  const added = await hooks.settle()
  for (const text of added) agent.tell(text)
  return added
}

const noteOf = (text: string): UserBlock => ({ type: 'text', text })

async function endOfTurn(
  turn: Exclude<Turn, { kind: 'login' }>,
  text: string,
  { run, held }: { readonly run: PromptRun; readonly held: RunSession },
): Promise<RunEnd> {
  const { agent, deps } = run
  switch (turn.kind) {
    case 'ended':
      return runEndOfTurn(turn.reason, text)
    case 'stopped':
      return { kind: 'stopped' }
    case 'limited': {
      const report = reportOf(text, `It reached ${turn.limit.description}.`)
      return { kind: 'answered', text: report, reachedLimit: turn.limit }
    }
    case 'failed': {
      const { definition } = agent.state()
      return explainedFailure(held.lease.process, turn.message, { definition, clock: deps.clock })
    }
  }
}

const stopReasonOf = (turn: Turn): string => {
  if (turn.kind === 'ended') return turn.reason
  return turn.kind === 'failed' || turn.kind === 'login' ? 'error' : 'cancelled'
}

/** What ends the run without an answer: the end of the process, and a session that does too much. */
function earlyEnd(
  ended: Promise<unknown>,
  stop: () => void,
): { readonly early: Promise<Turn>; readonly refuse: (why: string) => void } {
  let refuse: (why: string) => void = () => {}
  const early = new Promise<Turn>((resolve) => {
    refuse = (message) => resolve({ kind: 'failed', message, isLost: true })
    // A session that ends must not wait for answers any more.
    void ended.then(() => {
      stop()
      refuse('')
    })
  })
  return { early, refuse: (why) => refuse(why) }
}
