/** Markdown of an agent outside its transcript, such as a plan. Links and files open as in the transcript. */
import { useAgent } from '../../stores/conversation-store.ts'
import { Markdown } from './markdown/markdown.tsx'
import { SurroundingsContext, useAgentSurroundings } from './surroundings.ts'

const ignore = () => {}

export function AgentMarkdown({ agentId, text }: { readonly agentId: string; readonly text: string }) {
  const folder = useAgent(agentId)?.cwd ?? ''
  const surroundings = useAgentSurroundings({ agentId, folder, openAgent: null, onToggle: ignore })
  return (
    <SurroundingsContext value={surroundings}>
      <Markdown text={text} />
    </SurroundingsContext>
  )
}
