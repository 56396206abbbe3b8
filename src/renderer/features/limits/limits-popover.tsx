/** What the conversation on the screen may spend, above the status bar. */
import { Popover } from '@base-ui/react/popover'
import { type RefObject, useRef } from 'react'
import type { AgentState } from '../../../shared/agent-state.ts'
import { mostUsed, shareOf, spentIn, usedOf } from '../../../shared/spending.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { closeLimits, useConversationLimits, useLimits, useUsualLimits } from '../../stores/limits-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { useNow } from '../../stores/use-now.ts'
import { useFinalFocus } from '../../ui/use-final-focus.ts'
import { type LimitKey, LimitsForm } from './limits-form.tsx'

export function LimitsPopover() {
  const conversationId = useConversation((state) => state.conversationId)
  const open = useLimits((state) => state.shownFor !== null && state.shownFor === conversationId)
  const finalFocus = useFinalFocus(open)
  const first = useRef<HTMLInputElement>(null)
  return (
    <Popover.Root open={open} onOpenChange={(next) => !next && closeLimits()} modal="trap-focus">
      <Popover.Portal>
        <Popover.Positioner
          anchor={() => document.querySelector('[data-limits-anchor]')}
          side="top"
          align="start"
          sideOffset={6}
          className="z-40"
        >
          <Popover.Popup
            initialFocus={first}
            finalFocus={finalFocus}
            className="w-[27rem] max-w-[calc(100vw-24px)] rounded-md border border-line-strong bg-bg-1 p-4 shadow-popup outline-none [--agent:var(--fg-2)]"
          >
            <Popover.Title className="font-semibold text-fg-0 text-md">
              Limits of this conversation
            </Popover.Title>
            {open && conversationId !== null && <Limits conversationId={conversationId} first={first} />}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface LimitsProps {
  readonly conversationId: string
  readonly first: RefObject<HTMLInputElement | null>
}

function Limits({ conversationId, first }: LimitsProps) {
  const limits = useConversationLimits()
  const usual = useUsualLimits()
  const agents = useConversation((state) => state.agents)
  const readOnly = useConversation((state) => state.readOnly)
  const mostAgents = useSession((state) => state.settings.maxAgents)
  const now = useNow(true)
  const spent = spentIn(agents.values())
  const most = mostUsed(usedOf({ of: 'conversation', agentId: null, limits, spent }, now))
  // What is reached is what a person came to raise, whatever the clock says meanwhile.
  const firstKey = useRef<LimitKey>(most !== null && shareOf(most) >= 1 ? KEYS[most.limit] : 'tokens').current
  const unpriced = [...new Set([...agents.values()].filter(isUnpriced).map(({ model }) => model))]
  return (
    <>
      <Popover.Description className="pb-3 text-fg-2 text-sm">
        {readOnly
          ? 'Another program holds this conversation: its limits are changed there.'
          : 'For all its agents together. At a limit they report and end; raised, they can go on. An empty field is no limit.'}
      </Popover.Description>
      <LimitsForm
        conversationId={conversationId}
        limits={limits}
        usual={usual}
        spent={spent}
        now={now}
        unpriced={unpriced}
        readOnly={readOnly}
        first={{ key: firstKey, ref: first }}
        onDone={closeLimits}
      />
      <p className="mt-3 border-line border-t pt-2.5 text-fg-2 text-sm">
        {agents.size.toLocaleString('en')} of {mostAgents.toLocaleString('en')} agents. This number, and what
        a single agent may spend, are in the settings.
      </p>
    </>
  )
}

/** Whether it spent what nobody can count, or was kept from it. */
function isUnpriced({ priced, failure }: AgentState): boolean {
  return !priced || failure?.message.includes('has no price') === true
}

const KEYS = { tokens: 'tokens', money: 'usd', time: 'ms' } as const
