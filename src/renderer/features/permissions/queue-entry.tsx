/** One request in the drawer: a dangerous one in full, another one on two lines until its details are opened. */

import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { PendingForm } from '../../../shared/events/agent-event.ts'
import { formLine } from '../../../shared/forms/form.ts'
import { hasHiddenCharacters, makeVisible } from '../../../shared/kernel/visible-text.ts'
import { agentTitleNow, useConversation } from '../../stores/conversation-store.ts'
import type { Asked } from '../../stores/requests-store.ts'
import { openConversation } from '../../stores/shown-conversation.ts'
import { Button } from '../../ui/button.tsx'
import { Dot } from '../../ui/dot.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { isEditable } from '../../ui/platform.ts'
import { requestPlace } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { folderName } from '../../ui/text/format.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { CommandText, VisibleText } from '../../ui/text/visible-text.tsx'
import { AnswerBar } from './answer-bar.tsx'
import { AddressText, AlwaysChoice, WaitingTime, WhyAsked } from './request-parts.tsx'
import { isDangerous, outcomeSentence } from './request-shape.ts'
import { ChangedLines, RequestSubject, wantedAction } from './request-subject.tsx'
import {
  answerRequest,
  type GivenAnswer,
  isChoice,
  useOutcome,
  useRequestAnswers,
  useRequestKeys,
} from './use-answer.ts'

/** The lines of a change that the drawer shows at first. */
const LINES = 12
/** A longer text is shown in full only with the details. */
const SHORT = 300

interface EntryProps {
  /** The entry that the keys act on. */
  readonly isCurrent: boolean
  readonly onSelect: () => void
}

/** Whether the focus is in the drawer, or was in a part of it that is gone now. */
export function hasFocus(drawer: HTMLElement | null): boolean {
  const { activeElement, body } = document
  if (drawer === null) return false
  return drawer.contains(activeElement) || (activeElement === body && drawer.dataset['hadFocus'] === '')
}

interface EntryFrameProps extends EntryProps {
  readonly requestId: string
  readonly label: string
  readonly isOver: boolean
  readonly card: React.RefObject<HTMLFieldSetElement | null>
  readonly className?: string
  readonly onKeyDown?: (event: React.KeyboardEvent) => void
  readonly children: ReactNode
}

/** The frame of an entry. The current one has the focus, unless the user writes in it. */
export function EntryFrame(props: EntryFrameProps) {
  const { requestId, label, isCurrent, isOver, onSelect, card, className, children } = props
  useEffect(() => {
    const { current } = card
    if (!isCurrent || current === null) return
    const { activeElement } = document
    if (current.contains(activeElement)) return
    // The drawer takes the focus only from itself: the user may be at work beside it.
    if (!hasFocus(current.closest<HTMLElement>('[data-request-drawer]'))) return
    if (isEditable(activeElement) && !isChoice(activeElement)) return
    // A form has keys of its own.
    const target = current.querySelector<HTMLElement>('[data-form]') ?? current
    target.focus({ preventScroll: true })
    current.scrollIntoView?.({ block: 'nearest' })
  }, [isCurrent, card])
  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      aria-label={label}
      data-request={requestId}
      data-current={isCurrent || undefined}
      onFocus={onSelect}
      onKeyDown={props.onKeyDown}
      className={classNames(
        '@container grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5 border-line border-b px-3.5 pt-2 pb-2.5 text-sm outline-none',
        isCurrent &&
          'bg-[color-mix(in_oklab,var(--needs-you)_6%,var(--bg-1))] shadow-[inset_2px_0_var(--needs-you)]',
        isOver && 'text-fg-2',
        className,
      )}
    >
      {children}
    </fieldset>
  )
}

interface EntryLineProps {
  readonly isOver: boolean
  readonly title: string
  readonly phrase: ReactNode
  readonly since: number
}

/** "◆ One key per order wants to run 2 commands 1:57" */
export function EntryLine({ isOver, title, phrase, since }: EntryLineProps) {
  return (
    <p className="flex min-w-0 items-center gap-2">
      <Dot status={isOver ? 'completed' : 'needs-you'} className="shrink-0" />
      <b className="min-w-0 shrink truncate font-semibold text-fg-0" title={title}>
        {title}
      </b>
      <span className="min-w-0 flex-1 truncate text-fg-2">{phrase}</span>
      {!isOver && <WaitingTime since={since} />}
    </p>
  )
}

/** Where the agent works, if it is another conversation, with the way there. */
function Elsewhere({ asked }: { readonly asked: Asked }) {
  if (asked.elsewhere === null) return null
  const { title, folder } = asked.elsewhere
  return (
    <p className="flex min-w-0 items-center gap-2 text-fg-2 text-xs">
      <button
        type="button"
        className="min-w-0 truncate rounded-xs hover:text-fg-0 hover:underline"
        title={`Open this conversation. Folder: ${makeVisible(folder)}`}
        onClick={() => void openConversation(asked.conversationId)}
      >
        In “{makeVisible(title)}”, {makeVisible(folderName(folder))}
      </button>
    </p>
  )
}

interface QueueEntryCardProps extends EntryProps {
  readonly asked: Extract<Asked, { readonly request: object }>
  readonly isOpen: boolean
  /** Called before the answer is sent, and with true if it failed. */
  readonly onAnswering: (requestIds: readonly string[], failed?: boolean) => void
}

export function QueueEntryCard({ asked, isOpen, isCurrent, onSelect, onAnswering }: QueueEntryCardProps) {
  const { conversationId, agentId, agent, request, elsewhere } = asked
  const { requestId, subject, because, choices = [] } = request
  const card = useRef<HTMLFieldSetElement>(null)
  const readOnly = useConversation((state) => state.readOnly) && elsewhere === null
  const isPast = useConversation((state) => state.pastAt !== null)
  const outcome = useOutcome(agentId, requestId)
  const [given, setGiven] = useState<GivenAnswer | null>(null)
  const [isWhyOpen, setWhyOpen] = useState(false)
  const [isFull, setFull] = useState(false)
  const name = agentTitleNow(agent)
  const answers = useRequestAnswers(card, request, {
    onAnswer: async (next) => {
      onAnswering([requestId])
      const answered = await answerRequest({ conversationId, agentId, requestId, ...next })
      if (answered.ok) setGiven(next)
      else onAnswering([requestId], true)
      return answered
    },
    isAnswerable: isOpen && !readOnly,
  })
  const { offers, chosen, setChosen, denying, isSending, isSettled, mayType, off, keys, bar } = answers
  const isActive = isOpen && given === null && !readOnly
  const isWhole = isDangerous(subject) || isWhyOpen || denying || choices.length > 0
  const isSplit = (subject.parts?.length ?? 0) > 0
  const isPlain = subject.kind !== 'diff' && subject.text.length <= SHORT
  const review = () => setWhyOpen(true)
  // Nothing is allowed before all of it was on the screen.
  const isRead = isWhole || isPlain
  useRequestKeys(card, isActive && !denying && !isSending, {
    mayType,
    ...keys,
    once: isRead ? keys.once : review,
    always: isRead ? keys.always : review,
    why: () => setWhyOpen(!isWhyOpen),
  })
  const { verb, path } = wantedAction(request)
  const place = requestPlace(agent)
  const isHidden = hasHiddenCharacters(subject.text)
  const over =
    outcome !== null ? outcomeSentence(outcome) : given !== null ? sentenceOf(given) : 'No longer asked.'

  return (
    <EntryFrame
      {...{ requestId, card, isCurrent, onSelect }}
      isOver={!isActive}
      label={`${name} wants to ${makeVisible(path === null ? verb : `${verb} ${path}`)}${place === null ? '' : ` ${place}`}`}
    >
      <EntryLine
        isOver={!isActive}
        title={name}
        phrase={
          <>
            wants to <VisibleText>{verb}</VisibleText>
            {place !== null && ` ${place}`}
          </>
        }
        since={request.askedAt}
      />
      <Elsewhere asked={asked} />
      {isWhole ? (
        <>
          <div className="-mx-2.5 grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1.5">
            {path !== null && (
              <p className="flex min-w-0 items-center gap-2 px-2.5">
                <code className="min-w-0 truncate font-mono text-fg-0 text-xs">{makeVisible(path)}</code>
                <ChangedLines patch={subject.text} />
              </p>
            )}
            <RequestSubject subject={subject} isFull={isFull} lines={LINES} />
            <div className="flex items-center">
              <div className="min-w-0 flex-1">
                <WhyAsked
                  because={`Folder ${folderName(subject.folder)}. ${because}`}
                  off={off}
                  mode={modeText(agent)}
                  folder={subject.folder}
                  isOpen={isWhyOpen}
                  onToggle={setWhyOpen}
                >
                  {isSplit && (
                    <button
                      type="button"
                      className="mt-1 rounded-xs text-fg-1 hover:text-fg-0 hover:underline"
                      onClick={() => setFull(!isFull)}
                    >
                      {isFull ? 'Commands one by one' : 'Full command'}
                    </button>
                  )}
                  {offers.length > 0 && (
                    <AlwaysChoice
                      options={offers.map((offer) => ({
                        texts: [offer.rule],
                        alsoCovers: offer.alsoCovers ?? null,
                      }))}
                      chosen={chosen}
                      onChoose={setChosen}
                    />
                  )}
                </WhyAsked>
              </div>
            </div>
          </div>
          {isActive ? (
            <AnswerBar to={name} look="entry" hasKeys={isCurrent} answerable {...bar} />
          ) : (
            <Over text={readOnly && isOpen ? (isPast ? PAST : READ_ONLY) : over} />
          )}
        </>
      ) : (
        <div className="flex min-h-[1.625rem] items-center gap-2">
          <span className="min-w-0 flex-1 font-mono text-[0.71875rem] text-fg-0 leading-[1.5] wrap-anywhere">
            {path !== null ? (
              <>
                {makeVisible(path)} <ChangedLines patch={subject.text} />
              </>
            ) : subject.kind === 'url' ? (
              <AddressText>{subject.text}</AddressText>
            ) : (
              <CommandText>{isPlain ? subject.text : `${subject.text.slice(0, SHORT)}…`}</CommandText>
            )}
            {isHidden && <span className="block font-sans text-bad text-xs">Has a hidden character.</span>}
          </span>
          {isActive ? (
            <span className="flex shrink-0 gap-1.5 self-end">
              {isPlain && (
                <Button variant="quiet" className="h-[1.625rem] px-1.5" onClick={review}>
                  Details
                </Button>
              )}
              <Button
                {...moment(!isSettled || isSending)}
                className="h-[1.625rem] w-[5.375rem] px-0"
                onClick={isPlain ? keys.once : review}
              >
                {isPlain ? 'Allow once' : 'Review'}
              </Button>
              <Button
                {...moment(!isSettled || isSending)}
                className="h-[1.625rem] w-[3.75rem] px-0"
                onClick={keys.deny}
              >
                Deny…
              </Button>
            </span>
          ) : (
            <span className="shrink-0">
              <Over text={readOnly && isOpen ? (isPast ? PAST : READ_ONLY) : over} />
            </span>
          )}
        </div>
      )}
    </EntryFrame>
  )
}

const READ_ONLY = 'Open in another program. Answer there.'
const PAST = 'You see a past moment. Go back to now to answer.'

/** A button that takes no press for a moment, and looks the same. */
function moment(isBusy: boolean) {
  return isBusy ? { disabled: true, focusableWhenDisabled: true, 'aria-busy': true } : {}
}

/** In place of the buttons, as high as they are: nothing below moves. */
export function Over({ text }: { readonly text: string }) {
  return (
    <p role="status" className="flex h-[1.625rem] items-center text-fg-1 text-xs">
      {text}
    </p>
  )
}

function sentenceOf({ decision }: GivenAnswer): string {
  return outcomeSentence({ decision, answeredBy: 'user', rule: null })
}

interface FormEntryProps extends EntryProps {
  readonly asked: Extract<Asked, { readonly form: object }>
  readonly isOpen: boolean
  readonly renderForm: (agentId: string, form: PendingForm) => ReactNode
}

/** A question of an agent. That of another conversation is answered there. */
export function FormEntry({ asked, isOpen, isCurrent, onSelect, renderForm }: FormEntryProps) {
  const { agent, agentId, form, elsewhere, conversationId } = asked
  const card = useRef<HTMLFieldSetElement>(null)
  const name = agentTitleNow(agent)
  const open = () => void openConversation(conversationId)
  return (
    <EntryFrame
      {...{ card, isCurrent, onSelect }}
      requestId={form.formId}
      isOver={!isOpen}
      label={`Question of ${name}`}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.target !== card.current || !isOpen || elsewhere === null) return
        event.preventDefault()
        open()
      }}
    >
      {isOpen && elsewhere === null ? (
        renderForm(agentId, form)
      ) : (
        <>
          <EntryLine isOver={!isOpen} title={name} phrase="asks you" since={form.openedAt} />
          <Elsewhere asked={asked} />
          <div className="flex min-h-[1.625rem] items-center gap-2">
            <span className="min-w-0 flex-1 text-fg-1 wrap-anywhere">
              <VisibleText>{formLine(form.form)}</VisibleText>
            </span>
            {isOpen ? (
              <Button className="h-[1.625rem]" onClick={open}>
                Open conversation {isCurrent && <Kbd keys="Enter" />}
              </Button>
            ) : (
              <Over text="Answered." />
            )}
          </div>
        </>
      )}
    </EntryFrame>
  )
}
