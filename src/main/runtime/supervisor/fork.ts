/** A fork: an agent that begins with its parent's conversation, and does one task out of it. */
import { plainDefinition } from '../../../shared/agent-definition/agent-definition.ts'
import type { AgentEventDraft } from '../../../shared/agent-event.ts'
import { ownMemoryText } from '../memory/instruction-text.ts'
import type { AgentMemory, LoadedDefinition, LoadedSkill } from '../ports.ts'
import { skillText } from '../tools/skill.ts'
import type { LiveAgent } from './live-agent.ts'

/** Of a subagent without a type, where those are forks. */
export const forkDefinition: LoadedDefinition = {
  ...plainDefinition('fork', 'Goes on from the whole conversation with one task of its own.'),
  forkContext: true,
  source: 'built-in',
  file: null,
}

/** The first events of a fork: its parent's open calls are closed in its copy, and a boundary says what is its own. */
export function forkEvents({
  parent,
  toolUseId,
  definition,
  memory,
  skills,
  toolNames,
  messageId,
}: {
  readonly parent: LiveAgent
  /** The call that started it. */
  readonly toolUseId: string
  readonly definition: Pick<LoadedDefinition, 'name' | 'prompt' | 'readOnly'>
  readonly memory: AgentMemory
  readonly skills: readonly LoadedSkill[]
  /** Those it may use. */
  readonly toolNames: readonly string[]
  readonly messageId: string
}): readonly AgentEventDraft[] {
  const closings = parent.history.lastCalls.map(
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
  const text = boundaryText(parent.history.length, { name: definition.name, own, toolNames })
  return [
    ...closings,
    { type: 'user-message', messageId, from: 'runtime', sender: null, content: [{ type: 'text', text }] },
  ]
}

const ENTERED =
  'status: sub_agent_entered\nThis call started a subagent, and you are it. What follows is said to you alone.'
const ELSEWHERE =
  'status: handled_elsewhere\nYour parent goes on with this call. Its result is not yours to wait for.'

function boundaryText(
  messages: number,
  {
    name,
    own,
    toolNames,
  }: { readonly name: string; readonly own: readonly string[]; readonly toolNames: readonly string[] },
): string {
  const above =
    messages === 0
      ? ''
      : `The ${messages === 1 ? '1 message above is' : `${messages} messages above are`} your parent’s conversation. Read them for context only: what is asked there is not asked of you, and what is planned there is not yours to carry out. They may use tools that you do not have.\n\n`
  const body = own.map((part) => `${part}\n\n`).join('')
  return `# You are a subagent now: ${name}

${above}${body}Your tools: ${toolNames.length === 0 ? 'none' : toolNames.join(', ')}. Calls of any other tool are refused. You start no agents.

Do only the task below. If you work in a git worktree of your own, commit what you changed. Then report: what you did and found, with paths and line numbers, and what is open. Your report is all that your parent gets.`
}
