/** The panel of an agent that has a window of its own: says so, and brings it back. Requests can be answered here too. */
import { AppWindow } from 'lucide-react'
import { type HTMLAttributes, type ReactNode, useRef } from 'react'
import { useAgent, useAgentTitle } from '../../stores/conversation-store.ts'
import { bringBack, openOwnWindow } from '../../stores/own-windows.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { PanelHeader } from './panel-header.tsx'

interface MovedPanelProps {
  readonly agentId: string
  readonly requests: ReactNode
  /** Attributes that make the header draggable. */
  readonly handle?: HTMLAttributes<HTMLElement>
}

export function MovedPanel({ agentId, requests, handle }: MovedPanelProps) {
  const agent = useAgent(agentId)
  const name = useAgentTitle(agentId) ?? ''
  const panel = useRef<HTMLElement>(null)
  if (agent === undefined) return null
  return (
    <article
      ref={panel}
      data-agent-panel={agentId}
      data-request-scope=""
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move between panels
      tabIndex={0}
      aria-label={`${name}, in its own window`}
      style={agentStyle(agent.definition.color)}
      className="group/panel relative flex h-full min-h-0 min-w-0 flex-col bg-bg-1 [contain:strict] focus-visible:-outline-offset-2"
    >
      <PanelHeader agent={agent} {...(handle ? { handle } : {})}>
        {null}
      </PanelHeader>
      <div className="flex min-h-0 flex-1 overflow-y-auto">
        <EmptyState
          icon={AppWindow}
          title={`“${name}” is in its own window`}
          actions={
            <>
              <Button onClick={() => openOwnWindow(agentId)}>Show window</Button>
              <Button
                onClick={() => {
                  // The button goes away with this panel.
                  panel.current?.focus()
                  bringBack(agentId)
                }}
              >
                Bring back
              </Button>
            </>
          }
        />
      </div>
      <div className="flex max-h-[80%] shrink-0 flex-col">{requests}</div>
    </article>
  )
}
