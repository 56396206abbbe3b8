/** One permission request: the exact action, the reason for asking, and three answers of equal weight. */
import { type ReactNode, useId, useRef, useState } from 'react'
import type { PermissionSubject } from '../../../shared/events/agent-event.ts'
import { offersOf } from '../../../shared/events/permissions.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PendingRequest } from '../../../shared/state/agent-state.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { ConfinementChip } from '../../ui/confinement-mark.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { displayName, requestPlace } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { CommandText, VisibleText } from '../../ui/text/visible-text.tsx'
import { useRequestFocus } from '../../ui/use-focus.ts'
import { AnswerBar } from './answer-bar.tsx'
import { AddressText, AlwaysChoice, RequestChips, WhyAsked } from './request-parts.tsx'
import { folderName } from './request-shape.ts'
import { answerRequest, type GivenAnswer, useAnswer, useRequestKeys } from './use-answer.ts'

export interface PermissionRequestCardProps {
  readonly agentName: string
  /** Where the agent runs, unless in this program: "on build-7", "in process 4711". */
  readonly place?: string | null
  readonly request: PendingRequest
  /** Position among the pending requests, such as "1 of 3". */
  readonly position?: ReactNode
  /** False while another program has the conversation open. */
  readonly answerable?: boolean
  /** The agent's permission mode in words. */
  readonly mode?: string | null
  /** The branch of the agent's worktree; null: it has none. Missing: not said. */
  readonly worktree?: string | null
  /** Fills the queue instead of a part of a panel. */
  readonly large?: boolean
  /** Whether the card took another's place just now. */
  readonly isReplaced?: boolean
  /** Replaces the buttons once something else has answered the request. */
  readonly answered?: ReactNode
  readonly onAnswer: (answer: GivenAnswer) => Promise<Answer<void>>
}

const BOX =
  '@container rounded-md border border-[color-mix(in_oklab,var(--needs-you)_50%,var(--line))] bg-[color-mix(in_oklab,var(--needs-you)_7%,var(--bg-1))] px-2.5 py-2 focus-visible:border-needs-you'

/** Pass the request's id as `key`: each request needs its own state. */
export function PermissionRequestCard(props: PermissionRequestCardProps) {
  const { agentName, place = null, request, position, mode = null, worktree } = props
  const { large = false, answered, answerable = true } = props
  const { subject, because } = request
  const offers = offersOf(request)
  const { choices = [] } = request
  const kept = choices.filter(({ kind }) => kind === 'always')
  const card = useRef<HTMLFieldSetElement>(null)
  const [denying, setDenying] = useState(false)
  const [isWhyOpen, setWhyOpen] = useState(false)
  const [chosen, setChosen] = useState(0)
  const title = useId()
  const isOpen = answerable && answered === undefined
  const { answer, isSending, failure } = useAnswer({
    onAnswer: props.onAnswer,
    isAnswerable: isOpen,
    isReplaced: props.isReplaced ?? false,
    isRepeatable: false,
  })
  const rule = offers[chosen]?.rule
  const first = choices.find(({ kind }) => kind === 'once')
  const once = () => answer({ decision: 'allow-once', feedback: null, ...(first && { choice: first.id }) })
  const always =
    rule === undefined
      ? null
      : () => answer({ decision: 'allow-always', feedback: null, ...(chosen > 0 && { rule }) })
  useRequestKeys(card, isOpen && !denying && !isSending, {
    once,
    always,
    deny: () => setDenying(true),
    why: () => setWhyOpen(!isWhyOpen),
    choose: (index) => index < offers.length && setChosen(index),
  })
  useRequestFocus(card)
  const choice = (
    <AlwaysChoice
      options={offers.map((offer) => ({ texts: [offer.rule], alsoCovers: offer.alsoCovers ?? null }))}
      chosen={chosen}
      onChoose={setChosen}
    />
  )

  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      aria-labelledby={title}
      data-request={request.requestId}
      className={classNames('flex min-h-0 min-w-0 flex-col text-sm outline-none', large ? 'h-full' : BOX)}
    >
      <div className={classNames('flex min-h-0 flex-col', large && 'flex-1 overflow-y-auto px-4 pt-3 pb-2')}>
        <div className="flex shrink-0 items-baseline justify-between gap-3">
          <p id={title} className="min-w-0 text-fg-0 wrap-anywhere">
            <b className="font-semibold">{agentName}</b> wants to <VisibleText>{subject.action}</VisibleText>{' '}
            in{' '}
            <span className="font-mono" title={makeVisible(subject.folder)}>
              <VisibleText>{folderName(subject.folder)}</VisibleText>
            </span>
            {place !== null && <span className="text-fg-2"> {place}</span>}
          </p>
          {worktree === undefined && subject.confinement !== undefined && (
            <ConfinementChip confinement={subject.confinement} />
          )}
          {position !== undefined && <span className="shrink-0 text-fg-2 text-xs">{position}</span>}
        </div>
        {worktree !== undefined && <RequestChips subject={subject} worktree={worktree} />}
        <RequestSubject subject={subject} large={large} />
        <WhyAsked
          because={because}
          mode={mode}
          folder={subject.folder}
          hasOffers={offers.length > 0}
          isOpen={isWhyOpen}
          onToggle={setWhyOpen}
        >
          {rule !== undefined && !large && (
            <>
              {' '}
              “Always allow” permits{' '}
              <code className="font-mono text-fg-1 text-xs wrap-anywhere">
                <CommandText>{rule}</CommandText>
              </code>{' '}
              from now on.
            </>
          )}
        </WhyAsked>
        {kept.length > 0 && (
          <p className="mt-1 shrink-0 text-fg-2 text-xs">
            {kept.map(({ name }) => `“${makeVisible(name)}”`).join(' and ')}{' '}
            {kept.length === 1
              ? `is kept by ${agentName}, and is not one of your rules.`
              : `are kept by ${agentName}, and are none of your rules.`}
          </p>
        )}
        {(large || isWhyOpen) && offers.length > (large ? 0 : 1) && isOpen && choice}
      </div>
      {answered ?? (
        <AnswerBar
          to={agentName}
          amount={null}
          large={large}
          denying={denying}
          answerable={answerable}
          isSending={isSending}
          failure={failure}
          once={once}
          always={always}
          choices={choices}
          onChoose={({ id, kind }) =>
            answer({ decision: kind === 'deny' ? 'deny' : 'allow-once', feedback: null, choice: id })
          }
          onDeny={() => setDenying(true)}
          onDenied={(feedback) => answer({ decision: 'deny', feedback })}
          onBack={() => {
            setDenying(false)
            card.current?.focus()
          }}
        />
      )}
    </fieldset>
  )
}

/** The requested action in full, never cut. It is the only part that scrolls: reason and buttons stay in view. */
interface RequestSubjectProps {
  readonly subject: PermissionSubject
  /** In the queue, where the whole card has its own height. */
  readonly large: boolean
}

function RequestSubject({ subject, large }: RequestSubjectProps) {
  const height = large ? 'shrink' : 'max-h-[38vh]'
  if (subject.kind === 'diff')
    return (
      <div data-subject="" className={classNames('my-1.5 flex min-h-0 flex-col rounded-[6px]', height)}>
        <DiffView patch={subject.text} label="Proposed change" shownLines={400} />
      </div>
    )
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
      tabIndex={0}
      data-subject=""
      data-selectable=""
      className={classNames(
        'my-1.5 min-h-[1.75rem] overflow-auto whitespace-pre-wrap rounded-sm bg-bg-0 px-2 py-[5px] font-medium font-mono text-[0.71875rem] text-fg-0 leading-[1.5] wrap-anywhere',
        height,
      )}
    >
      {subject.kind === 'url' ? (
        <AddressText>{subject.text}</AddressText>
      ) : (
        <CommandText>{subject.text}</CommandText>
      )}
    </pre>
  )
}

/** Renders nothing while the agent has no pending request. */
export function AgentRequests({ agentId }: { readonly agentId: string }) {
  const agent = useAgent(agentId)
  const readOnly = useConversation((state) => state.readOnly)
  const request = agent?.requests[0]
  const first = useRef(request?.requestId)
  if (request === undefined) first.current = undefined
  first.current ??= request?.requestId
  if (agent === undefined || request === undefined) return null
  const { requestId } = request
  const more = agent.requests.length - 1
  return (
    <PermissionRequestCard
      key={requestId}
      agentName={displayName(agent)}
      place={requestPlace(agent)}
      mode={modeText(agent)}
      request={request}
      answerable={!readOnly}
      isReplaced={first.current !== requestId}
      {...(more > 0 ? { position: `and ${more} more` } : {})}
      onAnswer={(answer) => answerRequest({ agentId, requestId, ...answer })}
    />
  )
}
