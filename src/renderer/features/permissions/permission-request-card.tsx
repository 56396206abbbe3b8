/**
 * A permission request at the foot of an agent's panel: what it wants, why it asks, and the answers in a row that keeps
 * its place. A change opens large in a dialog, where it can be answered too.
 */
import { type ReactNode, useRef, useState } from 'react'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PendingRequest } from '../../../shared/state/agent-state.ts'
import { agentTitleNow, useAgent, useConversation } from '../../stores/conversation-store.ts'
import { ConfinementChip } from '../../ui/confinement-mark.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { requestPlace } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { useRequestFocus } from '../../ui/use-focus.ts'
import { AnswerBar } from './answer-bar.tsx'
import { AlwaysChoice, WhyAsked } from './request-parts.tsx'
import { RequestSubject, RequestTitle, useFittingLines, wantedAction } from './request-subject.tsx'
import { answerRequest, type GivenAnswer, useRequestAnswers, useRequestKeys } from './use-answer.ts'

export interface PermissionRequestCardProps {
  /** The task of the agent that asks. */
  readonly agentName: string
  /** Where the agent runs, unless in this program: "on build-7", "in process 4711". */
  readonly place?: string | null
  readonly request: PendingRequest
  /** At the end of the title: "and 2 more". */
  readonly position?: ReactNode
  /** False while another program has the conversation open. */
  readonly answerable?: boolean
  /** The agent's permission mode in words. */
  readonly mode?: string | null
  /** Fills a dialog instead of the foot of a panel. */
  readonly large?: boolean
  readonly onAnswer: (answer: GivenAnswer) => Promise<Answer<void>>
}

const CARD_COLOR = 'bg-[color-mix(in_oklab,var(--needs-you)_5%,var(--bg-1))]'
const QUIET_BUTTON = 'shrink-0 rounded-xs text-fg-2 text-xs hover:text-fg-0 hover:underline'

/** Pass the request's id as `key`: each request needs its own state. */
export function PermissionRequestCard(props: PermissionRequestCardProps) {
  const { agentName, place = null, request, position, mode = null, large = false, answerable = true } = props
  const { subject, because, choices = [] } = request
  const card = useRef<HTMLFieldSetElement>(null)
  const [isWhyOpen, setWhyOpen] = useState(large)
  const [isFull, setFull] = useState(false)
  const [isLarge, setLarge] = useState(false)
  const lines = useFittingLines(card)
  const { mayType, offers, chosen, setChosen, denying, isSending, off, keys, bar } = useRequestAnswers(
    card,
    request,
    { onAnswer: props.onAnswer, isAnswerable: answerable },
  )
  useRequestKeys(card, answerable && !denying && !isSending && !isLarge, {
    mayType,
    ...keys,
    why: () => setWhyOpen(!isWhyOpen),
  })
  useRequestFocus(card)
  const { verb, path } = wantedAction(request)
  const isDiff = subject.kind === 'diff'
  const isSplit = subject.kind === 'command' && (subject.parts?.length ?? 0) > 0
  const showFull = (next: () => void, text: string) => (
    <button type="button" className={classNames(QUIET_BUTTON, !isDiff && 'ml-auto')} onClick={next}>
      {text}
    </button>
  )

  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      aria-label={`${agentName} wants to ${makeVisible(path === null ? verb : `${verb} ${path}`)}${place === null ? '' : ` ${place}`}`}
      data-request={request.requestId}
      className={classNames(
        '@container flex min-h-0 min-w-0 shrink flex-col text-sm outline-none',
        large
          ? 'h-full'
          : `border-[color-mix(in_oklab,var(--needs-you)_45%,var(--line))] border-t focus-visible:shadow-[inset_2px_0_var(--needs-you)] ${CARD_COLOR}`,
      )}
    >
      <div className="flex min-h-8 shrink-0 items-center gap-2 px-2.5">
        <RequestTitle request={request} />
        {place !== null && <span className="min-w-0 truncate text-fg-2">{place}</span>}
        {subject.confinement !== undefined && <ConfinementChip confinement={subject.confinement} />}
        {position !== undefined && <span className="shrink-0 text-fg-2 text-xs">{position}</span>}
        {isDiff && !large && showFull(() => setLarge(true), 'Open large')}
        {isSplit && showFull(() => setFull(!isFull), isFull ? 'Commands' : 'Full command')}
      </div>
      <div data-card-scroller="" className="flex min-h-0 flex-1 flex-col overflow-y-auto">
        <RequestSubject subject={subject} isFull={isFull} lines={large ? 2000 : lines} />
        <div className="h-1.5 shrink-0" />
        <WhyAsked
          because={because}
          off={off}
          mode={mode}
          folder={subject.folder}
          isOpen={isWhyOpen}
          onToggle={setWhyOpen}
          {...(!large && { className: CARD_COLOR })}
        >
          {choices.some(({ kind }) => kind === 'always') && (
            <p className="mt-1">
              {keptText(
                choices.flatMap(({ kind, name }) => (kind === 'always' ? [name] : [])),
                agentName,
              )}
            </p>
          )}
          {offers.length > 0 && answerable && (
            <AlwaysChoice
              options={offers.map((offer) => ({ texts: [offer.rule], alsoCovers: offer.alsoCovers ?? null }))}
              chosen={chosen}
              onChoose={setChosen}
            />
          )}
        </WhyAsked>
      </div>
      <AnswerBar to={agentName} look="panel" answerable={answerable} {...bar} />
      {isDiff && !large && (
        <Dialog open={isLarge} onClose={() => setLarge(false)} title={agentName} width={1096} flush>
          {isLarge && <PermissionRequestCard {...props} large />}
        </Dialog>
      )}
    </fieldset>
  )
}

/** What the agent's own program keeps, which is no rule of Troupe. */
function keptText(names: readonly string[], agentName: string): string {
  const all = names.map((name) => `“${makeVisible(name)}”`).join(' and ')
  return names.length === 1
    ? `${all} is kept by ${agentName}, and is not one of your rules.`
    : `${all} are kept by ${agentName}, and are none of your rules.`
}

/** Renders nothing while the agent has no pending request. */
export function AgentRequests({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const conversationId = useConversation((state) => state.conversationId)
  const readOnly = useConversation((state) => state.readOnly)
  const request = agent?.requests[0]
  if (agent === undefined || request === undefined || conversationId === null) return null
  const { requestId } = request
  const more = agent.requests.length - 1
  return (
    <PermissionRequestCard
      key={requestId}
      agentName={agentTitleNow(agent)}
      place={requestPlace(agent)}
      mode={modeText(agent)}
      request={request}
      answerable={!readOnly}
      {...(more > 0 ? { position: `and ${more} more` } : {})}
      onAnswer={(answer) => answerRequest({ conversationId, agentId, requestId, ...answer })}
    />
  )
}
