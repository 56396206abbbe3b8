/** Carries out an Agent call that resumes an agent. */

import { titleOf } from '../agent/report.ts'
import type { AgentHandle } from '../conversation/agent-handle.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { type ToolOutcome, toolError } from '../ports/tool.ts'
import type { AgentCall } from '../tools/agent.ts'
import { type Calling, narrowMode, promptChild, runChild } from './run-child.ts'

type Resuming = Calling<AgentCall & { readonly resume: string }>

/** Resumes an ended agent with its whole transcript; the prompt is its next user message. */
export async function resumeAgent(conversation: Conversation, calling: Resuming): Promise<ToolOutcome> {
  const { parent, call, context } = calling
  const { agents } = conversation
  const state = agents.find(call.resume)
  const handle = state && agents.get(state.id)
  if (!handle || !agents.isBelow(handle.id, parent.id)) return unknownAgent(conversation, calling)
  if (handle.isRunning && handle.agent) return stillRunning(handle, handle.agent)
  if (state.definition.oneShot)
    return toolError(
      `${state.definition.name} gives one report and cannot be resumed. Start a new one, with what this one reported in its prompt.`,
      'one report only',
    )
  const resumed = await conversation.withAgent(handle.id, (agent) => {
    if (context.signal.aborted) return toolError('Stopped before the agent was resumed.', 'stopped')
    if (handle.isRunning) return stillRunning(handle, agent)
    const { background: before, bubbles } = agent.state()
    narrowMode(agent, parent.state())
    const background = call.run_in_background === true
    if (background) agent.emit({ type: 'moved-to-background', by: 'call', bubbles })
    else if (before !== 'no') agent.emit({ type: 'awaited-again' })
    promptChild(conversation, agent, call.prompt)
    return runChild(conversation, calling, { handle, agent, background })
  })
  return resumed.ok ? resumed.value : toolError(resumed.failure.message, 'not resumed')
}

function unknownAgent({ agents }: Conversation, { parent, call }: Resuming): ToolOutcome {
  const ended = agents
    .all()
    .filter((handle) => handle.hasEnded && agents.isBelow(handle.id, parent.id))
    .map((handle) => handle.state())
    .filter(({ definition }) => !definition.oneShot)
  const known = ended.map((state) => `${state.id}: ${titleOf(state)}`).join('; ')
  return toolError(
    `There is no agent ${call.resume} that you started. ${known === '' ? 'None has ended that can be resumed.' : `Those that can be resumed: ${known}.`}`,
    'unknown agent',
  )
}

/** Unless another call waits for the report, the caller gets a notice of the end. */
function stillRunning(handle: AgentHandle, agent: LiveAgent): ToolOutcome {
  const { id, status, background } = agent.state()
  if (!handle.isAwaited && background === 'no')
    agent.emit({ type: 'moved-to-background', by: 'call', bubbles: true })
  return toolError(
    `The agent ${id} has not ended; it is ${status}. Write to it with SendMessage, or wait for its report.`,
    'still working',
  )
}
