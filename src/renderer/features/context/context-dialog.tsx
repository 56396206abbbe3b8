/** What fills the context window of an agent, by part. */
import { useCallback, useEffect, useState } from 'react'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { type ContextReport, contextText } from '../../../shared/state/context-report.ts'
import { command } from '../../bridge.ts'
import { agentTitle, useAgent, useConversation, useMainAgentId } from '../../stores/conversation-store.ts'
import { useOverlay } from '../../stores/overlay-store.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { SelectMenu } from '../../ui/select-menu.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { copyText } from '../../ui/text/copy-text.ts'
import { ContextReportView } from './context-report-view.tsx'

export function ContextDialog({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Context window" width={680}>
      {open && <Shown />}
    </Dialog>
  )
}

function Shown() {
  const mainAgentId = useMainAgentId()
  const shown = useOverlay((state) => state.about)
  const agents = useConversation((state) => state.agents)
  const agent = useAgent(shown ?? mainAgentId)
  if (agent === undefined)
    return <p className="text-fg-1 text-sm">The shown conversation does not have this agent.</p>
  return <AgentContext key={agent.id} agent={agent} agents={agents} />
}

type Loaded =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'report'; readonly report: ContextReport }

interface AgentContextProps {
  readonly agent: AgentState
  readonly agents: ReadonlyMap<string, AgentState>
}

function AgentContext({ agent, agents }: AgentContextProps) {
  const { loaded, reload } = useReport(agent)
  const title = agentTitle(agent, agents)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        {agents.size > 1 ? (
          <SelectMenu
            label="Agent"
            value={agent.id}
            options={[...agents.values()].map((one) => ({ value: one.id, label: agentTitle(one, agents) }))}
            onChange={(agentId) => useOverlay.setState({ about: agentId })}
          />
        ) : (
          <p className="font-medium text-fg-1 text-sm">{title}</p>
        )}
        {loaded.kind === 'report' && <CopyReport report={loaded.report} name={title} />}
      </div>
      {loaded.kind === 'loading' && (
        <p className="flex items-center gap-2 text-fg-2 text-sm">
          <Spinner /> Counting…
        </p>
      )}
      {loaded.kind === 'failed' && (
        <div role="alert" className="flex items-center gap-3 text-fg-1 text-sm">
          <span>{loaded.message}</span>
          <Button onClick={reload}>Try again</Button>
        </div>
      )}
      {loaded.kind === 'report' && <ContextReportView report={loaded.report} />}
    </div>
  )
}

/** The report of an agent, again after each of its answers. */
function useReport({ id: agentId, conversationId, context, status }: AgentState) {
  const [loaded, setLoaded] = useState<Loaded>({ kind: 'loading' })
  const [attempt, setAttempt] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the context, the status and a new attempt change the report.
  useEffect(() => {
    let isCurrent = true
    void command('agent.context', { conversationId, agentId }).then((answer) => {
      if (!isCurrent) return
      setLoaded(
        answer.ok
          ? { kind: 'report', report: answer.value }
          : { kind: 'failed', message: answer.failure.message },
      )
    })
    return () => {
      isCurrent = false
    }
  }, [conversationId, agentId, context, status, attempt])
  const reload = useCallback(() => {
    setLoaded({ kind: 'loading' })
    setAttempt((now) => now + 1)
  }, [])
  return { loaded, reload }
}

function CopyReport({ report, name }: { readonly report: ContextReport; readonly name: string }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'failed'>('no')
  const copy = async () => setCopied((await copyText(contextText(report, name))) ? 'yes' : 'failed')
  return (
    <span className="ml-auto flex items-center gap-2">
      <span role="status" className="text-fg-2 text-sm">
        {copied === 'yes' ? 'Copied' : copied === 'failed' ? 'Could not copy' : ''}
      </span>
      <Button onClick={() => void copy()}>Copy as text</Button>
    </span>
  )
}
