/** The side bar: the agents of this conversation, and the conversations of this folder. */
import { History, Plug, Plus } from 'lucide-react'
import { type ReactNode, type RefObject, useRef } from 'react'
import { AgentTree } from '../../features/agent-tree/agent-tree.tsx'
import { ConversationList } from '../../features/conversations/conversation-list.tsx'
import { ExternalAgentList } from '../../features/external-agents/external-agent-list.tsx'
import { useConversation } from '../../stores/conversation-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { showOverlay } from '../../stores/overlay-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { IconButton } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'

interface SideBarProps {
  /** Shows only icons, for a narrow window. */
  readonly compact: boolean
  readonly onOpenAgent: (agentId: string) => void
  readonly onWriteTo: (agentId: string) => void
  /** The splitter at the edge. */
  readonly splitter?: ReactNode
}

export function SideBar({ compact, splitter, ...actions }: SideBarProps) {
  const around = useRef<HTMLElement>(null)
  return (
    <aside
      ref={around}
      aria-label="Agents and conversations"
      className="relative flex h-full min-h-0 flex-col border-line border-r bg-bg-1"
    >
      {compact ? <CompactBar around={around} {...actions} /> : <FullBar around={around} {...actions} />}
      {splitter}
    </aside>
  )
}

interface BarProps extends Omit<SideBarProps, 'compact' | 'splitter'> {
  readonly around: RefObject<HTMLElement | null>
}

function FullBar({ around, onOpenAgent, onWriteTo }: BarProps) {
  const amount = useConversation((state) => state.agents.size)
  return (
    <>
      {amount > 0 && (
        <section aria-labelledby="agents-heading" className="flex max-h-[62%] shrink-0 flex-col pt-1.5">
          <div className="flex h-7 shrink-0 items-center justify-between px-3.5">
            <h2 id="agents-heading" className="side-heading">
              This conversation
            </h2>
            <span className="font-mono text-fg-2 text-xs">{amount}</span>
          </div>
          <div className="min-h-0 overflow-y-auto">
            <AgentTree around={around} onOpen={onOpenAgent} onWrite={onWriteTo} />
          </div>
        </section>
      )}
      <div className="flex min-h-0 flex-1 flex-col pt-2.5">
        <ConversationList />
      </div>
      <ExternalAgentList />
    </>
  )
}

function CompactBar({ around, onOpenAgent, onWriteTo }: BarProps) {
  const keysOf = useKeysOf()
  return (
    <>
      <div className="flex shrink-0 flex-col items-center gap-1 py-2">
        <Popover
          label="Conversations"
          trigger={<IconButton label="Conversations" icon={History} size={26} tooltipSide="right" />}
        >
          <div className="flex max-h-[60vh] w-64 flex-col pt-1">
            <ConversationList />
          </div>
        </Popover>
        <IconButton
          label="New conversation"
          keys={keysOf('new-conversation')}
          icon={Plus}
          size={26}
          tooltipSide="right"
          onClick={() => void openConversation(null)}
        />
        <IconButton
          label="External agents"
          icon={Plug}
          size={26}
          tooltipSide="right"
          onClick={() => showOverlay('programs')}
        />
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden border-line border-t py-1.5 [scrollbar-width:none]">
        <AgentTree compact around={around} onOpen={onOpenAgent} onWrite={onWriteTo} />
      </div>
    </>
  )
}
