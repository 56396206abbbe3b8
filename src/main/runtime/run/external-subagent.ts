/**
 * The runs of a subagent that an external agent started by itself. The program decides when a run begins and
 * ends. Troupe shows the agent, asks for its permissions and can have it canceled, and starts nothing for it: it has no
 * slot, no worktree, no prompt and no messages of its own, and its parent gets its report from the program.
 */
import { plainSpawn } from '../../../shared/events/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { endAgent } from '../agent/end-agent.ts'
import { whyNotStopped } from '../agent/why-not-possible.ts'
import type { AgentHandle } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import {
  EXTERNAL_SUBAGENT_BACKING,
  type ExternalSubagentFacts,
  type ExternalSubagentRun,
  type StartedSubagent,
} from '../ports/agent-backing.ts'
import { AgentStop } from '../ports/agent-stop.ts'
import type { RunEnd } from '../ports/run-end.ts'

/** ms that the program has to end a canceled run. */
const CANCEL_TIME = 5000

/** See `BackedAgent.startChild`. `ownerId`: the agent that the program carries out. */
export async function startExternalSubagent(
  conversation: Conversation,
  ownerId: string,
  child: StartedSubagent,
): Promise<Result<ExternalSubagentRun>> {
  if (conversation.lifetime.signal.aborted) return fail(closed)
  const known = knownChild(conversation, ownerId, child)
  if (known === null) return ok(begin(conversation, spawnChild(conversation, child), child))
  if (known.isRunning) return fail(running)
  const begun = await conversation.withAgent(known.id, (agent, handle) => {
    if (conversation.lifetime.signal.aborted) return fail(closed)
    if (handle.isRunning) return fail(running)
    const run = begin(conversation, { handle, agent }, child)
    run.changed(child)
    return ok(run)
  })
  return begun.ok ? begun.value : begun
}

function knownChild(
  { agents }: Conversation,
  ownerId: string,
  { sessionId }: StartedSubagent,
): AgentHandle | null {
  const isSame = ({ id, child }: AgentState) => child?.sessionId === sessionId && agents.isBelow(id, ownerId)
  return agents.all().find((handle) => isSame(handle.state())) ?? null
}

function spawnChild(
  conversation: Conversation,
  child: StartedSubagent,
): { readonly handle: AgentHandle; readonly agent: LiveAgent } {
  const parent = conversation.agents.state(child.parentId)
  if (parent === null) throw new Error(`${child.parentId} is no agent of this conversation.`)
  const { definition, worktree, model, permissionMode, neverAsks, maxTurns, depth } = parent
  const id = conversation.ports.ids.next('a')
  const spawned = conversation.spawn(id, {
    blocked: [],
    warnings: [],
    spawn: {
      ...plainSpawn,
      type: 'agent-spawned',
      conversationId: conversation.id,
      parentId: child.parentId,
      parentToolUseId: child.shownBy(),
      definition: {
        ...definition,
        name: child.name ?? UNNAMED,
        file: null,
        color: conversation.colors.next({ id, parentId: child.parentId, wanted: null }),
        // Only its program can give it more work.
        oneShot: true,
        digest: '',
      },
      task: child.task ?? '',
      model,
      system: '',
      tools: [],
      permissionMode,
      neverAsks,
      cwd: child.cwd ?? parent.cwd,
      maxTurns,
      depth: depth + 1,
      worktree: worktree && { ...worktree, own: false },
      backing: EXTERNAL_SUBAGENT_BACKING,
      childSession: child.sessionId,
    },
  })
  tellFacts(spawned.agent, child)
  return spawned
}

function begin(
  conversation: Conversation,
  { handle, agent }: { readonly handle: AgentHandle; readonly agent: LiveAgent },
  child: StartedSubagent,
): ExternalSubagentRun {
  let finish: (end: RunEnd) => void = () => {}
  const finished = new Promise<RunEnd>((resolve) => {
    finish = resolve
  })
  let runSignal = AbortSignal.abort()
  const done = handle.start(async (signal) => {
    runSignal = signal
    const { ms, end } = await run(conversation, { agent, child, finished, signal })
    endAgent(agent, end, signal)
    const state = agent.state()
    handle.end()
    try {
      await agent.flush(signal)
      return { state, end, ms, commands: [] }
    } finally {
      handle.settle()
    }
  })
  // A failure is a bug that ends the program; nothing else may wait for it.
  done.catch(() => undefined)
  return {
    agent: agent.backed,
    signal: runSignal,
    changed: (facts) => tellFacts(agent, facts),
    stop() {
      const why = whyNotStopped(conversation, agent.id)
      if (why === null) handle.stop(new AgentStop('hook'))
      else agent.emit({ type: 'notice', level: 'warning', text: `It works on: ${why.message}` })
    },
    async end(end) {
      finish(end)
      await done.catch(() => undefined)
    },
  }
}

/** One run, to its end or until it was stopped and the program had time to end it. */
async function run(
  conversation: Conversation,
  {
    agent,
    child,
    finished,
    signal,
  }: {
    readonly agent: LiveAgent
    readonly child: StartedSubagent
    readonly finished: Promise<RunEnd>
    readonly signal: AbortSignal
  },
): Promise<{ readonly end: RunEnd; readonly ms: number }> {
  const { clock } = conversation.ports
  const startedAt = clock.now()
  agent.emit({ type: 'status-changed', status: 'running', waitingFor: null })
  await agent.slot.acquire(signal)
  // A crash would lose an agent that the record does not name.
  await conversation.file.saveFor(agent.id, signal)
  const stopped = new Promise<null>((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })
  let end: RunEnd = (await Promise.race([finished, stopped])) ?? { kind: 'stopped' }
  if (signal.aborted) {
    if (agent.state().child?.canStop) await canceled(conversation, child, finished)
    child.cutOff()
    end = { kind: 'stopped' }
  }
  return { end, ms: clock.now() - startedAt }
}

async function canceled(
  { ports: { clock } }: Conversation,
  child: StartedSubagent,
  finished: Promise<RunEnd>,
): Promise<void> {
  const over = new AbortController()
  child.cancel()
  await Promise.race([finished, clock.sleep(CANCEL_TIME, over.signal)])
  over.abort()
}

function tellFacts(agent: LiveAgent, facts: ExternalSubagentFacts): void {
  const { definition, task: told, cwd: folder, child } = agent.state()
  const name = facts.name ?? definition.name
  const task = facts.task ?? told
  const cwd = facts.cwd ?? folder
  const canStop = facts.canStop ?? child?.canStop ?? false
  // Commands are judged by the folder in which they run.
  agent.session.cwd = cwd
  if (name === definition.name && task === told && cwd === folder && canStop === child?.canStop) return
  agent.emit({ type: 'child-changed', name, task, cwd, canStop })
}

/** The name of a subagent that its program does not name. */
const UNNAMED = 'Subagent'

const closed = { type: 'closed', message: 'The conversation is closing.' }
const running = { type: 'running', message: 'This subagent has not ended.' }
