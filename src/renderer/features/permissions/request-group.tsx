/** Similar requests of several agents in the drawer, answered together: each has a row with a check box. */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import type { Asked } from '../../stores/requests-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Button } from '../../ui/button.tsx'
import { DiffView } from '../../ui/diff-view.tsx'
import { Dot } from '../../ui/dot.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { classNames } from '../../ui/text/class-names.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { VisibleText } from '../../ui/text/visible-text.tsx'
import { AnswerBar } from './answer-bar.tsx'
import { EntryFrame, EntryLine, Over } from './queue-entry.tsx'
import { AlwaysChoice, WaitingTime, WhyAsked } from './request-parts.tsx'
import { askerTitle, groupOffers, outcomeKeyword } from './request-shape.ts'
import { ChangedLines, wantedAction } from './request-subject.tsx'
import {
  answerTogether,
  type GivenAnswer,
  isChoice,
  useAnswer,
  useOutcome,
  useRequestKeys,
} from './use-answer.ts'

export type AskedRequest = Extract<Asked, { readonly request: object }>

interface RequestGroupProps {
  /** In the order of arrival, with those that are answered. */
  readonly members: readonly AskedRequest[]
  readonly open: ReadonlySet<string>
  readonly selected: ReadonlySet<string>
  readonly isCurrent: boolean
  readonly onSelect: () => void
  readonly onToggle: (requestId: string) => void
  readonly onToggleAll: () => void
  /** Called before answers to these requests are sent, and with true if they failed. */
  readonly onAnswering: (requestIds: readonly string[], failed?: boolean) => void
}

export function RequestGroup(props: RequestGroupProps) {
  const { members, open, selected, onToggle, onToggleAll, onAnswering, isCurrent, onSelect } = props
  const card = useRef<HTMLFieldSetElement>(null)
  const [step, setStep] = useState<'answers' | 'denying' | 'choosing'>('answers')
  const [isWhyOpen, setWhyOpen] = useState(false)
  const [wanted, setChosen] = useState(0)
  const readOnly = useConversation((state) => state.readOnly)
  const waiting = members.filter(({ request }) => open.has(request.requestId))
  const meant = waiting.filter(({ request }) => selected.has(request.requestId))
  const amount = meant.length
  const offers = groupOffers((amount === 0 ? waiting : meant).map(({ request }) => request))
  const chosen = Math.min(wanted, Math.max(0, offers.length - 1))
  const parts = useMemo(() => differingParts(members.map(shownText)), [members])
  const [first] = members
  const isAnswerable = !(readOnly && members.some(({ elsewhere }) => elsewhere === null))
  const isOpen = isAnswerable && waiting.length > 0

  const send = async (given: GivenAnswer): Promise<Answer<void>> => {
    const offer = offers[chosen]
    // The others may be answered by the rule that the user adds here.
    const ids = (given.decision === 'allow-always' ? waiting : meant).map(({ request }) => request.requestId)
    onAnswering(ids)
    const answered = await answerTogether(
      meant.map(({ conversationId, agentId, request: { requestId } }) => ({
        ...given,
        conversationId,
        agentId,
        requestId,
        rule: given.decision === 'allow-always' ? offer?.rules.get(requestId) : undefined,
      })),
    )
    setStep('answers')
    if (!answered.ok) onAnswering(ids, true)
    return answered
  }
  const { answer, isSending, isSettled, failure, mayType } = useAnswer(card, {
    onAnswer: send,
    isAnswerable: isOpen && amount > 0,
    isRepeatable: true,
  })
  const once = () => answer({ decision: 'allow-once', feedback: null })
  const allowAlways = () => answer({ decision: 'allow-always', feedback: null })
  // The rule is seen before it is added.
  const always = offers.length === 0 ? null : step === 'choosing' ? allowAlways : () => setStep('choosing')
  useRequestKeys(card, isOpen && step !== 'denying' && !isSending, {
    mayType,
    once: step === 'choosing' ? allowAlways : once,
    always,
    deny: () => amount > 0 && setStep('denying'),
    why: () => setWhyOpen(!isWhyOpen),
    choose: (index) => index < offers.length && setChosen(index),
  })
  if (first === undefined) return null

  const onKeyDown = (event: KeyboardEvent) => {
    if (step === 'denying' || event.ctrlKey || event.metaKey || event.altKey) return
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 'Escape' && step === 'choosing') setStep('answers')
    else if (event.key === 't') onToggleAll()
    else if (event.key === ' ' && event.target === card.current) focusRow(card.current, 1)
    else if (by === 0 || !(event.target === card.current || isRow(event.target))) return
    else if (!focusRow(card.current, by)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const back = () => {
    setStep('answers')
    card.current?.focus()
  }
  const { agent, request } = first
  const phrase = `${GROUP_ACTIONS[request.subject.kind] ?? wantedAction(request).verb}${agent.worktree === null ? '' : ' in their own worktree'}`
  const title = `${waiting.length === 0 ? members.length : waiting.length} similar requests`

  return (
    <EntryFrame
      {...{ card, isCurrent, onSelect, onKeyDown }}
      requestId={request.requestId}
      isOver={!isOpen}
      label={`${title}: ${phrase}`}
    >
      <EntryLine isOver={!isOpen} title={title} phrase={phrase} since={request.askedAt} />
      <ul aria-label="Similar requests" className="flex flex-col">
        {members.map((member, index) => (
          <GroupRow
            key={member.request.requestId}
            member={member}
            parts={parts[index] ?? []}
            isOpen={open.has(member.request.requestId)}
            isSelected={selected.has(member.request.requestId)}
            isDisabled={!isAnswerable}
            onToggle={() => onToggle(member.request.requestId)}
          />
        ))}
      </ul>
      <div className="-mx-2.5">
        <WhyAsked
          because={request.because}
          off={offers.length > 0 ? null : 'No one rule can allow these.'}
          mode={modeText(agent)}
          folder={folders(members)}
          isOpen={isWhyOpen}
          onToggle={setWhyOpen}
        />
      </div>
      {step === 'choosing' && isOpen ? (
        <div className="flex flex-col gap-1.5">
          <AlwaysChoice options={offers} chosen={chosen} onChoose={setChosen} />
          <div className="flex gap-1.5">
            <Button disabled={isSending || amount === 0} onClick={allowAlways}>
              Always allow {amount} <Kbd keys="Enter" />
            </Button>
            <Button onClick={back}>
              Back <Kbd keys="Esc" />
            </Button>
          </div>
        </div>
      ) : waiting.length === 0 ? (
        <Over text="Answered." />
      ) : (
        <AnswerBar
          to={amount === 1 ? '1 agent' : `${amount} agents`}
          amount={amount}
          look="entry"
          hasKeys={isCurrent}
          denying={step === 'denying'}
          answerable={isAnswerable}
          isSettled={isSettled}
          isSending={isSending}
          failure={failure}
          once={once}
          always={always}
          alwaysHint={offers.length === 0 ? 'No one rule can allow these.' : 'Shows the rules to choose from'}
          onDeny={() => setStep('denying')}
          onDenied={(feedback) => answer({ decision: 'deny', feedback })}
          onBack={back}
        />
      )}
    </EntryFrame>
  )
}

const GROUP_ACTIONS: Readonly<Partial<Record<AskedRequest['request']['subject']['kind'], string>>> = {
  command: 'run the same command',
  url: 'fetch pages of the same host',
  diff: 'edit a file',
}

/** What the row of a request shows: the path of a change, otherwise its text. */
function shownText({ request }: AskedRequest): string {
  return wantedAction(request).path ?? request.subject.text
}

interface GroupRowProps {
  readonly member: AskedRequest
  readonly parts: readonly TextPart[]
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isDisabled: boolean
  readonly onToggle: () => void
}

function GroupRow({ member, parts, isOpen, isSelected, isDisabled, onToggle }: GroupRowProps) {
  const { agentId, agent, request } = member
  const outcome = useOutcome(agentId, request.requestId)
  const [isShown, setShown] = useState(false)
  const box = useId()
  const name = askerTitle(agent)
  const isDiff = request.subject.kind === 'diff'
  return (
    <li style={agentStyle(agent.definition.color)} className={classNames(!isOpen && 'opacity-60')}>
      <div className="grid min-h-[1.375rem] grid-cols-[14px_8px_minmax(0,1fr)_auto] items-center gap-2 rounded-xs has-[[data-row]:focus-visible]:bg-bg-3">
        {isOpen ? (
          <input
            id={box}
            type="checkbox"
            data-row=""
            checked={isSelected}
            disabled={isDisabled}
            onChange={onToggle}
            aria-label={`${name}: ${shownText(member)}`}
            className="size-[13px] accent-fg-1 outline-none"
          />
        ) : (
          <span />
        )}
        <Dot status="waiting" />
        <label
          htmlFor={box}
          title={`${name}, ${makeVisible(request.subject.folder)}`}
          className="min-w-0 cursor-pointer font-mono text-[0.71875rem] text-fg-2 wrap-anywhere"
        >
          {parts.map(({ text, differs }, index) =>
            differs ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
              <b key={index} className="font-semibold text-fg-0">
                <VisibleText>{text}</VisibleText>
              </b>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
              <span key={index}>
                <VisibleText>{text}</VisibleText>
              </span>
            ),
          )}
        </label>
        <span className="flex items-center gap-2.5 text-xs">
          {isDiff && (
            <button
              type="button"
              aria-expanded={isShown}
              aria-label={`Show the change of ${name}`}
              className="rounded-xs hover:underline"
              onClick={() => setShown(!isShown)}
            >
              <ChangedLines patch={request.subject.text} />
            </button>
          )}
          {isOpen ? (
            !isDiff && <WaitingTime since={request.askedAt} />
          ) : (
            <span className="text-fg-1">{outcome === null ? 'answered' : outcomeKeyword(outcome)}</span>
          )}
        </span>
      </div>
      {isShown && (
        <div className="my-1">
          <DiffView patch={request.subject.text} label={`Proposed change of ${name}`} shownLines={12} />
        </div>
      )}
    </li>
  )
}

const isRow = (target: EventTarget): boolean =>
  isChoice(target) && (target as HTMLElement).dataset['row'] === ''

/** Focuses the next row, or from the card the first or last one. False: there is none in that direction. */
function focusRow(card: HTMLElement | null, by: 1 | -1): boolean {
  const rows = [...(card?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const at = rows.indexOf(document.activeElement as HTMLElement)
  const next = at >= 0 ? rows[at + by] : by === 1 ? rows[0] : undefined
  next?.focus()
  next?.scrollIntoView({ block: 'nearest' })
  return next !== undefined
}

function folders(members: readonly AskedRequest[]): string {
  const all = new Set(members.map(({ request }) => request.subject.folder))
  return all.size === 1 ? ([...all][0] ?? '') : `${all.size} folders, a folder for each agent`
}

/** The differences between similar texts, for highlighting. */

interface TextPart {
  readonly text: string
  readonly differs: boolean
}

/** The parts of each text: words and the names in their paths, each marked if not all texts have it at that place. */
export function differingParts(texts: readonly string[]): readonly (readonly TextPart[])[] {
  const split = texts.map((text) => text.match(/[\s/]+|[^\s/]+/g) ?? [])
  const [first = []] = split
  // Without the same number of parts, places can't be compared.
  if (split.some((parts) => parts.length !== first.length))
    return texts.map((text) => [{ text, differs: true }])
  const differs = first.map((part, index) => split.some((parts) => parts[index] !== part))
  return split.map((parts) =>
    joined(parts.map((text, index) => ({ text, differs: differs[index] === true }))),
  )
}

function joined(parts: readonly TextPart[]): readonly TextPart[] {
  const all: TextPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (last?.differs === part.differs) all[all.length - 1] = { ...last, text: last.text + part.text }
    else all.push(part)
  }
  return all
}
