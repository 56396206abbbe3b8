/**
 * A prepared log as work for the runtime: the replies of the main agent's model, the histories of the subagents, and
 * their definitions. The runtime starts the agents and runs the calls by itself.
 */

import type { LoadedDefinition } from '../../src/main/runtime/ports/definitions.ts'
import { plainDefinition } from '../../src/shared/agent-definition/agent-definition.ts'
import type { AgentEvent, EventOf } from '../../src/shared/events/agent-event.ts'
import type { AssistantBlock } from '../../src/shared/messages/content.ts'
import type { SampleLog } from '../../src/shared/testing/sample-log.ts'

/** One message of the main agent. */
export interface ScriptedReply {
  readonly message: EventOf<'assistant-message'>
  readonly content: readonly AssistantBlock[]
  /** The agents that ended before this message. */
  readonly after: readonly string[]
  /** Messages written while the calls of this reply run. No model can do that, so they are added to the transcript. */
  readonly remarks: EventOf<'assistant-message'>[]
}

export interface SceneScript {
  readonly main: EventOf<'agent-spawned'>
  readonly firstMessage: EventOf<'user-message'>
  readonly replies: readonly ScriptedReply[]
  /** By the id of the Agent call. */
  readonly children: ReadonlyMap<string, EventOf<'agent-spawned'>>
  readonly definitions: readonly LoadedDefinition[]
  /** The agents that an earlier process left behind. */
  readonly interrupted: ReadonlySet<string>
  /** The events of a subagent that the runtime does not write by itself, and the end. */
  historyOf(agentId: string): readonly AgentEvent[]
}

export function scriptOf({ events }: SampleLog): SceneScript {
  const spawns = events.filter((event) => event.type === 'agent-spawned')
  const main = spawns.find(({ parentId }) => parentId === null)
  const firstMessage = events.find((event) => event.type === 'user-message')
  if (main === undefined || firstMessage === undefined)
    throw new Error('A scene needs a main agent and its first message.')
  const children = new Map(spawns.map((spawn) => [spawn.parentToolUseId ?? '', spawn]))
  children.delete('')
  const interrupted = interruptedIn(events)
  return {
    interrupted,
    main,
    firstMessage,
    children,
    replies: repliesOf(events, main.agentId),
    definitions: [...children.values()].map(definitionOf),
    historyOf: (agentId) => events.filter((event) => event.agentId === agentId && !isWrittenByRuntime(event)),
  }
}

/** Also the user's move to the background, which the user makes again. */
function isWrittenByRuntime(event: AgentEvent): boolean {
  const { type } = event
  if (type === 'user-message') return event.from === 'parent'
  return type === 'agent-spawned' || type === 'moved-to-background'
}

function repliesOf(events: readonly AgentEvent[], mainId: string): readonly ScriptedReply[] {
  const replies: (ScriptedReply & { readonly content: AssistantBlock[] })[] = []
  const open = new Set<string>()
  const ended: string[] = []
  const interrupted = interruptedIn(events)
  for (const event of events) {
    if (event.type === 'agent-ended') ended.push(event.agentId)
    if (event.type === 'tool-ended') open.delete(event.toolUseId)
    if (event.type !== 'assistant-message' || event.agentId !== mainId) continue
    const isMade = (block: AssistantBlock) =>
      block.type !== 'tool_use' || !interrupted.has(childOf(block.id, events)?.agentId ?? '')
    const calls = event.content.filter((block) => block.type === 'tool_use').filter(isMade)
    const content = event.content.filter(isMade).map((block) => withInput(block, events))
    const running = open.size > 0 ? replies.at(-1) : undefined
    if (running) {
      running.remarks.push({ ...event, content: event.content.filter(({ type }) => type !== 'tool_use') })
      running.content.push(...content.filter(({ type }) => type === 'tool_use'))
    } else replies.push({ message: event, content, after: [...ended], remarks: [] })
    for (const { id } of calls) if (!isInBackground(id, events)) open.add(id)
  }
  return replies
}

function interruptedIn(events: readonly AgentEvent[]): ReadonlySet<string> {
  const ends = events.filter((event) => event.type === 'agent-ended')
  return new Set(ends.filter(({ status }) => status === 'interrupted').map(({ agentId }) => agentId))
}

/** An Agent call with the input that starts the agent of the scene. */
function withInput(block: AssistantBlock, events: readonly AgentEvent[]): AssistantBlock {
  if (block.type !== 'tool_use' || block.name !== 'Agent') return block
  const spawn = childOf(block.id, events)
  const received = events.find((event) => event.type === 'user-message' && event.agentId === spawn?.agentId)
  const [first] = received?.type === 'user-message' ? received.content : []
  return {
    ...block,
    input: {
      description: spawn?.task,
      subagent_type: spawn?.definition.name,
      prompt: first?.type === 'text' ? first.text : spawn?.task,
      ...(spawn?.background ? { run_in_background: true } : {}),
    },
  }
}

function isInBackground(toolUseId: string, events: readonly AgentEvent[]): boolean {
  return childOf(toolUseId, events)?.background ?? false
}

function childOf(toolUseId: string, events: readonly AgentEvent[]): EventOf<'agent-spawned'> | undefined {
  return events
    .filter((event) => event.type === 'agent-spawned')
    .find(({ parentToolUseId }) => parentToolUseId === toolUseId)
}

function definitionOf({ definition, maxTurns, model, inherits }: EventOf<'agent-spawned'>): LoadedDefinition {
  return {
    ...plainDefinition(definition.name, `Works as ${definition.name}.`),
    source: 'project',
    file: null,
    color: definition.color,
    readOnly: definition.readOnly,
    maxTurns,
    model,
    forkContext: inherits !== null,
  }
}
