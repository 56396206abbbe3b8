/** Skills with `context: fork`: an agent of its own carries out the text, and its report is the result of the call. */
import type { LoadedSkill } from '../ports.ts'
import { commandFrame } from '../slash/expand-text.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../tool.ts'
import type { Conversation } from './conversation.ts'
import { callAgent } from './start-agent.ts'
import { whyNotDeeper } from './start-checks.ts'

interface SkillTask {
  /** With its arguments. */
  readonly text: string
  /** The type of the agent. */
  readonly agent: string
  /** Null: as the definition says. */
  readonly model: string | null
}

/**
 * Starts the agent in the foreground, within the limits of every Agent call. Only the user's own skills allow something:
 * a repository must not bring permissions.
 */
export async function runSkill(
  conversation: Conversation,
  skill: Pick<LoadedSkill, 'name' | 'source' | 'folder' | 'allowedTools'>,
  { task, context }: { readonly task: SkillTask; readonly context: ToolContext },
): Promise<ToolOutcome> {
  const { files } = conversation.ports
  const parent = conversation.agents.get(context.agentId)?.agent
  const refusal = parent ? whyNotDeeper(conversation, parent) : null
  if (refusal !== null)
    return toolError(
      `The skill ${skill.name} was not started, because an agent of its own carries it out: ${refusal} Work without it, and say so in your report.`,
      'not started',
    )
  const folder = await files.realPath(skill.folder)
  return callAgent(
    conversation,
    {
      description: `Skill ${skill.name}`,
      prompt: task.text,
      subagent_type: task.agent,
      ...(task.model !== null && { model: task.model }),
      skill: {
        allowed: skill.source === 'user' ? (skill.allowedTools ?? []) : [],
        folder: folder.ok ? folder.value : skill.folder,
      },
    },
    context,
  )
}

/** Whether the last message of the user to the main agent is the command of this skill. */
export function userRan({ agents }: Conversation, skill: string, agentId: string): boolean {
  const agent = agents.get(agentId)?.agent
  if (!agent || !agents.isMain(agentId)) return false
  const [start = ''] = commandFrame({ name: skill, rest: 'x' }, '').split(' with ')
  const texts = agent.transcript.history
    .messages()
    .flatMap(({ role, content }) => (role === 'user' && typeof content !== 'string' ? content : []))
    .flatMap((block) => (block.type === 'text' && block.text.startsWith('The user ran ') ? [block.text] : []))
  return texts.at(-1)?.startsWith(`${start} `) === true
}
