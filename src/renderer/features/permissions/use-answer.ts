/** Sends one answer at a time from a card, and shows what went wrong. */

import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { PermissionAnswer } from '../../../shared/agents/contract.ts'
import type { AnsweredRequest } from '../../../shared/events/agent-event.ts'
import { offersOf } from '../../../shared/events/permissions.ts'
import type { ExternalAgentChoice } from '../../../shared/external-agents/external-agent.ts'
import type { Answer } from '../../../shared/ipc/ipc-contract.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { PendingRequest } from '../../../shared/state/agent-state.ts'
import { command } from '../../bridge.ts'
import { useConversation } from '../../stores/conversation-store.ts'
import { isEditable } from '../../ui/platform.ts'
import { type PressGuard, usePressGuard } from '../../ui/press-guard.ts'
import { whyNotAlways } from './request-parts.tsx'

interface AnswerOptions {
  readonly onAnswer: (answer: GivenAnswer) => Promise<Answer<void>>
  readonly isAnswerable: boolean
  /** Whether another answer may follow, to other requests of the card. */
  readonly isRepeatable: boolean
}

interface CardAnswer extends Pick<PressGuard, 'isSettled' | 'mayType'> {
  readonly isSending: boolean
  readonly failure: string | null
  readonly answer: (answer: GivenAnswer) => void
}

/** Answers from a card. A press that was not meant for it does nothing: see `usePressGuard`. */
export function useAnswer(
  card: RefObject<HTMLElement | null>,
  { onAnswer, isAnswerable, isRepeatable }: AnswerOptions,
): CardAnswer {
  const [state, setState] = useState<'asking' | 'sending' | { readonly failure: string }>('asking')
  /** A ref changes before the next render, so a second click can't answer twice. */
  const sending = useRef(false)
  const guard = usePressGuard(card)
  const answer = (given: GivenAnswer) => {
    if (sending.current || !isAnswerable || !guard.mayClick()) return
    sending.current = true
    setState('sending')
    void onAnswer(given).then((answered) => {
      // The answer of a single request closes its card as soon as the event arrives.
      if (answered.ok && !isRepeatable) return
      sending.current = false
      setState(answered.ok ? 'asking' : { failure: answered.failure.message })
    })
  }
  return {
    isSettled: guard.isSettled,
    mayType: guard.mayType,
    isSending: state === 'sending',
    failure: typeof state === 'object' ? state.failure : null,
    answer,
  }
}

/** What the keys and the buttons of one request do, the same in its panel and in the drawer. */
export function useRequestAnswers(
  card: RefObject<HTMLElement | null>,
  request: PendingRequest,
  options: Omit<AnswerOptions, 'isRepeatable'>,
) {
  const [denying, setDenying] = useState(false)
  const [chosen, setChosen] = useState(0)
  const sent = useAnswer(card, { ...options, isRepeatable: false })
  const { answer, isSending, isSettled, failure } = sent
  const { choices = [] } = request
  const offers = offersOf(request)
  const rule = offers[chosen]?.rule
  const first = choices.find(({ kind }) => kind === 'once')
  const off = whyNotAlways(request)
  const once = () => answer({ decision: 'allow-once', feedback: null, ...(first && { choice: first.id }) })
  const always =
    rule === undefined
      ? null
      : () => answer({ decision: 'allow-always', feedback: null, ...(chosen > 0 && { rule }) })
  const deny = () => setDenying(true)
  return {
    ...sent,
    offers,
    chosen,
    setChosen,
    denying,
    /** Why no rule can be saved; null: one can. */
    off,
    /** For the keys. */
    keys: { once, always, deny, choose: (index: number) => index < offers.length && setChosen(index) },
    /** For the buttons. */
    bar: {
      ...{ amount: null, denying, isSettled, isSending, failure, once, always, choices },
      alwaysHint: off ?? `Adds the rule ${makeVisible(rule ?? '')}`,
      onChoose: ({ id, kind }: ExternalAgentChoice) =>
        answer({ decision: kind === 'deny' ? 'deny' : 'allow-once', feedback: null, choice: id }),
      onDeny: deny,
      onDenied: (feedback: string | null) => answer({ decision: 'deny', feedback }),
      onBack: () => {
        setDenying(false)
        card.current?.focus()
      },
    },
  }
}

/** Sends the user's answers to permission requests. */
type Decision = 'allow-once' | 'allow-always' | 'deny'

/** The user's answer to a request. `rule`: the chosen one of the offered rules, for "Always allow". */
export interface GivenAnswer {
  readonly decision: Decision
  readonly feedback: string | null
  readonly rule?: string | undefined
  /** The id of a choice of the agent's program, with `allow-once` or `deny`. */
  readonly choice?: string | undefined
}

interface RequestAnswer extends GivenAnswer {
  readonly conversationId: string
  readonly agentId: string
  readonly requestId: string
}

/** Answers a request of any conversation that is open in this program. */
export function answerRequest({
  conversationId,
  agentId,
  requestId,
  ...given
}: RequestAnswer): Promise<Answer<void>> {
  return command('agent.answer', { conversationId, agentId, requestId, answer: answerOf(given) })
}

/** What belongs to the decision, as the command has it. */
function answerOf({ decision, feedback, rule, choice }: GivenAnswer): PermissionAnswer {
  const chosen = choice === undefined ? {} : { choice }
  if (decision === 'deny') return { decision, feedback, ...chosen }
  if (decision === 'allow-once') return { decision, ...chosen }
  return { decision, ...(rule !== undefined && { rule }) }
}

/** Answers several requests. One that a new rule answered meanwhile is no failure. */
export async function answerTogether(answers: readonly RequestAnswer[]): Promise<Answer<void>> {
  const given = await Promise.all(answers.map(answerRequest))
  const failed = given.flatMap((answer) => (answer.ok || answer.failure.type === 'not-found' ? [] : [answer]))
  const [first] = failed
  if (first === undefined) return { ok: true, value: undefined }
  const { type, message } = first.failure
  const many = failed.length > 1 ? `${failed.length} requests could not be answered: ` : ''
  return { ok: false, failure: { type, message: `${many}${message}` } }
}

/** The answered permission requests of the conversation on the screen. */
export interface AnsweredByAgent extends AnsweredRequest {
  readonly agentId: string
  /** Its key in the queue, where the same request may still be a pending place. */
  readonly key: string
}

const MOST = 50

/** Newest first. The same array until another request is answered. */
export function useAnswered(): readonly AnsweredByAgent[] {
  const version = useConversation(({ agents }) => {
    let last = ''
    let amount = 0
    for (const { answered } of agents.values()) {
      amount += answered.length
      last += `${answered.at(-1)?.requestId ?? ''},`
    }
    return `${amount} ${last}`
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version changes with the answers
  return useMemo(() => {
    const all: AnsweredByAgent[] = []
    for (const [agentId, { answered }] of useConversation.getState().agents)
      for (const one of answered) all.push({ ...one, agentId, key: `answered ${one.requestId}` })
    return all.sort((a, b) => b.at - a.at).slice(0, MOST)
  }, [version])
}

/** How a request was answered; null: it is open, or was withdrawn. */
export function useOutcome(agentId: string, requestId: string): AnsweredRequest | null {
  return useConversation(
    ({ agents }) => agents.get(agentId)?.answered.find((one) => one.requestId === requestId) ?? null,
  )
}

/** The keys that answer a request while its card has the focus, and nowhere else. */
interface RequestActions {
  /** Whether a key is meant for the card that has the focus now. */
  mayType(): boolean
  once(): void
  /** Null when no rule can be saved for the request. */
  readonly always: (() => void) | null
  deny(): void
  /** Shows or hides the details of the reason. */
  why(): void
  /** Chooses an offered rule, counted from 0. */
  choose(index: number): void
}

export function useRequestKeys(
  card: RefObject<HTMLElement | null>,
  active: boolean,
  actions: RequestActions,
): void {
  const latest = useRef({ active, actions })
  latest.current = { active, actions }
  useEffect(() => {
    const element = card.current
    if (!element) return
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const { target } = event
      if (isEditable(target) && !isChoice(target)) return
      // A focused button acts itself.
      if (event.key === 'Enter' && target instanceof Element && target.closest('button, summary')) return
      const run = actionOf(event, latest.current.actions)
      if (run === null) return
      // A key that comes too early or too late must not be typed into the field of a panel.
      event.preventDefault()
      event.stopPropagation()
      if (latest.current.active && !event.repeat) run()
    }
    element.addEventListener('keydown', onKeyDown)
    return () => element.removeEventListener('keydown', onKeyDown)
  }, [card])
}

/** What a key does, null: it is no key of a request. */
function actionOf(
  { key: pressed, shiftKey }: KeyboardEvent,
  { mayType, once, always, deny, why, choose }: RequestActions,
): (() => void) | null {
  const key = pressed.toLowerCase()
  const answer = (run: () => void) => () => mayType() && run()
  // These two answer nothing, so they always count.
  if (key === 'w' && !shiftKey) return why
  if (/^[1-9]$/.test(key)) return () => choose(Number(key) - 1)
  if (key === 'a' && shiftKey) return answer(() => always?.())
  if (key === 'a' || pressed === 'Enter') return answer(once)
  return key === 'd' && !shiftKey ? answer(deny) : null
}

/** A tick or a radio button, in which no text is typed. */
export function isChoice(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && (target.type === 'checkbox' || target.type === 'radio')
}
