/** The limits of the conversation on the screen, above the status bar. */
import { Popover } from '@base-ui/react/popover'
import { type RefObject, useRef } from 'react'
import type { SpendLimits } from '../../../shared/events/agent-event.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { type FanOut, fanOutOf } from '../../../shared/state/fan-out.ts'
import { mostUsed, type Spent, shareOf, spentIn, usedOf } from '../../../shared/state/spending.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { closeLimits, useConversationLimits, useDefaultLimits, useLimits } from '../../stores/limits-store.ts'
import { useSession } from '../../stores/session-store.ts'
import { estimateText } from '../../ui/text/fan-out-text.ts'
import { useFinalFocus } from '../../ui/use-focus.ts'
import { useNow } from '../../ui/use-now.ts'
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
            <Popover.Title className="font-semibold text-fg-0 text-md">Conversation limits</Popover.Title>
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
  const defaults = useDefaultLimits()
  const agents = useConversation((state) => state.agents)
  const readOnly = useConversation((state) => state.readOnly)
  const mostAgents = useSession((state) => state.settings.maxAgents)
  const now = useNow(true)
  const spent = spentIn(agents.values())
  const most = mostUsed(usedOf({ of: 'conversation', agentId: null, limits, spent }, now))
  // The field of the reached limit keeps the focus, even if the elapsed time changes the closest limit.
  const firstKey = useRef<LimitKey>(most !== null && shareOf(most) >= 1 ? KEYS[most.limit] : 'tokens').current
  const unpriced = [...new Set([...agents.values()].filter(isUnpriced).map(({ model }) => model))]
  return (
    <>
      <Popover.Description className="pb-3 text-fg-2 text-sm">
        {readOnly
          ? 'Another program runs this conversation. Change the limits there.'
          : 'For all agents together. At a limit they report and end; raise it to continue. An empty field means no limit.'}
      </Popover.Description>
      <Estimate limits={limits} spent={spent} fanOut={fanOutOf(agents.values())} />
      <LimitsForm
        conversationId={conversationId}
        limits={limits}
        defaults={defaults}
        spent={spent}
        now={now}
        unpriced={unpriced}
        readOnly={readOnly}
        first={{ key: firstKey, ref: first }}
        onDone={closeLimits}
      />
      <p className="mt-3 border-line border-t pt-2.5 text-fg-2 text-sm">
        {agents.size.toLocaleString('en')} of {mostAgents.toLocaleString('en')} agents. Settings has this
        limit and the limits of a single agent.
      </p>
    </>
  )
}

interface EstimateProps {
  readonly limits: SpendLimits
  readonly spent: Spent
  readonly fanOut: FanOut | null
}

/** What many agents at work will still spend, and whether a limit will stop them. */
function Estimate({ limits, spent, fanOut }: EstimateProps) {
  if (fanOut === null) return null
  const isOver =
    (limits.tokens !== null && spent.tokens + fanOut.tokens > limits.tokens) ||
    (limits.usd !== null && fanOut.usd !== null && spent.usd + fanOut.usd > limits.usd)
  return (
    <p className="mb-3 rounded-md bg-bg-2 px-2.5 py-2 text-fg-1 text-sm">
      Estimate for the {fanOut.agents} agents at work: {estimateText(fanOut)} more
      {fanOut.isMeasured ? ', after those that have ended' : ', by usual figures: none has ended yet'}.
      {isOver && <strong className="font-semibold text-bad"> That is more than the limits leave.</strong>}
    </p>
  )
}

/** Whether the agent has an unknown cost, or was refused for it. */
function isUnpriced({ priced, failure }: AgentState): boolean {
  return !priced || failure?.message.includes('has no known price') === true
}

const KEYS = { tokens: 'tokens', money: 'usd', time: 'ms' } as const
