/**
 * Where an agent stands that does not simply work: it rests, it has ended before its task was done, or it is
 * asked how it goes on. One line with the way onward; nothing where there is nothing to say.
 */
import { X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import type { SpendLimits } from '../../../shared/agent-event.ts'
import type { AgentState } from '../../../shared/agent-state.ts'
import { amountWords } from '../../../shared/spending.ts'
import { command } from '../../bridge.ts'
import { actOn, useBusyAction } from '../../stores/agent-actions.ts'
import { agentName, isPausing, pausingWords } from '../../stores/agent-words.ts'
import { useAgent, useConversation } from '../../stores/conversation-store.ts'
import { limitWords } from '../../stores/limit-reached.ts'
import { openLimits, useConversationLimits } from '../../stores/limits-store.ts'
import { showFailure } from '../../stores/notice-store.ts'
import { ACTION_WORDS, type AgentCommand, useOfferedActions } from '../../stores/offered-actions.ts'
import { dismissGone, useResume } from '../../stores/resume-question.ts'
import { setPlace } from '../../stores/session-store.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { ResumeQuestionCard } from './resume-question-card.tsx'

interface AgentStandingProps {
  readonly agentId: string
  /** Where the focus goes when the line goes away under it. */
  readonly onGone: () => void
  /** Whether the agent's keys work around it, so that they are named on the buttons. */
  readonly hasKeys?: boolean
}

export function AgentStanding({ agentId, onGone, hasKeys = true }: AgentStandingProps) {
  const agent = useAgent(agentId)
  const asks = useResume((state) => state.questions.has(agentId))
  const gone = useResume((state) => state.gone.has(agentId))
  if (agent === undefined) return null
  return (
    <>
      {gone && <GoneLine agent={agent} />}
      {asks ? (
        <ResumeQuestionCard agent={agent} onGone={onGone} />
      ) : (
        <StandingLine agent={agent} onGone={onGone} hasKeys={hasKeys} />
      )}
    </>
  )
}

function StandingLine({ agent, onGone, hasKeys }: Required<Omit<AgentStandingProps, 'agentId'>> & Of) {
  const words = useStandingWords(agent)
  const onward = useOfferedActions(agent.id).find((action) => action === 'continue' || action === 'go-on')
  const line = useFocusPassedOn(words !== null, onGone)
  if (words === null) return null
  return (
    <Line ref={line} text={words}>
      <RaiseLimit agent={agent} />
      {onward !== undefined && <Onward agentId={agent.id} action={onward} hasKeys={hasKeys} />}
    </Line>
  )
}

interface Of {
  readonly agent: AgentState
}

/** Null: it works, or has done what it was to do, or waits to be spoken to. */
function useStandingWords(agent: AgentState): string | null {
  const conversationLimits = useConversationLimits()
  const limit = useConversation((state) => limitWords(agent, { agents: state.agents, conversationLimits }))
  if (agent.status === 'paused') return 'Paused. It goes on where it is.'
  if (isPausing(agent)) return `${sentence(pausingWords(agent))}.`
  if (limit !== null) return `Stopped at ${limit}.`
  switch (agent.status) {
    case 'stopped':
      return agent.turn === 0 ? 'Stopped before it started.' : `Stopped in turn ${agent.turn}.`
    case 'failed':
      return `Failed in turn ${agent.turn}.`
    case 'interrupted':
      return `Interrupted in turn ${agent.turn}.`
    default:
      return null
  }
}

/** Whose limit it was says where it is raised; one of an agent above it is that agent's to raise. */
function RaiseLimit({ agent }: Of) {
  const readOnly = useConversation((state) => state.readOnly)
  const { reachedLimit, limitOf, conversationId } = agent
  if (readOnly || reachedLimit === null || reachedLimit === 'turns') return null
  if (limitOf === 'conversation') return <Button onClick={() => openLimits(conversationId)}>Raise it…</Button>
  const raised = limitOf === 'agent' ? twice(agent) : null
  if (raised !== null)
    return (
      <Button onClick={(event) => event.detail < 2 && void raiseAndGoOn(agent, raised.limits)}>
        Raise it to {raised.words}
      </Button>
    )
  return (
    <Button
      variant="quiet"
      title="Agents keep the limits they were started with; the settings say those of new ones."
      onClick={() => setPlace('settings')}
    >
      Limits of new agents…
    </Button>
  )
}

/** As much again of what was used up; null where time was: that counts anew when it goes on. */
function twice({
  limits,
  reachedLimit,
}: AgentState): { readonly limits: SpendLimits; readonly words: string } | null {
  if (reachedLimit === 'tokens' && limits.tokens !== null) {
    const tokens = limits.tokens * 2
    return { limits: { ...limits, tokens }, words: amountWords('tokens', tokens) }
  }
  if (reachedLimit === 'money' && limits.usd !== null) {
    const usd = limits.usd * 2
    return { limits: { ...limits, usd }, words: amountWords('money', usd) }
  }
  return null
}

async function raiseAndGoOn({ id, conversationId }: AgentState, limits: SpendLimits): Promise<void> {
  const raised = await command('agent.setLimits', { agentId: id, conversationId, limits })
  if (raised.ok) await actOn(id, 'go-on')
  else showFailure(raised.failure)
}

interface OnwardProps {
  readonly agentId: string
  readonly action: AgentCommand
  readonly hasKeys: boolean
}

function Onward({ agentId, action, hasKeys }: OnwardProps) {
  const busy = useBusyAction(agentId) !== null
  const { key } = ACTION_WORDS[action]
  return (
    <Button
      disabled={busy}
      focusableWhenDisabled
      aria-busy={busy}
      {...(hasKeys ? { 'aria-keyshortcuts': key } : {})}
      onClick={(event) => event.detail < 2 && void actOn(agentId, action)}
    >
      {busy && <Spinner size={10} />}
      {action === 'continue' ? 'Continue' : 'Go on'}
      {hasKeys && <Kbd keys={key} />}
    </Button>
  )
}

function GoneLine({ agent }: Of) {
  const { name } = agent.definition
  return (
    <Line
      text={`${agentName(agent)} goes on as it was: there is no definition ${name} any more that could be started.`}
    >
      <IconButton icon={X} label="I have read this" onClick={() => dismissGone(agent.id)} />
    </Line>
  )
}

interface LineProps {
  readonly text: string
  readonly children: ReactNode
  readonly ref?: React.Ref<HTMLDivElement>
}

function Line({ text, children, ref }: LineProps) {
  return (
    <div
      ref={ref}
      className="flex min-h-[34px] shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-line border-t px-2.5 py-1"
    >
      <p className="min-w-40 flex-1 text-balance text-fg-1 text-sm" data-selectable="">
        {text}
      </p>
      <span className="flex items-center gap-1.5">{children}</span>
    </div>
  )
}

/** A line that goes away while it has the focus gives it to what is around it. */
function useFocusPassedOn(shown: boolean, onGone: () => void) {
  const line = useRef<HTMLDivElement>(null)
  const had = useRef(false)
  useEffect(() => {
    if (!shown && had.current && document.activeElement === document.body) onGone()
    had.current = false
    if (!shown) return
    const look = () => {
      had.current = line.current?.contains(document.activeElement) ?? false
    }
    look()
    document.addEventListener('focusin', look)
    return () => document.removeEventListener('focusin', look)
  }, [shown, onGone])
  return line
}

function sentence(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}
