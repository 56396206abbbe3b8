/**
 * Runs a child of an Agent call, new or resumed: the call waits for the report, or continues without it. Also runs a child
 * that judges for an interceptor.
 */
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { type EffectiveMode, narrowerMode } from '../../../shared/permissions/permission-modes.ts'
import { sharedWorkingFolder } from '../agent/agent-worktree.ts'
import { planAgent } from '../agent/plan-agent.ts'
import { reportOutcome, titleOf } from '../agent/report.ts'
import { catalogOf, planDepsOf, planInputOf } from '../agent/spawn-context.ts'
import type { AgentHandle } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { stopOf } from '../ports/agent-stop.ts'
import type { LoadedDefinition } from '../ports/definitions.ts'
import { JUDGE, type Judgment } from '../ports/interceptors.ts'
import type { ToolContext, ToolOutcome } from '../ports/tool.ts'
import type { AgentCall } from '../tools/agent.ts'
import { startSubagent } from './run-agents.ts'
import { whyNoMore } from './start-checks.ts'

/** An Agent call and the agent that made it. */
export interface Calling<C extends AgentCall = AgentCall> {
  readonly parent: LiveAgent
  readonly call: C
  readonly context: ToolContext
}

/** In the foreground the call waits for the report; in the background it returns at once. */
export async function runChild(
  conversation: Conversation,
  { parent, context }: Calling,
  {
    handle,
    agent,
    background,
  }: { readonly handle: AgentHandle; readonly agent: LiveAgent; readonly background: boolean },
): Promise<ToolOutcome> {
  const display = { kind: 'agent', agentId: handle.id } as const
  const run = startSubagent(conversation, handle)
  if (background) {
    // The outcome says that the agent exists, so it must be on disk.
    await agent.flush(context.signal)
    return {
      isError: false,
      note: 'in the background',
      display,
      content: inBackground(agent),
    }
  }
  const stop = () => handle.stop(stopOf(context.signal))
  context.signal.addEventListener('abort', stop, { once: true })
  if (context.signal.aborted) stop()
  try {
    const detached = handle.awaitReport().then(() => null)
    const ended = await parent.slot.waitFor('children', Promise.race([run, detached]))
    if (ended !== null) return reportOutcome(ended.state, ended)
    return {
      isError: false,
      note: 'moved to the background',
      display,
      content: `The user moved this agent to the background, so continue without it. ${inBackground(agent)}`,
    }
  } finally {
    context.signal.removeEventListener('abort', stop)
  }
}

function inBackground(agent: LiveAgent): string {
  return `The agent ${titleOf(agent.state())} works in the background; its id is ${agent.id}. A notice brings its report when it ends. Do not wait for it, and do not guess its report.`
}

/** Adds the parent's prompt for the run. */
export function promptChild({ ports }: Conversation, agent: LiveAgent, text: string): void {
  agent.emit({
    type: 'user-message',
    messageId: ports.ids.next('m'),
    from: 'parent',
    sender: null,
    content: [{ type: 'text', text }],
  })
}

/** Limits the agent's mode to `most`. */
export function narrowMode(agent: LiveAgent, most: EffectiveMode): void {
  changeMode(agent, narrowerMode(most, agent.state()))
}

export function changeMode(agent: LiveAgent, { permissionMode, neverAsks }: EffectiveMode): void {
  const before = agent.state()
  if (permissionMode !== before.permissionMode || neverAsks !== before.neverAsks)
    agent.emit({ type: 'permission-mode-changed', permissionMode, neverAsks })
}

const JUDGING = 'Judge for a hook'
const JUDGE_TURNS = 50

const judgeDefinition = (prompt: string, model: string | undefined): LoadedDefinition => ({
  ...plainDefinition(JUDGE, 'Judges for a hook.'),
  ...{ source: 'built-in', file: null, color: 'gray', prompt, model: model ?? 'haiku' },
  tools: ['Read', 'Glob', 'Grep'],
  readOnly: true,
  hidden: true,
  oneShot: true,
  omitProjectInstructions: true,
})

/**
 * Has a subagent judge for an interceptor: it reads and searches files, asks nobody, and ends with its verdict. Fails if no
 * more agents may run, or if the judge ended without an answer.
 */
export async function judgeWithFiles(
  conversation: Conversation,
  { agentId, question }: { readonly agentId: string; readonly question: Judgment },
  signal: AbortSignal,
): Promise<Result<string>> {
  const { agents, ports } = conversation
  const parent = agents.get(agentId)?.agent
  if (!parent) return fail({ type: 'ended', message: 'The agent has ended.' })
  const judge = judgeDefinition(question.system, question.model)
  const input = await planInputOf(conversation, judge, await catalogOf(conversation))
  const { folder, worktree } = sharedWorkingFolder(conversation, parent)
  const { id, depth, model, effort, thinking, permissionMode, status } = parent.state()
  const judgeId = ports.ids.next('a')
  const mode = { permissionMode, neverAsks: true }
  const plan = planAgent(
    {
      ...{ ...input, folder, worktree, mode },
      color: conversation.colors.next({ id: judgeId, parentId: id, wanted: judge.color }),
      parent: { id, toolUseId: null, depth, model, effort, thinking, mode, readOnly: true },
      scratch: false,
      background: false,
      limits: ports.policy.limits.agent,
      task: JUDGING,
      ...{ model: null, effort: null, thinking: null, maxTurns: JUDGE_TURNS },
    },
    planDepsOf(conversation),
  )
  const refusal = plan.obstacle ?? whyNoMore(conversation, parent)
  if (refusal !== null) {
    conversation.colors.release(judgeId)
    return fail({ type: 'full', message: refusal })
  }
  if (signal.aborted) {
    conversation.colors.release(judgeId)
    return fail({ type: 'aborted', message: 'The agent was stopped.' })
  }
  const { handle, agent } = conversation.spawn(judgeId, plan)
  promptChild(conversation, agent, question.text)
  const stop = () => handle.stop(stopOf(signal))
  signal.addEventListener('abort', stop, { once: true })
  try {
    const run = startSubagent(conversation, handle)
    // An agent that works gives its slot to its judge.
    const ended = await (status === 'running' ? parent.slot.waitFor('children', run) : run)
    if (ended?.end.kind === 'answered') return ok(ended.end.text)
    const why = ended?.end.kind === 'failed' ? ended.end.message : 'It was stopped.'
    return fail({ type: 'no-verdict', message: `The judge gave no verdict. ${why}` })
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * The context of a start that the user wished and no tool call asked for: below an agent, without anyone to answer.
 * @param agent the parent of the new agent
 */
export function userContext(agent: LiveAgent, signal: AbortSignal): ToolContext {
  return {
    agentId: agent.id,
    toolUseId: '',
    session: agent.session,
    signal,
    onOutput: () => {},
    askForm: async () => ({ action: 'cancel', reason: 'unattended' }),
    askModel: async () =>
      fail({
        type: 'bad-request',
        message: 'No tool makes requests here.',
        status: null,
        retryAfterMs: null,
      }),
  }
}
