/**
 * The drawer with all that agents ask, of every conversation and folder. It lies over the right edge, and what is left
 * of the window stays usable. Every request can be answered from the keyboard; an answered one keeps its place.
 */
import { Check, X } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { KEY_MAP } from '../../../shared/commands/key-map.ts'
import type { PendingForm } from '../../../shared/events/agent-event.ts'
import { needId } from '../../stores/conversation-store.ts'
import { type Asked, useAsked } from '../../stores/requests-store.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { isEditable } from '../../ui/platform.ts'
import { Segmented } from '../../ui/segmented.tsx'
import { requestPlace } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { formatClock } from '../../ui/text/format.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { FormEntry, hasFocus, QueueEntryCard } from './queue-entry.tsx'
import {
  answering,
  EMPTY_QUEUE,
  followAsked,
  moveTo,
  type QueueEntry,
  type QueueState,
  type ShapedRequest,
  select,
  toggle,
  toggleAll,
} from './queue-state.ts'
import { type AskedRequest, RequestGroup } from './request-group.tsx'
import { isDangerous, outcomeKeyword, requestShape } from './request-shape.ts'
import { SavedRule } from './saved-rule.tsx'
import { type AnsweredByAgent, isChoice, useAnswered } from './use-answer.ts'

export interface RequestQueueProps {
  /** Renders a form of an agent of the conversation on the screen. */
  readonly renderForm: (agentId: string, form: PendingForm) => ReactNode
  readonly onClose: () => void
}

type Scope = 'here' | 'all'

export function RequestQueue({ onClose, renderForm }: RequestQueueProps) {
  const all = useAsked()
  const here = useMemo(() => all.filter(({ elsewhere }) => elsewhere === null), [all])
  const [scope, setScope] = useState<Scope>(here.length > 0 ? 'here' : 'all')
  const drawer = useRef<HTMLElement>(null)
  const close = useFocusBack(drawer, onClose)
  return (
    <aside
      ref={drawer}
      tabIndex={-1}
      aria-label="Requests"
      data-request-drawer=""
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return
        event.preventDefault()
        close()
      }}
      className="fixed top-10 right-0 bottom-[1.625rem] z-30 flex w-[29.375rem] max-w-full flex-col border-line-strong border-l bg-bg-1 shadow-[-24px_0_60px_oklch(0_0_0/0.35)] outline-none"
    >
      <header className="flex h-11 shrink-0 items-center gap-2.5 border-line border-b px-3.5">
        <h2 className="font-semibold text-fg-0 text-lg">Requests</h2>
        <span className="font-mono text-fg-2 text-xs tabular-nums">
          {scope === 'here' ? here.length : all.length}
        </span>
        <Segmented
          label="Which requests"
          value={scope}
          options={[
            { value: 'here', label: `This conversation ${here.length}` },
            { value: 'all', label: `All ${all.length}` },
          ]}
          onChange={setScope}
        />
        <Button variant="quiet" aria-label="Esc: close" className="ml-auto px-1" onClick={close}>
          <Kbd keys="Esc" />
        </Button>
      </header>
      <OpenQueue key={scope} asked={scope === 'here' ? here : all} renderForm={renderForm} drawer={drawer} />
    </aside>
  )
}

/** The focus goes into the drawer when it opens, and back where it was when the user closes it. */
function useFocusBack(drawer: { readonly current: HTMLElement | null }, onClose: () => void): () => void {
  const [before] = useState(() => document.activeElement)
  useEffect(() => {
    const { current } = drawer
    if (current === null) return
    const follow = ({ target }: Event) => {
      current.toggleAttribute('data-had-focus', target instanceof Node && current.contains(target))
    }
    document.addEventListener('focusin', follow)
    document.addEventListener('pointerdown', follow)
    if (!current.contains(document.activeElement)) current.focus()
    current.toggleAttribute('data-had-focus', true)
    return () => {
      document.removeEventListener('focusin', follow)
      document.removeEventListener('pointerdown', follow)
    }
  }, [drawer])
  return () => {
    onClose()
    if (before instanceof HTMLElement && before.isConnected) before.focus()
  }
}

interface OpenQueueProps extends Pick<RequestQueueProps, 'renderForm'> {
  readonly asked: readonly Asked[]
  readonly drawer: { readonly current: HTMLElement | null }
}

function OpenQueue({ asked, renderForm, drawer }: OpenQueueProps) {
  const { state, change, hold } = useQueue(asked)
  const answered = useAnswered()
  const list = useRef<HTMLDivElement>(null)
  const [showsKeys, setShowsKeys] = useState(false)
  const { entries, current } = state
  const shown = new Set(entries.flatMap(({ members }) => members.map(needId)))
  // An answered request is in its old place until the drawer closes.
  const past = answered.filter(({ requestId }) => !shown.has(requestId))

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
    const isArrow = event.key === 'ArrowDown' || event.key === 'ArrowUp'
    if (isEditable(event.target) && !(isChoice(event.target) && !(isArrow && isRadio(event.target)))) return
    if (event.key === 'j' || event.key === 'ArrowDown') change((now) => moveTo(now, 1))
    else if (event.key === 'k' || event.key === 'ArrowUp') change((now) => moveTo(now, -1))
    else if (event.key === 'Home') change((now) => moveTo(now, 'first'))
    else if (event.key === 'End') change((now) => moveTo(now, 'last'))
    else if (event.key === '?') setShowsKeys(!showsKeys)
    else return
    event.preventDefault()
  }
  // With nothing left to answer, the drawer itself keeps the focus: further keys go nowhere.
  useEffect(() => {
    if (current === null && hasFocus(drawer.current)) drawer.current?.focus()
  }, [current, drawer])

  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys work wherever the focus is in the list */}
      <div
        ref={list}
        data-request-list=""
        onKeyDown={onKeyDown}
        onPointerEnter={() => hold(true)}
        onPointerLeave={() => hold(false)}
        className="min-h-0 flex-1 overflow-y-auto outline-none"
      >
        {entries.map((entry) => (
          <Entry
            key={entry.key}
            entry={entry}
            state={state}
            change={change}
            isCurrent={entry.key === current}
            renderForm={renderForm}
          />
        ))}
        {entries.length === 0 && (
          <p className="px-3.5 py-6 text-fg-2 text-sm">
            Nothing waits for you. Permission requests and questions from agents are listed here.
          </p>
        )}
        {past.length > 0 && <Answered answered={past} />}
        <KeysOfList list={list} current={current} />
      </div>
      <QueueKeys isOpen={showsKeys} onToggle={() => setShowsKeys(!showsKeys)} />
    </>
  )
}

/** Gives the current entry the focus when the drawer opens. */
function KeysOfList({
  list,
  current,
}: {
  readonly list: React.RefObject<HTMLDivElement | null>
  readonly current: string | null
}) {
  const isFirst = useRef(true)
  useEffect(() => {
    if (!isFirst.current || current === null) return
    isFirst.current = false
    list.current?.querySelector<HTMLElement>('[data-current]')?.focus({ preventScroll: true })
  }, [list, current])
  return null
}

/** The fold over what is asked, followed before anything is drawn. */
function useQueue(asked: readonly Asked[]) {
  const [held, hold] = useState(false)
  const shaped = useMemo(() => asked.map(shapedOf), [asked])
  const [state, change] = useState(EMPTY_QUEUE)
  const [followed, setFollowed] = useState<readonly unknown[]>([])
  let current = state
  if (followed[0] !== shaped || followed[1] !== held || followed[2] !== state) {
    current = followAsked(state, { asked: shaped, hold: held })
    change(current)
    setFollowed([shaped, held, current])
  }
  return { state: current, change, hold }
}

function shapedOf(asked: Asked): ShapedRequest {
  const { request, agent } = asked
  if (request === undefined) return { asked, shape: null, isDangerous: false }
  const shape = requestShape({ request, isInWorktree: agent.worktree !== null, place: requestPlace(agent) })
  return { asked, shape, isDangerous: isDangerous(request.subject) }
}

interface EntryOfQueueProps extends Pick<RequestQueueProps, 'renderForm'> {
  readonly entry: QueueEntry
  readonly state: QueueState
  readonly change: (next: (now: QueueState) => QueueState) => void
  readonly isCurrent: boolean
}

function Entry({ entry, state, change, isCurrent, renderForm }: EntryOfQueueProps) {
  const { key, members, isGroup } = entry
  const { open } = state
  const common = {
    isCurrent,
    onSelect: () => change((now) => (now.current === key ? now : select(now, key))),
  }
  const onAnswering = (ids: readonly string[], failed = false) => change((now) => answering(now, ids, failed))
  const requests = members.filter((one): one is AskedRequest => one.request !== undefined)
  if (isGroup)
    return (
      <RequestGroup
        {...common}
        members={requests}
        open={open}
        selected={state.selected.get(key) ?? NONE}
        onToggle={(id) => change((now) => toggle(now, key, id))}
        onToggleAll={() => change((now) => toggleAll(now, key))}
        onAnswering={onAnswering}
      />
    )
  const [only] = members
  if (only === undefined) return null
  const isOpen = open.has(needId(only))
  return only.request === undefined ? (
    <FormEntry {...common} asked={only} isOpen={isOpen} renderForm={renderForm} />
  ) : (
    <QueueEntryCard {...common} asked={only} isOpen={isOpen} onAnswering={onAnswering} />
  )
}

const NONE: ReadonlySet<string> = new Set()

const isRadio = (target: EventTarget): boolean =>
  target instanceof HTMLInputElement && target.type === 'radio'

/** Requests of this conversation that were answered before the drawer opened, newest first. */
function Answered({ answered }: { readonly answered: readonly AnsweredByAgent[] }) {
  return (
    <section className="px-3.5 pt-3 pb-2">
      <h3 className="flex items-center justify-between pb-1 font-semibold text-fg-2 text-xs uppercase tracking-wide">
        Answered <span className="font-mono font-normal tabular-nums">{answered.length}</span>
      </h3>
      <ul aria-label="Answered" className="flex flex-col">
        {answered.map((one) => (
          <AnsweredLine key={one.requestId} answered={one} />
        ))}
      </ul>
    </section>
  )
}

function AnsweredLine({ answered }: { readonly answered: AnsweredByAgent }) {
  const { decision, text, action, rule, feedback, at } = answered
  const Icon = decision === 'deny' ? X : Check
  return (
    <li className="text-xs">
      <p className="grid min-h-[1.375rem] grid-cols-[12px_minmax(0,1fr)_auto] items-center gap-2">
        <Icon size={11} aria-hidden="true" className="text-fg-2" />
        <span className="truncate font-mono text-fg-1" title={text === '' ? action : text}>
          <VisibleText>{text === '' ? action : text}</VisibleText>
        </span>
        <span className="text-fg-2">
          {outcomeKeyword(answered)}, {formatClock(at)}
        </span>
      </p>
      {feedback !== null && (
        <p className="truncate pl-5 text-fg-2">
          Your feedback: <VisibleText>{feedback}</VisibleText>
        </p>
      )}
      {rule !== null && <SavedRule rule={rule} />}
    </li>
  )
}

/** The keys of the drawer: the most important ones at the foot, all of them on request. */
function QueueKeys({ isOpen, onToggle }: { readonly isOpen: boolean; readonly onToggle: () => void }) {
  const lines = KEY_MAP.find(({ place }) => place === 'Permission requests')?.lines ?? []
  return (
    <footer className="shrink-0 border-line border-t px-3.5 text-fg-2 text-xs">
      {isOpen && (
        <ul aria-label="Keys" className="flex max-h-[45vh] flex-col gap-1 overflow-y-auto py-2">
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
      <p className="flex h-[2.375rem] items-center gap-3">
        {FOOT.map(([keys, title]) => (
          <span key={title} className="flex items-center gap-1.5">
            {keys.map((key) => (
              <Kbd key={key} keys={key} />
            ))}
            {title}
          </span>
        ))}
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={onToggle}
          className={classNames('ml-auto rounded-xs hover:text-fg-0')}
        >
          <Kbd keys="?" /> {isOpen ? 'Fewer' : 'All keys'}
        </button>
      </p>
    </footer>
  )
}

const FOOT: readonly (readonly [readonly string[], string])[] = [
  [['J', 'K'], 'Next, previous'],
  [['A'], 'Allow once'],
  [['D'], 'Deny'],
  [['Space'], 'Select'],
]
