/** Runs a child of an Agent call, new or resumed: the call waits for the report, or continues without it. */
import { type EffectiveMode, narrowerMode } from '../../../shared/permission-modes.ts'
import { stopOf } from '../agent-stop.ts'
import type { ToolContext, ToolOutcome } from '../tool.ts'
import type { AgentCall } from '../tools/agent.ts'
import type { AgentHandle } from './agent-handle.ts'
import type { Conversation } from './conversation.ts'
import type { LiveAgent } from './live-agent.ts'
import { reportOutcome, titleOf } from './report.ts'
import { startSubagent } from './run-agents.ts'

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
