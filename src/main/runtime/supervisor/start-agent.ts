/** What the Agent tool does: it starts an agent, or resumes one, and waits for its report or goes on. */
import type { PermissionMode } from '../../../shared/agent-event.ts'
import { fail, ok, type Result } from '../../../shared/result.ts'
import { narrowerMode } from '../permissions/permission-modes.ts'
import type { LoadedDefinition } from '../ports.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { AgentCall } from '../tools/agent.ts'
import { countOf } from '../tools/amounts.ts'
import { mayStart, type Offers } from './agent-tools.ts'
import { ownWorkplace, sharedWorkplace, type Workplace } from './agent-worktree.ts'
import type { Conversation } from './conversation.ts'
import { forkDefinition, forkEvents } from './fork.ts'
import type { EndedRun, LiveAgent } from './live-agent.ts'
import { findDefinition, planAgent } from './plan-agent.ts'
import { reportOutcome } from './report.ts'
import { startSubagent } from './run-agents.ts'

/** What an Agent call does. A failure is an outcome that says what went wrong, and how far the agent came. */
export async function callAgent(
  conversation: Conversation,
  call: AgentCall,
  context: ToolContext,
): Promise<ToolOutcome> {
  const parent = conversation.agents.get(context.agentId)
  if (!parent) return toolError('The agent that calls is gone.')
  return call.resume === undefined
    ? startNew(conversation, parent, { call, context })
    : resumeOld(conversation, parent, { call: { ...call, resume: call.resume }, context })
}

interface Calling<C extends AgentCall = AgentCall> {
  readonly call: C
  readonly context: ToolContext
}

async function startNew(
  conversation: Conversation,
  parent: LiveAgent,
  { call, context }: Calling,
): Promise<ToolOutcome> {
  const { policy } = conversation.deps.ports
  const offers = await conversation.offers()
  const found = definitionFor(call, offers, parent, policy.forkSubagents)
  if (!found.ok)
    return toolError(
      found.failure.message,
      found.failure.type === 'unknown-agent' ? 'unknown agent' : 'not started',
    )
  const definition = found.value
  const { lastAnswerSeq } = parent.history
  const background = definition.background || call.run_in_background === true
  const input = await usualInput(conversation, definition, offers)
  const childId = conversation.ids.next('a')
  const place = await placeFor(conversation, { parent, call, definition, childId }, context.signal)
  if (!place.ok)
    return toolError(place.failure.message, place.failure.type === 'full' ? 'limit reached' : 'no worktree')
  const workplace = place.value
  // As it is by now: its mode may have been narrowed while its worktree was made.
  const state = parent.state()
  const plan = planAgent(
    {
      ...input,
      parent: {
        id: parent.id,
        toolUseId: context.toolUseId,
        depth: state.depth,
        model: state.model,
        permissionMode: state.permissionMode,
        readOnly: state.definition.readOnly,
      },
      fork:
        definition.forkContext && lastAnswerSeq !== null
          ? { agentId: parent.id, seq: lastAnswerSeq, system: parent.system, tools: parent.toolSchemas }
          : null,
      scratch: false,
      background,
      name: call.name ?? null,
      limits: policy.limits[background ? 'background' : 'agent'],
      task: call.description,
      model: call.model ?? null,
      maxTurns: call.max_turns ?? null,
      permissionMode: state.permissionMode,
      folder: workplace.folder,
      worktree: workplace.worktree,
    },
    conversation.planDeps,
  )
  // Looked at last, with nothing to wait for between here and the agent: calls come in parallel.
  const full = whyNoMore(conversation, parent)
  if (context.signal.aborted || full !== null) {
    if (workplace.worktree?.own) await conversation.worktrees.release(workplace.worktree)
    return full === null
      ? toolError('Stopped before the agent was started.', 'stopped')
      : toolError(full, 'limit reached')
  }
  const isFork = plan.spawn.inherits !== null
  const history = isFork ? { history: parent.history.fork(definition.reminder) } : null
  const child = conversation.spawn(childId, plan, history)
  for (const text of workplace.notices) child.emit({ type: 'notice', level: 'info', text })
  if (isFork)
    for (const event of forkEvents({
      parent,
      toolUseId: context.toolUseId,
      definition,
      memory: input.memory,
      skills: input.skills,
      toolNames: plan.tools.map(({ name }) => name),
      messageId: conversation.ids.next('m'),
    }))
      child.emit(event)
  if (workplace.told !== null) tell(conversation, child, workplace.told)
  prompt(conversation, child, call.prompt)
  return goOn(conversation, { parent, child, context, background })
}

/** Where it works. Failures: `full`, and those of a worktree that can't be made. */
async function placeFor(
  conversation: Conversation,
  {
    parent,
    call,
    definition,
    childId,
  }: {
    readonly parent: LiveAgent
    readonly call: AgentCall
    readonly definition: LoadedDefinition
    readonly childId: string
  },
  signal: AbortSignal,
): Promise<Result<Workplace>> {
  if ((call.isolation ?? definition.isolation) !== 'worktree')
    return ok(sharedWorkplace(conversation, parent))
  // Before anything is made for an agent that can't be started.
  const full = whyNoMore(conversation, parent)
  if (full !== null) return fail({ type: 'full', message: full })
  const task = call.description
  return ownWorkplace(conversation, { parent, agentId: childId, definition, task }, signal)
}

/** An agent that has ended goes on with its whole transcript; the prompt is its next user message. */
async function resumeOld(
  conversation: Conversation,
  parent: LiveAgent,
  { call, context }: Calling<AgentCall & { readonly resume: string }>,
): Promise<ToolOutcome> {
  const state = conversation.find(call.resume)
  const mine = conversation.states().filter(({ id }) => conversation.isBelow(id, parent.id))
  if (!state || !mine.includes(state)) {
    const ended = mine.filter(({ id }) => conversation.ended.has(id))
    const there = ended.map(({ id, definition, task }) => `${id} (${definition.name}: ${task})`).join(', ')
    return toolError(
      `There is no agent ${call.resume} that you started. ${there === '' ? 'None has ended yet.' : `Those that have ended: ${there}.`}`,
      'unknown agent',
    )
  }
  const works = conversation.agents.get(state.id)
  if (works?.run != null) return stillWorking(works)
  if (state.definition.oneShot)
    return toolError(
      `${state.definition.name} gives one report and cannot be resumed. Start a new one, with what this one reported in its prompt.`,
      'one report only',
    )
  const resumed = await conversation.withAgent(state.id, (child) => {
    if (context.signal.aborted) return toolError('Stopped before the agent was resumed.', 'stopped')
    if (child.run !== null) return stillWorking(child)
    const { background: before, bubbles } = child.state()
    narrowMode(child, parent.permissionMode())
    const background = call.run_in_background === true
    if (background) child.emit({ type: 'moved-to-background', by: 'call', bubbles })
    else if (before !== 'no') child.emit({ type: 'awaited-again' })
    prompt(conversation, child, call.prompt)
    return goOn(conversation, { parent, child, context, background })
  })
  return resumed.ok ? resumed.value : toolError(resumed.failure.message, 'not resumed')
}

/** Whoever asked for it is told of its end, if nobody else waits for that. */
function stillWorking(agent: LiveAgent): ToolOutcome {
  const { id, status, background } = agent.state()
  if (!agent.isAwaited && background === 'no')
    agent.emit({ type: 'moved-to-background', by: 'call', bubbles: true })
  return toolError(
    `The agent ${id} has not ended; it is ${status}. Write to it with SendMessage, or wait for its report.`,
    'still working',
  )
}

/** It goes on with no more than `most`. */
export function narrowMode(agent: LiveAgent, most: PermissionMode): void {
  const { permissionMode: before } = agent.state()
  const mode = narrowerMode(most, before)
  if (mode !== before) agent.emit({ type: 'permission-mode-changed', permissionMode: mode })
}

/** Runs the child: the call waits for its report, or has its answer at once. */
async function goOn(
  conversation: Conversation,
  {
    parent,
    child,
    context,
    background,
  }: {
    readonly parent: LiveAgent
    readonly child: LiveAgent
    readonly context: ToolContext
    readonly background: boolean
  },
): Promise<ToolOutcome> {
  const display = { kind: 'agent', agentId: child.id } as const
  if (background) {
    void startSubagent(conversation, child)
    // The answer says that it is there: so it must be on the disk.
    await child.flush(context.signal)
    return {
      isError: false,
      note: 'in the background',
      display,
      content: inBackground(conversation, child.id),
    }
  }
  const stop = () => child.controller.abort()
  const ended = new AbortController()
  context.signal.addEventListener('abort', stop, { once: true })
  if (context.signal.aborted) stop()
  try {
    child.isAwaited = true
    const run = startSubagent(conversation, child)
    const moved = child.noLongerAwaited(ended.signal).then(() => null)
    const first = await parent.waitFor('children', Promise.race<EndedRun | null>([run, moved]))
    if (first !== null) return reportOutcome(first.state, first)
    return {
      isError: false,
      note: 'moved to the background',
      display,
      content: `The user moved this agent to the background, so go on without it. ${inBackground(conversation, child.id)}`,
    }
  } finally {
    ended.abort()
    context.signal.removeEventListener('abort', stop)
  }
}

function inBackground(conversation: Conversation, id: string): string {
  return `The agent ${id} works in the background. What it does can be followed in ${conversation.log.transcriptPath(id)}. You are told when it has ended, with its report; do not wait for it, and do not guess what it will say.`
}

const prompt = (conversation: Conversation, child: LiveAgent, text: string): void =>
  say(conversation, child, { from: 'parent', text })

/** Something that the program says to an agent. */
export const tell = (conversation: Conversation, child: LiveAgent, text: string): void =>
  say(conversation, child, { from: 'runtime', text })

function say(
  conversation: Conversation,
  child: LiveAgent,
  { from, text }: { readonly from: 'parent' | 'runtime'; readonly text: string },
): void {
  child.emit({
    type: 'user-message',
    messageId: conversation.ids.next('m'),
    from,
    sender: null,
    content: [{ type: 'text', text }],
  })
}

function definitionFor(
  call: AgentCall,
  offers: Offers,
  parent: LiveAgent,
  forks: boolean,
): Result<LoadedDefinition> {
  if (call.subagent_type === undefined && forks) return ok(forkDefinition)
  const allowed = offers.definitions.filter((other) => mayStart(parent.state().definition, other))
  return findDefinition(allowed, call.subagent_type ?? 'general-purpose')
}

/** Why no more agents can be started, or null. */
function whyNoMore(conversation: Conversation, parent: LiveAgent): string | null {
  const { maxAgents } = conversation.deps.ports.policy
  if (conversation.agents.size + conversation.ended.size >= maxAgents)
    return `This conversation has had its ${maxAgents} agents, so no more can be started. Do the rest yourself, or ask the user to raise the limit in the settings.`
  const { spawns } = parent.state().limits
  const started = conversation.states().filter(({ parentId }) => parentId === parent.id).length
  return spawns !== null && started >= spawns
    ? `You have started ${countOf(spawns, 'agent')}, as many as you may. Do the rest yourself, and say in your report what is left.`
    : null
}

/** What is the same for all agents of a conversation, unless something else is said. */
export async function usualInput(conversation: Conversation, definition: LoadedDefinition, offers: Offers) {
  const { record } = conversation
  return {
    ...(await conversation.surroundingsOf(definition, offers)),
    conversationId: conversation.id,
    fork: null,
    background: false,
    name: null,
    limits: { tokens: null, usd: null, ms: null, spawns: null },
    folder: record.folder,
    worktree: null,
    facts: await conversation.folderFacts(),
    date: conversation.today(),
  }
}
