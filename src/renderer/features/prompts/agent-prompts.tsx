/** The questions of one agent, one at a time: stands at the foot of its panel. */
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { answerPrompt } from './answer-prompt.ts'
import { PermissionPrompt } from './permission-prompt.tsx'

/** Nothing while the agent asks nothing. */
export function AgentPrompts({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const readOnly = useConversation((state) => state.readOnly)
  const prompt = agent?.prompts[0]
  if (agent === undefined || prompt === undefined) return null
  const more = agent.prompts.length - 1
  return (
    <PermissionPrompt
      key={prompt.promptId}
      agentName={agent.definition.name}
      prompt={prompt}
      answerable={!readOnly}
      {...(more > 0 ? { more: `and ${more} more` } : {})}
      onAnswer={(decision, words) => answerPrompt(agentId, prompt.promptId, decision, words)}
    />
  )
}
