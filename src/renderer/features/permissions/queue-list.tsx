/** The list of the queue: what is pending, then what was answered. */
import { Check, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { formLine } from '../../../shared/forms/form.ts'
import { hasHiddenCharacters, makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type Need, useAgent, useNamesake } from '../../stores/conversation-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { agentName, askedText, displayName } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { AgentTitle, VisibleText } from '../../ui/text/visible-text.tsx'
import { openMembers, type QueuePlace } from './queue-state.ts'
import { WaitingTime } from './request-parts.tsx'
import { outcomeKeyword } from './request-shape.ts'
import type { AnsweredByAgent } from './use-answer.ts'

interface QueueListProps {
  readonly places: readonly QueuePlace[]
  readonly open: ReadonlySet<string>
  readonly answered: readonly AnsweredByAgent[]
  readonly shown: string | null
  readonly onSelect: (key: string) => void
}

export function QueueList({ places, open, answered, shown, onSelect }: QueueListProps) {
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto p-2">
      {places.length > 0 && (
        <ul className="flex flex-col gap-0.5" aria-label="Requests">
          {places.map((place) => (
            <QueueItem key={place.key} isCurrent={place.key === shown} onSelect={() => onSelect(place.key)}>
              <PlaceLines place={place} open={open} />
            </QueueItem>
          ))}
        </ul>
      )}
      {answered.length > 0 && (
        <>
          <h3 className="flex items-center gap-2 px-2 pt-3 pb-1 font-semibold text-fg-2 text-xs uppercase tracking-wide">
            Answered <span className="font-normal tabular-nums">{answered.length}</span>
          </h3>
          <ul className="flex flex-col" aria-label="Answered">
            {answered.map((one) => (
              <QueueItem key={one.key} isCurrent={one.key === shown} onSelect={() => onSelect(one.key)}>
                <AnsweredLine answered={one} />
              </QueueItem>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

interface QueueItemProps {
  readonly isCurrent: boolean
  readonly onSelect: () => void
  readonly children: ReactNode
}

function QueueItem({ isCurrent, onSelect, children }: QueueItemProps) {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isCurrent) item.current?.scrollIntoView({ block: 'nearest' })
  }, [isCurrent])
  return (
    <li ref={item} className="shrink-0">
      <button
        type="button"
        // The card has the keys. The list is reached with J, K and the arrows.
        tabIndex={-1}
        aria-current={isCurrent}
        onClick={onSelect}
        className={classNames(
          'block w-full rounded-[6px] px-2 py-1 text-left text-sm',
          isCurrent ? 'bg-bg-3' : 'hover:bg-bg-2',
        )}
      >
        {children}
      </button>
    </li>
  )
}

const LINES = 'grid grid-cols-[12px_minmax(0,1fr)_auto] items-center gap-x-2'
const SECOND = 'col-span-2 col-start-2 font-mono text-fg-1 text-xs'
const NOTE = 'col-span-2 col-start-2 text-fg-2 text-xs'

function PlaceLines({ place, open }: { readonly place: QueuePlace; readonly open: ReadonlySet<string> }) {
  const waiting = openMembers(place, open)
  const first = waiting[0] ?? place.members[0]
  const agent = useAgent(first?.agentId ?? null)
  const namesake = useNamesake(first?.agentId ?? '')
  if (first === undefined) return null
  const text = textOf(first)
  const isAnswered = waiting.length === 0
  const isHidden = first.request !== undefined && hasHiddenCharacters(first.request.subject.text)
  const agents = new Set(place.members.map(({ agentId }) => agentId)).size
  return (
    <span
      className={classNames(LINES, isAnswered && 'opacity-55')}
      style={agentStyle(agent?.definition.color ?? '')}
    >
      {isAnswered ? (
        <Check size={11} aria-hidden="true" className="text-fg-2" />
      ) : (
        <span className="relative justify-self-center leading-none">
          {place.isGroup && <Dot status="needs-you" className="absolute -top-1.5 left-0 opacity-55" />}
          <Dot status="needs-you" className="relative" />
        </span>
      )}
      <span className="flex min-w-0 text-fg-0">
        {place.isGroup ? (
          <b className="font-medium">{isAnswered ? place.members.length : waiting.length} similar</b>
        ) : (
          <AgentTitle
            name={agent === undefined ? '' : first.form ? agentName(agent) : displayName(agent)}
            task={namesake ? (agent?.task ?? null) : null}
          />
        )}
      </span>
      {isAnswered ? (
        <span className="text-fg-2 text-xs">answered</span>
      ) : (
        <WaitingTime since={first.request?.askedAt ?? first.form?.openedAt ?? 0} />
      )}
      <span className={classNames(SECOND, isHidden ? 'wrap-anywhere' : 'truncate')}>
        <VisibleText>{text}</VisibleText>
      </span>
      {place.isGroup && <span className={NOTE}>{agents === 1 ? '1 agent' : `${agents} agents`}</span>}
      {isHidden && <span className={NOTE}>Has a hidden character, so it is asked alone.</span>}
    </span>
  )
}

function textOf({ request, form }: Need): string {
  return makeVisible(request ? askedText(request.subject) : form ? formLine(form.form) : '')
}

function AnsweredLine({ answered }: { readonly answered: AnsweredByAgent }) {
  const Icon = answered.decision === 'deny' ? X : Check
  return (
    <span className={classNames(LINES, 'text-fg-2 text-xs')}>
      <Icon size={11} aria-hidden="true" />
      <span className="truncate font-mono text-fg-1">
        <VisibleText>{answered.text === '' ? answered.action : answered.text}</VisibleText>
      </span>
      <span>{outcomeKeyword(answered)}</span>
    </span>
  )
}
