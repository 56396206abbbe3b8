/** All pending permission requests and forms, and the answered requests, handled from the keyboard. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { KEY_MAP } from '../../../shared/commands/key-map.ts'
import type { PendingForm } from '../../../shared/events/agent-event.ts'
import { type Need, useAgent, useConversation, useNeeds } from '../../stores/conversation-store.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { isEditable } from '../../ui/platform.ts'
import { displayName, requestPlace } from '../../ui/text/agent-text.ts'
import { count } from '../../ui/text/format.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { AnsweredCard, AnsweredElsewhere } from './answered-card.tsx'
import { PermissionRequestCard } from './permission-request-card.tsx'
import { QueueList } from './queue-list.tsx'
import { type Queue, useQueue } from './queue-state.ts'
import { RequestGroupCard } from './request-group-card.tsx'
import { answerRequest, isChoice, useAnswered, useOutcome } from './use-answer.ts'

export interface RequestQueueProps {
  /** Renders a form of an agent. `position`: "1 of 3". */
  readonly renderForm: (agentId: string, form: PendingForm, position: string) => ReactNode
  readonly open: boolean
  readonly onClose: () => void
}

/** Closes after the user has answered the last request. */
export function RequestQueue({ open, onClose, renderForm }: RequestQueueProps) {
  const needs = useNeeds()
  const isEmpty = useAnswered().length === 0 && needs.length === 0
  return (
    <Dialog
      open={open}
      onClose={onClose}
      width={isEmpty ? 460 : 1096}
      flush={!isEmpty}
      aside={isEmpty ? undefined : <Kbd keys="Esc" />}
      title={count(needs.length, 'pending request')}
      description={isEmpty ? 'Permission requests and questions from agents are listed here.' : undefined}
    >
      {isEmpty ? undefined : <OpenQueue renderForm={renderForm} onClose={onClose} />}
    </Dialog>
  )
}

function OpenQueue({ renderForm, onClose }: Pick<RequestQueueProps, 'renderForm' | 'onClose'>) {
  const queue = useQueue()
  const [showsKeys, setShowsKeys] = useState(false)
  const { places, shown, answered, open } = queue
  const hadNeeds = useRef(false)
  const isDone = open.size === 0 && shown === null
  useEffect(() => {
    if (isDone && hadNeeds.current) onClose()
    hadNeeds.current = open.size > 0
  }, [isDone, open.size, onClose])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp'
    if (isEditable(event.target) && !(isChoice(event.target) && !(isArrow && isRadio(event.target)))) return
    if (event.key === 'j' || event.key === 'ArrowDown') queue.move(1)
    else if (event.key === 'k' || event.key === 'ArrowUp') queue.move(-1)
    else if (event.key === 'Home') queue.move('first')
    else if (event.key === 'End') queue.move('last')
    else if (event.key === '?') setShowsKeys(!showsKeys)
    else if (event.key === 'u' && answered.some(({ rule }) => rule !== null))
      queue.select(answered.find(({ rule }) => rule !== null)?.key ?? '')
    else return
    event.preventDefault()
  }
  const past = answered.find(({ key }) => key === shown)
  const place = places.find(({ key }) => key === shown)
  const at = place === undefined ? -1 : places.indexOf(place)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys work wherever the focus is inside the dialog
    <div
      data-request-scope=""
      tabIndex={-1}
      onKeyDown={onKeyDown}
      className="grid min-h-0 flex-1 grid-cols-[18.5rem_minmax(0,1fr)] grid-rows-[minmax(0,1fr)] outline-none max-[1279px]:grid-cols-[16.25rem_minmax(0,1fr)]"
    >
      <div
        className="flex min-h-0 min-w-0 flex-col border-line border-r"
        onPointerEnter={() => queue.hold(true)}
        onPointerLeave={() => queue.hold(false)}
      >
        <QueueList places={places} open={open} answered={answered} shown={shown} onSelect={queue.select} />
        <QueueKeys isOpen={showsKeys} onToggle={() => setShowsKeys(!showsKeys)} />
      </div>
      <div className="flex min-h-0 min-w-0 flex-col border-l-2 border-l-needs-you/55 bg-[color-mix(in_oklab,var(--needs-you)_4%,var(--bg-1))]">
        {place !== undefined && (
          <ShownPlace
            key={place.key}
            queue={queue}
            members={place.members}
            isGroup={place.isGroup}
            position={`${at + 1} of ${places.length}`}
            renderForm={renderForm}
          />
        )}
        {past !== undefined && <AnsweredCard key={past.key} answered={past} />}
        {place === undefined && past === undefined && (
          <p className="m-auto text-fg-2 text-sm">Nothing is pending. J and K show what was answered.</p>
        )}
      </div>
    </div>
  )
}

const isRadio = (target: EventTarget): boolean =>
  target instanceof HTMLInputElement && target.type === 'radio'

interface ShownPlaceProps extends Pick<RequestQueueProps, 'renderForm'> {
  readonly queue: Queue
  readonly members: readonly Need[]
  readonly isGroup: boolean
  readonly position: string
}

/** Pass the place's key as `key`. */
function ShownPlace({ queue, members, isGroup, position, renderForm }: ShownPlaceProps) {
  const readOnly = useConversation((state) => state.readOnly)
  const { shown, open, next, isReplaced } = queue
  const [first] = members
  const onNext = next === null ? null : () => queue.select(next)
  if (first === undefined || shown === null) return null
  if (isGroup)
    return (
      <RequestGroupCard
        members={members.flatMap(({ agentId, request }) => (request ? [{ agentId, request }] : []))}
        open={open}
        ticked={queue.ticks.get(shown) ?? NONE}
        onToggle={queue.toggle}
        onToggleAll={queue.toggleAll}
        answerable={!readOnly}
        position={position}
        isReplaced={isReplaced}
        onAnswering={queue.answering}
        onNext={onNext}
      />
    )
  if (first.form !== undefined)
    return (
      <div className="flex max-h-full min-h-0 min-w-0 flex-col p-3">
        {open.has(first.form.formId) ? (
          renderForm(first.agentId, first.form, position)
        ) : (
          <AnsweredElsewhere outcome={null} onNext={onNext} />
        )}
      </div>
    )
  return <SingleRequest queue={queue} need={first} position={position} onNext={onNext} readOnly={readOnly} />
}

const NONE: ReadonlySet<string> = new Set()

interface SingleRequestProps {
  readonly queue: Queue
  readonly need: Extract<Need, { readonly request: object }>
  readonly position: string
  readonly onNext: (() => void) | null
  readonly readOnly: boolean
}

function SingleRequest({ queue, need, position, onNext, readOnly }: SingleRequestProps) {
  const { agentId, request } = need
  const { requestId } = request
  const agent = useAgent(agentId)
  const outcome = useOutcome(agentId, requestId)
  if (agent === undefined) return null
  const isOver = !queue.open.has(requestId)
  return (
    <PermissionRequestCard
      large
      agentName={displayName(agent)}
      place={requestPlace(agent)}
      mode={modeText(agent)}
      worktree={agent.worktree?.branch ?? null}
      request={request}
      answerable={!readOnly}
      position={position}
      isReplaced={queue.isReplaced}
      {...(isOver && { answered: <AnsweredElsewhere outcome={outcome} onNext={onNext} /> })}
      onAnswer={async (answer) => {
        queue.answering([requestId])
        const answered = await answerRequest({ agentId, requestId, ...answer })
        if (!answered.ok) queue.answering([requestId], true)
        return answered
      }}
    />
  )
}

/** The keys of the queue of requests: the most important ones below the list, all of them on request. */
function QueueKeys({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }) {
  const lines = KEY_MAP.find(({ place }) => place === 'Permission requests')?.lines ?? []
  return (
    <div className="shrink-0 border-line border-t px-3 py-2 text-fg-2 text-xs">
      {isOpen && (
        <ul aria-label="Keys" className="mb-1.5 flex max-h-[45vh] flex-col gap-1 overflow-y-auto">
          {lines.map(({ keys, title }) => (
            <li key={title} className="flex items-baseline justify-between gap-3">
              <span>{title}</span>
              <span className="flex shrink-0 gap-1">
                {keys.map((key) => (
                  <Kbd key={key} keys={key} />
                ))}
              </span>
            </li>
          ))}
        </ul>
      )}
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span>
          <Kbd keys="J" /> <Kbd keys="K" /> next, previous
        </span>
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onToggle}
          className="rounded-xs hover:text-fg-0"
        >
          <Kbd keys="?" /> {isOpen ? 'fewer keys' : 'all keys'}
        </button>
      </p>
    </div>
  )
}
