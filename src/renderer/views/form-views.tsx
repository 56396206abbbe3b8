/** Forms of agents, with their markdown. They load when an agent first asks. */
import { lazy, type ReactNode, Suspense } from 'react'
import type { PendingForm } from '../../shared/events/agent-event.ts'
import { useConversation } from '../stores/conversation-store.ts'
import { LineBoundary } from './error-boundary.tsx'

const importMarkdown = () => import('../features/transcript/markdown/markdown.tsx')
/** Together with the markdown, so that a plan does not show as plain text first. */
const importForms = () => Promise.all([import('../features/forms/agent-forms.tsx'), importMarkdown()])
const AgentForms = lazy(async () => {
  const [{ AgentForms: forms }] = await importForms()
  return { default: forms }
})
const AgentForm = lazy(async () => {
  const [{ AgentForm: form }] = await importForms()
  return { default: form }
})
const AgentMarkdown = lazy(async () => ({ default: (await importMarkdown()).AgentMarkdown }))

/** The oldest open form of an agent; nothing while it has none. */
export function PanelForms({ agentId }: { readonly agentId: string }) {
  const asks = useConversation((state) => (state.agents.get(agentId)?.forms.length ?? 0) > 0)
  if (!asks) return null
  return (
    <LineBoundary part="the question" resetKey={agentId}>
      <Suspense fallback={null}>
        <AgentForms agentId={agentId} renderMarkdown={markdownOf(agentId)} />
      </Suspense>
    </LineBoundary>
  )
}

/** A form in the drawer of requests. */
export function renderQueueForm(agentId: string, form: PendingForm): ReactNode {
  return (
    <Suspense fallback={null}>
      <AgentForm agentId={agentId} form={form} renderMarkdown={markdownOf(agentId)} />
    </Suspense>
  )
}

const markdownOf = (agentId: string) => (text: string) => (
  <Suspense fallback={<p className="whitespace-pre-wrap wrap-anywhere">{text}</p>}>
    <AgentMarkdown agentId={agentId} text={text} />
  </Suspense>
)
