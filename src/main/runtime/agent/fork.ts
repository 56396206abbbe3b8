/** A fork: an agent that begins with its parent's conversation and does one task. */
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import type { AgentEventDraft } from '../../../shared/events/agent-event.ts'
import { countOf } from '../../../shared/kernel/amounts.ts'
import type { LiveAgent } from '../conversation/live-agent.ts'
import { ownMemoryText } from '../definitions/instruction-text.ts'
import { skillText } from '../definitions/skill-text.ts'
import type { AgentMemory, LoadedDefinition, LoadedSkill } from '../ports/definitions.ts'

/** The definition of a subagent without a type, in fork mode. */
export const forkDefinition: LoadedDefinition = {
  ...plainDefinition('fork', 'Continues from the whole conversation with one task of its own.'),
  forkContext: true,
  source: 'built-in',
  file: null,
}

/** The first events of a fork: results for the parent's open calls, and a boundary message with the fork's own task. */
export function forkEvents({
  parent,
  toolUseId,
  definition,
  memory,
  skills,
  toolNames,
  maxTurns,
  messageId,
}: {
  readonly parent: LiveAgent
  /** The call that started it. */
  readonly toolUseId: string
  readonly definition: Pick<LoadedDefinition, 'name' | 'prompt' | 'readOnly'>
  readonly memory: AgentMemory
  readonly skills: readonly LoadedSkill[]
  /** The tools it may use. */
  readonly toolNames: readonly string[]
  readonly maxTurns: number
  readonly messageId: string
}): readonly AgentEventDraft[] {
  const closings = parent.transcript.history.lastCalls.map(
    (call): AgentEventDraft => ({
      type: 'tool-ended',
      toolUseId: call.id,
      name: call.name,
      isError: false,
      content: call.id === toolUseId ? ENTERED : ELSEWHERE,
      note: '',
      durationMs: 0,
      display: null,
      outputFile: null,
    }),
  )
  const notes = ownMemoryText(memory, { readOnly: definition.readOnly, toolNames })
  const own = [definition.prompt.trim(), notes, ...skills.map(skillText)].filter((part) => part !== '')
  const text = boundaryText(parent.transcript.history.length, {
    name: definition.name,
    own,
    toolNames,
    maxTurns,
  })
  return [
    ...closings,
    { type: 'user-message', messageId, from: 'runtime', sender: null, content: [{ type: 'text', text }] },
  ]
}

const ENTERED =
  'status: sub_agent_entered\nThis call started a subagent: you. Everything below is for you alone.'
const ELSEWHERE = 'status: handled_elsewhere\nYour parent handles this call. Do not wait for its result.'

function boundaryText(
  messages: number,
  {
    name,
    own,
    toolNames,
    maxTurns,
  }: {
    readonly name: string
    readonly own: readonly string[]
    readonly toolNames: readonly string[]
    readonly maxTurns: number
  },
): string {
  const above =
    messages === 0
      ? ''
      : `The ${messages === 1 ? '1 message above is' : `${messages} messages above are`} your parent’s conversation. Read them for context only: do not act on their requests or plans. They may use tools that you do not have.\n\n`
  const body = own.map((part) => `${part}\n\n`).join('')
  return `# You are a subagent now: ${name}

You are a fork of the agent above: you start with its conversation, and work apart from it from here on.

${above}${body}Your tools: ${toolNames.length === 0 ? 'none' : toolNames.join(', ')}. Calls of any other tool are refused. You cannot start agents.

Do only the task below. If you work in a git worktree of your own, commit what you changed. Then report what you did and found, with paths and line numbers, and what is left. Your parent receives only your report, which is your last message; nobody answers questions. You have at most ${countOf(maxTurns, 'turn')}.`
}
