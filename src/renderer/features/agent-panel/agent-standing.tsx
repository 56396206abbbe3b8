/**
 * The state of an agent that is paused, has ended, or has a question about resuming: one line with the action to
 * continue and the way to its work. Renders nothing for other agents.
 */
import { Check, X } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useShallow } from 'zustand/react/shallow'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { clockText, isLimited, untilText } from '../../../shared/state/limit-wait.ts'
import { stoppedTogether } from '../../../shared/state/stopped-together.ts'
import {
  ACTION_LABELS,
  type AgentCommand,
  actOn,
  continueAll,
  heldAgents,
  useBusyAction,
  useOfferedActions,
} from '../../stores/agent-actions.ts'
import { openChanges, useChanges } from '../../stores/changes-store.ts'
import { titlesOf } from '../../stores/conversation-actions.ts'
import { agentMention, useAgent, useAgentMention, useConversation } from '../../stores/conversation-store.ts'
import { useKeysOf } from '../../stores/keys-store.ts'
import { useConversationLimits, useLimitPlace } from '../../stores/limits-store.ts'
import { dismissGone, useResume } from '../../stores/resume-question.ts'
import { goToReview, useSnapshot } from '../../stores/review-store.ts'
import { showSettingsPart } from '../../stores/settings-store.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { ariaShortcut, Kbd } from '../../ui/kbd.tsx'
import { timeNow, useNow } from '../../ui/machine.ts'
import { Spinner } from '../../ui/spinner.tsx'
import { isPausing, pausingText } from '../../ui/text/agent-text.ts'
import { count, moneyText } from '../../ui/text/format.ts'
import { limitReachedText } from '../../ui/text/limit-text.ts'
import { RaiseLimit } from './agent-limits.tsx'
import { ResumeQuestionCard } from './resume-question-card.tsx'

interface AgentStandingProps {
  readonly agentId: string
  /** Moves the focus when the focused line disappears. */
  readonly onGone: () => void
  /** Whether the keys of the agent work here; the buttons then show them. */
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
  const stopped = useStoppedSubagents(agent)
  const { others, limitedUntil } = stopped
  const isWaiting = isLimited(agent)
  const text = joined(useStandingText(agent), stopped)
  const resumption = useOfferedActions(agent.id).find(
    (action) => action === 'continue' || action === 'resume',
  )
  const line = useFocusPassedOn(text !== null, onGone)
  if (text === null) return null
  return (
    <Line ref={line} text={text} {...(isDone(agent) ? { done: agent } : {})}>
      <RaiseLimit agent={agent} />
      {agent.parentId !== null && !isLive(agent) && <ReviewWork agent={agent} />}
      {/* A panel has this button in its header. */}
      {isWaiting && !hasKeys && <TryNow agent={agent} />}
      {others > 0 && limitedUntil !== null && (
        <Button onClick={(event) => event.detail < 2 && void continueAll({ whenLimitEnds: true })}>
          Continue all at {clockText(limitedUntil, timeNow())}
        </Button>
      )}
      {others > 0 && (
        <Button
          data-continue-all=""
          variant={limitedUntil === null ? 'secondary' : 'quiet'}
          title={`Continues ${titlesOf(heldAgents())}.`}
          onClick={(event) => event.detail < 2 && void continueAll()}
        >
          {limitedUntil === null ? 'Continue all' : 'Continue all now'}
        </Button>
      )}
      {agent.failure?.type === 'auth' && (
        <Button onClick={() => showSettingsPart('access')}>Open Settings</Button>
      )}
      {resumption !== undefined && <ResumeButton agent={agent} action={resumption} hasKeys={hasKeys} />}
    </Line>
  )
}

interface Of {
  readonly agent: AgentState
}

interface StoppedSubagents {
  readonly others: number
  readonly how: 'stopped' | 'interrupted'
  /** The end of a usage limit that they waited for, if it is not over; ms since the epoch. */
  readonly limitedUntil: number | null
}

/** The subagents that the last stop, or the death of the program, ended; for a main agent that does not work. */
function useStoppedSubagents(main: AgentState): StoppedSubagents {
  const isAsked = main.parentId === null && !isLive(main)
  return useConversation(
    useShallow(({ agents, readOnly }) => {
      const stopped = isAsked && !readOnly ? stoppedTogether(agents.values()) : []
      const isDeath = stopped.some(({ status }) => status === 'interrupted')
      return {
        others: stopped.filter(({ parentId }) => parentId !== null).length,
        how: isDeath ? ('interrupted' as const) : ('stopped' as const),
        limitedUntil: limitEndOf(stopped),
      }
    }),
  )
}

/** The latest end of a usage limit among these agents that is still to come; null: none. */
function limitEndOf(stopped: readonly AgentState[]): number | null {
  const latest = Math.max(0, ...stopped.map(({ limitedUntil }) => limitedUntil ?? 0))
  return latest > timeNow() ? latest : null
}

function joined(text: string | null, { others, how }: StoppedSubagents): string | null {
  if (others === 0) return text
  const stopped = `${count(others, 'subagent')} ${others === 1 ? 'was' : 'were'} ${how}`
  return text === null ? `${stopped}.` : `${text} ${stopped} too.`
}

/** Null for an agent that works or waits for a message. */
function useStandingText(agent: AgentState): string | null {
  const conversationLimits = useConversationLimits()
  const limit = useConversation((state) =>
    limitReachedText(agent, { agents: state.agents, conversationLimits }),
  )
  const place = useLimitPlace(agent.id)
  const now = useNow(place !== null)
  if (isLimited(agent) && place !== null)
    return `Rate limited until ${untilText(agent.retry.at, Math.max(now, timeNow()))}. It continues by itself, ${place.place} of ${place.of}.`
  if (agent.status === 'waiting' && agent.waitingFor === 'limit') return 'Its agents wait for a usage limit.'
  if (agent.status === 'paused') return 'Paused. Continue picks up here.'
  if (isPausing(agent)) return `${capitalized(pausingText(agent))}.`
  if (limit !== null) return `Stopped at ${limit}.`
  switch (agent.status) {
    case 'completed':
      return agent.turn === 0 ? 'Done.' : `Done on turn ${agent.turn}`
    case 'stopped':
      return agent.turn === 0
        ? 'Stopped before it started.'
        : `Stopped${byWhom(agent)} on turn ${agent.turn}.`
    case 'failed':
      return agent.turn === 0 ? 'Failed before its first turn.' : `Failed on turn ${agent.turn}.`
    case 'interrupted':
      return agent.turn === 0 ? 'Interrupted before its first turn.' : `Interrupted on turn ${agent.turn}.`
    default:
      return null
  }
}

const isDone = ({ status, reachedLimit }: AgentState) => status === 'completed' && reachedLimit === null

/** Opens what the agent changed: its own worktree in Review, or its files among the changes of the conversation. */
function ReviewWork({ agent }: Of) {
  const worktree = useSnapshot()?.worktrees.find(({ id }) => agent.worktree?.own && id === agent.worktree.id)
  const paths = useChanges(
    useShallow(({ list }) => {
      const calls = list?.calls.filter(({ agentId }) => agentId === agent.id) ?? []
      return [
        ...new Set(
          calls.flatMap(({ files }) => files.filter(({ undone }) => !undone)).map(({ path }) => path),
        ),
      ]
    }),
  )
  const isUnmerged = worktree !== undefined && worktree.state !== 'merged' && worktree.files > 0
  const files = isUnmerged ? worktree.files : paths.length
  if (files === 0) return null
  return (
    <Button onClick={() => (isUnmerged ? goToReview(worktree.id) : openChanges(paths[0]))}>
      Review {count(files, 'file')}
    </Button>
  )
}

/** Empty if the user stopped the agent. */
function byWhom({ stoppedBy }: AgentState): string {
  switch (stoppedBy) {
    case 'agent':
      return ' by another agent'
    case 'program':
      return ' when Troupe closed'
    case 'hook':
      return ' by a hook'
    default:
      return ''
  }
}

function TryNow({ agent }: Of) {
  if (!useOfferedActions(agent.id).includes('retry')) return null
  return (
    <Button onClick={(event) => event.detail < 2 && void actOn(agent.id, 'retry')}>
      {ACTION_LABELS.retry.label}
    </Button>
  )
}

interface ResumeButtonProps extends Of {
  readonly action: AgentCommand
  readonly hasKeys: boolean
}

function ResumeButton({ agent, action, hasKeys }: ResumeButtonProps) {
  const agentId = agent.id
  const busy = useBusyAction(agentId) !== null
  const keys = useKeysOf()(ACTION_LABELS[action].keyAction)
  const { label } = ACTION_LABELS[agent.status === 'failed' ? 'retry' : action]
  return (
    <Button
      disabled={busy}
      focusableWhenDisabled
      aria-busy={busy}
      {...(hasKeys && keys !== undefined ? { 'aria-keyshortcuts': ariaShortcut(keys) } : {})}
      onClick={(event) => event.detail < 2 && void actOn(agentId, action)}
    >
      {busy && <Spinner size={10} />}
      {label}
      {hasKeys && keys !== undefined && <Kbd keys={keys} />}
    </Button>
  )
}

function GoneLine({ agent }: Of) {
  const { name } = agent.definition
  const mention = useAgentMention(agent.id) ?? ''
  return (
    <Line text={`${mention} continues with its old definition: the definition ${name} no longer exists.`}>
      <IconButton icon={X} label="Dismiss" onClick={() => dismissGone(agent.id)} />
    </Line>
  )
}

interface LineProps {
  readonly text: string
  /** An agent that is done, whose cost is shown. */
  readonly done?: AgentState
  readonly children: ReactNode
  readonly ref?: React.Ref<HTMLDivElement>
}

function Line({ text, done, children, ref }: LineProps) {
  return (
    <div
      ref={ref}
      className="flex min-h-[34px] shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-line border-t px-2.5 py-1"
    >
      <p className="min-w-40 flex-1 text-balance text-fg-1 text-sm" data-selectable="">
        {done !== undefined && (
          <Check size={12} strokeWidth={1.75} aria-hidden="true" className="mr-2 inline text-fg-2" />
        )}
        {text}
        {done !== undefined && done.costUsd > 0 && (
          <span className="ml-2 font-mono text-fg-2 text-xs">{moneyText(done.costUsd, done.priced)}</span>
        )}
      </p>
      <span className="flex max-w-full flex-wrap items-center gap-1.5">{children}</span>
    </div>
  )
}

/** A focused line that disappears passes the focus to its surroundings. */
function useFocusPassedOn(shown: boolean, onGone: () => void) {
  const line = useRef<HTMLDivElement>(null)
  const had = useRef(false)
  useEffect(() => {
    if (!shown && had.current && document.activeElement === document.body) onGone()
    had.current = false
    if (!shown) return
    const update = () => {
      had.current = line.current?.contains(document.activeElement) ?? false
    }
    update()
    document.addEventListener('focusin', update)
    return () => document.removeEventListener('focusin', update)
  }, [shown, onGone])
  return line
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Tells screen readers how agents react to the user: paused, working again, stopped. Rendered once per window. */
export function AgentAnnouncer() {
  const [text, setText] = useState('')
  useEffect(
    () =>
      useConversation.subscribe((now, before) => {
        // Switching the conversation is no change of its agents.
        if (now.agents === before.agents || now.conversationId !== before.conversationId) return
        if (now.pastAt !== null || before.pastAt !== null) return
        const news = newsOf(before.agents, now.agents)
        if (news !== '') setText(news)
      }),
    [],
  )
  return (
    <div role="status" className="sr-only">
      {text}
    </div>
  )
}

type News = 'paused' | 'working again' | 'stopped' | 'in the background'

function newsOf(before: ReadonlyMap<string, AgentState>, now: ReadonlyMap<string, AgentState>): string {
  const named = new Map<News, string[]>()
  for (const agent of now.values()) {
    const old = before.get(agent.id)
    const news = old === undefined || old === agent ? null : changeOf(old, agent)
    if (news !== null) named.set(news, [...(named.get(news) ?? []), agentMention(agent, now)])
  }
  return [...named].map(([news, names]) => sentence(names, news)).join(' ')
}

function changeOf(before: AgentState, now: AgentState): News | null {
  if (now.background === 'moved' && before.background !== 'moved') return 'in the background'
  if (now.status === before.status) return null
  if (now.status === 'paused' || now.status === 'stopped') return now.status
  const wasInactive = before.status === 'paused' || before.endedAt !== null
  return wasInactive && now.status === 'running' ? 'working again' : null
}

function sentence(names: readonly string[], news: News): string {
  if (names.length > 2) return `${names.length} agents are ${news}.`
  return `${names.join(' and ')} ${names.length === 1 ? 'is' : 'are'} ${news}.`
}
