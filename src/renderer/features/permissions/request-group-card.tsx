/** Similar requests of several agents, answered together: what differs stands out, and each has a tick. */
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import type { AgentState, PendingRequest } from '../../../shared/state/agent-state.ts'
import { useAgent, useNamesake } from '../../stores/conversation-store.ts'
import { agentStyle } from '../../ui/agent-style.ts'
import { Dot } from '../../ui/dot.tsx'
import { displayName } from '../../ui/text/agent-text.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count } from '../../ui/text/format.ts'
import { modeText } from '../../ui/text/permission-modes.ts'
import { AgentTitle, VisibleText } from '../../ui/text/visible-text.tsx'
import { useRequestFocus } from '../../ui/use-focus.ts'
import { AnswerBar } from './answer-bar.tsx'
import { AnsweredElsewhere } from './answered-card.tsx'
import { AlwaysChoice, RequestChips, WaitingTime, WhyAsked } from './request-parts.tsx'
import { folderName, groupOffers, outcomeKeyword } from './request-shape.ts'
import {
  answerTogether,
  type GivenAnswer,
  isChoice,
  useAnswer,
  useOutcome,
  useRequestKeys,
} from './use-answer.ts'

interface GroupMember {
  readonly agentId: string
  readonly request: PendingRequest
}

interface RequestGroupCardProps {
  /** In the order of arrival, with those that are answered. */
  readonly members: readonly GroupMember[]
  readonly open: ReadonlySet<string>
  readonly ticked: ReadonlySet<string>
  readonly onToggle: (requestId: string) => void
  readonly onToggleAll: () => void
  readonly answerable: boolean
  readonly position: string
  readonly isReplaced: boolean
  /** Called before answers to these requests are sent, and with true if they failed. */
  readonly onAnswering: (requestIds: readonly string[], failed?: boolean) => void
  readonly onNext: (() => void) | null
}

export function RequestGroupCard(props: RequestGroupCardProps) {
  const { members, open, ticked, onToggle, onToggleAll, answerable, onAnswering } = props
  const card = useRef<HTMLFieldSetElement>(null)
  const title = useId()
  const [denying, setDenying] = useState(false)
  const [isWhyOpen, setWhyOpen] = useState(false)
  const [wanted, setChosen] = useState(0)
  const waiting = members.filter(({ request }) => open.has(request.requestId))
  const chosenMembers = waiting.filter(({ request }) => ticked.has(request.requestId))
  const amount = chosenMembers.length
  const shown = chosenMembers.length === 0 ? waiting : chosenMembers
  const offers = groupOffers(shown.map(({ request }) => request))
  const chosen = Math.min(wanted, Math.max(0, offers.length - 1))
  const parts = useMemo(() => differingParts(members.map(({ request }) => request.subject.text)), [members])
  const first = members[0]?.request
  const asker = useAgent(members[0]?.agentId ?? null)
  const isOpen = answerable && waiting.length > 0

  const send = async (given: GivenAnswer): Promise<Answer<void>> => {
    const offer = offers[chosen]
    // The others may be answered by the rule that the user adds here.
    const meant = given.decision === 'allow-always' ? waiting : chosenMembers
    const ids = meant.map(({ request }) => request.requestId)
    onAnswering(ids)
    const answered = await answerTogether(
      chosenMembers.map(({ agentId, request: { requestId } }) => ({
        ...given,
        agentId,
        requestId,
        rule: given.decision === 'allow-always' ? offer?.rules.get(requestId) : undefined,
      })),
    )
    setDenying(false)
    if (!answered.ok) onAnswering(ids, true)
    return answered
  }
  const { answer, isSending, failure } = useAnswer({
    onAnswer: send,
    isAnswerable: isOpen && amount > 0,
    isReplaced: props.isReplaced,
    isRepeatable: true,
  })
  const once = () => answer({ decision: 'allow-once', feedback: null })
  const always = offers.length === 0 ? null : () => answer({ decision: 'allow-always', feedback: null })
  useRequestKeys(card, isOpen && !denying && !isSending, {
    once,
    always,
    deny: () => amount > 0 && setDenying(true),
    why: () => setWhyOpen(!isWhyOpen),
    choose: (index) => index < offers.length && setChosen(index),
  })
  useRequestFocus(card)
  if (first === undefined) return null

  const onKeyDown = (event: KeyboardEvent) => {
    if (denying || event.ctrlKey || event.metaKey || event.altKey) return
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.key === 't') onToggleAll()
    else if (event.key === ' ' && event.target === card.current) focusRow(card.current, 1)
    else if (by === 0 || !(event.target === card.current || isRow(event.target))) return
    else if (!focusRow(card.current, by)) return
    event.preventDefault()
    event.stopPropagation()
  }
  const agents = new Set(members.map(({ agentId }) => agentId)).size

  return (
    <fieldset
      ref={card}
      tabIndex={-1}
      aria-labelledby={title}
      data-request={first.requestId}
      onKeyDown={onKeyDown}
      className="flex h-full min-h-0 min-w-0 flex-col text-sm outline-none"
    >
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 pt-3 pb-2">
        <div className="flex shrink-0 items-baseline justify-between gap-3">
          <p id={title} className="min-w-0 text-fg-0">
            <b className="font-semibold">{agents === 1 ? '1 agent' : `${agents} agents`}</b>{' '}
            {agents === 1 ? 'wants' : 'want'} to {GROUP_ACTIONS[first.subject.kind] ?? first.subject.action}
            {agents < members.length && `, ${count(members.length, 'request')}`}.
            {parts.some((all) => all.some(({ differs }) => differs)) && ' What differs is bright.'}
          </p>
          <span className="shrink-0 text-fg-2 text-xs">{props.position}</span>
        </div>
        <RequestChips subject={first.subject} worktree={inWorktrees(asker, members.length)} />
        <ul
          aria-label="Similar requests"
          className="my-2 min-h-[6.25rem] shrink overflow-y-auto rounded-md border border-line bg-bg-0"
        >
          {members.map((member, index) => (
            <GroupRow
              key={member.request.requestId}
              member={member}
              parts={parts[index] ?? []}
              isOpen={open.has(member.request.requestId)}
              isTicked={ticked.has(member.request.requestId)}
              isDisabled={!answerable}
              onToggle={() => onToggle(member.request.requestId)}
            />
          ))}
        </ul>
        <WhyAsked
          because={first.because}
          mode={asker === undefined ? null : modeText(asker)}
          folder={folders(waiting)}
          hasOffers={offers.length > 0}
          isOpen={isWhyOpen}
          onToggle={setWhyOpen}
        />
        {isOpen && offers.length > 0 && (
          <AlwaysChoice options={offers} chosen={chosen} onChoose={setChosen} />
        )}
      </div>
      {waiting.length === 0 ? (
        <AnsweredElsewhere outcome={null} onNext={props.onNext} />
      ) : (
        <AnswerBar
          to={amount === 1 ? '1 agent' : `${amount} agents`}
          amount={amount}
          large
          denying={denying}
          answerable={answerable}
          isSending={isSending}
          failure={failure}
          once={once}
          always={always}
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

const GROUP_ACTIONS: Readonly<Partial<Record<PendingRequest['subject']['kind'], string>>> = {
  command: 'run the same command',
  url: 'fetch pages of the same host',
}

interface GroupRowProps {
  readonly member: GroupMember
  readonly parts: readonly TextPart[]
  readonly isOpen: boolean
  readonly isTicked: boolean
  readonly isDisabled: boolean
  readonly onToggle: () => void
}

function GroupRow({ member, parts, isOpen, isTicked, isDisabled, onToggle }: GroupRowProps) {
  const { agentId, request } = member
  const agent = useAgent(agentId)
  const outcome = useOutcome(agentId, request.requestId)
  const tick = useId()
  const namesake = useNamesake(agentId)
  const name = agent === undefined ? '' : displayName(agent)
  return (
    <li
      style={agentStyle(agent?.definition.color ?? '')}
      className={classNames('border-line/60 not-first:border-t', !isOpen && 'opacity-60')}
    >
      <label
        htmlFor={tick}
        className="grid min-h-[1.5625rem] cursor-pointer grid-cols-[14px_minmax(5rem,9rem)_minmax(0,1fr)_auto] items-center gap-2.5 px-2.5 py-0.5 has-focus-visible:bg-bg-3"
      >
        {isOpen ? (
          <input
            id={tick}
            type="checkbox"
            data-row=""
            checked={isTicked}
            disabled={isDisabled}
            onChange={onToggle}
            aria-label={`${name}: ${request.subject.text}`}
            className="size-[13px] accent-fg-1 outline-none"
          />
        ) : (
          <span />
        )}
        <span className="flex min-w-0 items-center gap-2 text-fg-0">
          <Dot status="waiting" />
          <AgentTitle name={name} task={namesake ? (agent?.task ?? null) : null} />
        </span>
        <span className="min-w-0 font-mono text-[0.71875rem] text-fg-2 wrap-anywhere">
          {parts.map(({ text, differs }, index) =>
            differs ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
              <b key={index} className="font-medium text-fg-0">
                <VisibleText>{text}</VisibleText>
              </b>
            ) : (
              // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
              <span key={index}>
                <VisibleText>{text}</VisibleText>
              </span>
            ),
          )}
        </span>
        <span className="flex items-center gap-3 text-xs">
          <span className="max-w-[9rem] truncate font-mono text-fg-2" title={request.subject.folder}>
            <VisibleText>{folderName(request.subject.folder)}</VisibleText>
          </span>
          {isOpen ? (
            <WaitingTime since={request.askedAt} />
          ) : (
            <span className="text-fg-1">{outcome === null ? 'withdrawn' : outcomeKeyword(outcome)}</span>
          )}
        </span>
      </label>
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

/** Similar agents all work in the folder itself, or each in a worktree. */
function inWorktrees(agent: AgentState | undefined, amount: number): string | null {
  if (agent?.worktree == null) return null
  return amount === 1 ? agent.worktree.branch : 'of its own for each agent'
}

function folders(members: readonly GroupMember[]): string {
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
