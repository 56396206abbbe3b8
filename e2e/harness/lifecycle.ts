/** What becomes of an agent that is paused, continued, stopped or moved: the events that the runtime would write. */
import { Refusal } from '../../src/renderer/testing/refusal.ts'
import { type AgentState, isLive } from '../../src/shared/agent-state.ts'
import type { DefinitionChange } from '../../src/shared/ipc-contract.ts'
import { callOf } from './log.ts'
import type { Conversation, World } from './world.ts'

/** So long a step goes on before an agent that is to rest does, in ms. */
const STEP = 1500

const GO_ON =
  'The user lets you go on. Take up your task where you left it; what was interrupted may or may not have had its effect, so look first.'

export function pauseAgent(world: World, conversation: Conversation, agentId: string): void {
  const agent = working(conversation, agentId)
  if (agent.pauseWanted) return
  world.act(conversation, (log) => log.write(agentId, { type: 'pause-changed', paused: true }))
  setTimeout(() => restAgent(world, conversation, agentId), STEP)
}

/** It has finished its step; what it was saying is its message. */
function restAgent(world: World, conversation: Conversation, agentId: string): void {
  const agent = conversation.agents.get(agentId)
  if (agent?.pauseWanted !== true || agent.status === 'paused' || agent.status === 'waiting') return
  const said = (conversation.live.get(agentId) ?? [])
    .map((event) => (event.type === 'live-block' ? event.append : ''))
    .join('')
  world.act(conversation, (log) => {
    if (said !== '') log.answers(agentId, { text: said })
    log.status(agentId, 'paused')
  })
  world.stream(conversation, { type: 'live-clear', agentId, reason: 'finished' })
}

export function continueAgent(world: World, conversation: Conversation, agentId: string): void {
  const agent = known(conversation, agentId)
  if (agent.status === 'waiting' && agent.waitingFor === 'message')
    throw new Refusal('It waits for your message: there is nothing that it could go on with.', 'ended')
  const rests = agent.status === 'paused'
  if (isLive(agent) && !agent.pauseWanted && !rests) return
  const goesOn = rests || !isLive(agent)
  world.act(conversation, (log) => {
    if (agent.pauseWanted) log.write(agentId, { type: 'pause-changed', paused: false })
    if (goesOn) log.status(agentId, 'running')
    if (!isLive(agent)) log.told(agentId, GO_ON, 'runtime')
    if (goesOn)
      for (const message of conversation.queued.filter((message) => message.agentId === agentId))
        log.told(agentId, message.text, 'user')
  })
  if (goesOn)
    world.setQueue(
      conversation,
      conversation.queued.filter((message) => message.agentId !== agentId),
    )
}

export function moveToBackground(world: World, conversation: Conversation, agentId: string): void {
  const agent = working(conversation, agentId)
  const { parentId } = agent
  if (agent.background !== 'no' || parentId === null)
    throw new Refusal('Nobody waits for this agent: it is in the background already.', 'not-possible')
  world.act(conversation, (log) => {
    log.write(agentId, { type: 'moved-to-background', by: 'user', bubbles: true })
    log.write(parentId, {
      type: 'tool-ended',
      toolUseId: agent.parentToolUseId ?? callOf(agentId),
      name: 'Agent',
      isError: false,
      content: `The agent ${agentId} works in the background.`,
      note: 'in the background',
      durationMs: Date.now() - agent.spawnedAt,
      display: { kind: 'agent', agentId },
      outputFile: null,
    })
  })
}

/** It and all that it started. */
export function stopAgent(world: World, conversation: Conversation, agentId: string): void {
  for (const agent of conversation.agents.values())
    if (agent.parentId === agentId) stopAgent(world, conversation, agent.id)
  const agent = known(conversation, agentId)
  if (!isLive(agent)) return
  world.stream(conversation, { type: 'live-clear', agentId, reason: 'stopped' })
  world.act(conversation, (log) => log.ends(agentId, '', 'stopped'))
}

export function definitionChange(conversation: Conversation, agentId: string): DefinitionChange {
  known(conversation, agentId)
  return conversation.changedDefinitions.get(agentId) ?? { kind: 'same', what: [] }
}

export function renewDefinition(world: World, conversation: Conversation, agentId: string): void {
  const agent = known(conversation, agentId)
  if (isLive(agent)) throw new Refusal('An agent that works keeps its definition. Stop it first.', 'running')
  conversation.changedDefinitions.delete(agentId)
  world.act(conversation, (log) =>
    log.write(agentId, {
      type: 'definition-renewed',
      definition: { ...agent.definition, digest: 'new' },
      system: '',
      tools: [],
      permissionMode: agent.permissionMode,
      maxTurns: agent.maxTurns,
      instructions: [],
    }),
  )
}

function known(conversation: Conversation, agentId: string): AgentState {
  const agent = conversation.agents.get(agentId)
  if (agent === undefined) throw new Refusal('There is no such agent in this conversation.', 'not-found')
  return agent
}

function working(conversation: Conversation, agentId: string): AgentState {
  const agent = known(conversation, agentId)
  if (!isLive(agent)) throw new Refusal('This agent does not work at the moment.', 'ended')
  return agent
}
