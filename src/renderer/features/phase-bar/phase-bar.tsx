/** The phases of a coordinator: what is done, the current one with its counts and time, and what follows. */
import { Check, ChevronRight, CircleDashed, CircleDot, type LucideIcon, RotateCcw } from 'lucide-react'
import { useId, useState } from 'react'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import { type AgentState, isLive } from '../../../shared/state/agent-state.ts'
import { type Phase, phases } from '../../../shared/teams/team.ts'
import type { PhaseEntry, TeamTask } from '../../../shared/teams/team-schema.ts'
import { type ShownConversation, useConversation } from '../../stores/conversation-store.ts'
import { useNow } from '../../ui/machine.ts'
import { classNames } from '../../ui/text/class-names.ts'
import { count, formatDuration } from '../../ui/text/format.ts'
import { Moment } from '../../ui/text/times.tsx'
import { useStable } from '../../ui/use-stable.ts'

const NAMES: Readonly<Record<Phase, string>> = {
  research: 'Research',
  synthesis: 'Synthesis',
  implementation: 'Implementation',
  verification: 'Verification',
}

const STATES: Readonly<Record<StepState, { readonly icon: LucideIcon; readonly text: string }>> = {
  done: { icon: Check, text: 'done' },
  current: { icon: CircleDot, text: 'current phase' },
  again: { icon: RotateCcw, text: 'begun before, follows again' },
  next: { icon: CircleDashed, text: 'not begun' },
}

/** Renders nothing for a conversation without a coordinator. */
export function PhaseBar() {
  const isCoordinated = useConversation(({ record }) => record?.coordinator === true)
  return isCoordinated ? <Phases /> : null
}

function Phases() {
  const entries = useConversation(({ record }) => record?.phases ?? NONE)
  const steps = useSteps()
  const isActive = useConversation(isWorking)
  const endedAt = useConversation(lastEnd)
  const [open, setOpen] = useState(false)
  const id = useId()
  const current = entries.at(-1)
  const note = current?.note ?? ''
  const begins = current === undefined ? '' : `${NAMES[current.phase]} has begun.`
  return (
    <section aria-label="Phases" className="shrink-0 border-line border-b bg-bg-1">
      <p aria-live="polite" className="sr-only">
        {`${begins} ${makeVisible(note)}`.trim()}
      </p>
      <div className="flex items-stretch">
        <ol className="grid min-w-0 flex-1 grid-cols-4">
          {steps.map((step) => (
            <Step key={step.phase} step={step} isActive={isActive} endedAt={endedAt} />
          ))}
        </ol>
        <button
          type="button"
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          disabled={entries.length === 0}
          onClick={() => setOpen(!open)}
          className="flex w-20 shrink-0 items-center justify-center gap-1 border-line border-l text-fg-1 text-sm enabled:hover:bg-bg-2 focus-visible:-outline-offset-2 disabled:opacity-60"
        >
          <ChevronRight
            size={12}
            strokeWidth={1.75}
            aria-hidden="true"
            className={classNames('shrink-0 text-fg-2', open && 'rotate-90')}
          />
          Plan
        </button>
      </div>
      {open && entries.length > 0 ? (
        <ol
          id={id}
          aria-label="The phases so far"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          data-selectable=""
          className="grid max-h-40 gap-1 overflow-y-auto border-line border-t px-3 py-1.5 text-sm focus-visible:-outline-offset-2"
        >
          {entries.map((entry) => (
            <Entry key={`${entry.at} ${entry.phase}`} entry={entry} />
          ))}
        </ol>
      ) : (
        <p dir="auto" className="truncate border-line border-t px-3 py-0.5 text-fg-1 text-sm" title={note}>
          {current === undefined
            ? 'The coordinator has begun no phase yet.'
            : note === ''
              ? begins
              : makeVisible(note)}
        </p>
      )}
    </section>
  )
}

const NONE: readonly PhaseEntry[] = []

interface StepProps {
  readonly step: PhaseStep
  readonly isActive: boolean
  /** ms since the epoch. */
  readonly endedAt: number
}

function Step({ step, isActive, endedAt }: StepProps) {
  const { phase, state, since, pastMs } = step
  const isTicking = since !== null && isActive
  const now = useNow(isTicking)
  const { icon: Icon, text } = STATES[state]
  const ms = pastMs + (since === null ? 0 : Math.max(0, (isTicking ? now : endedAt) - since))
  const counts = useCounts(step)
  return (
    <li
      aria-current={state === 'current' ? 'step' : undefined}
      className={classNames(
        'relative grid min-w-0 gap-x-1.5 border-line border-l px-3 py-1 first:border-l-0',
        state === 'current' && 'bg-bg-2',
      )}
    >
      {state === 'current' && (
        <span aria-hidden="true" className="absolute inset-x-0 top-0 h-0.5 bg-accent" />
      )}
      <div className="flex min-w-0 items-center gap-1.5">
        <Icon
          size={13}
          strokeWidth={1.75}
          aria-hidden="true"
          className={classNames(
            'shrink-0',
            state === 'done' ? 'text-ok' : state === 'current' ? 'text-accent' : 'text-fg-3',
          )}
        />
        <span
          className={classNames(
            'min-w-0 truncate text-sm',
            state === 'current' ? 'font-semibold text-fg-0' : state === 'next' ? 'text-fg-2' : 'text-fg-1',
          )}
        >
          {NAMES[phase]}
        </span>
        <span className="sr-only">, {text},</span>
        {state !== 'next' && (
          <span className="ms-auto shrink-0 font-mono text-fg-2 text-xs tabular-nums">
            {formatDuration(ms)}
          </span>
        )}
      </div>
      <div className="min-h-4 truncate text-fg-2 text-xs tabular-nums" title={counts}>
        {state === 'next' && counts === '' ? <span aria-hidden="true">not begun</span> : counts}
      </div>
    </li>
  )
}

/** "5 of 12 tasks · 3 working · 2 reports", "passed · 1 report". */
function useCounts({ phase, state, working, reports }: PhaseStep): string {
  const verdict = useConversation(({ record }) =>
    phase === 'verification' && state !== 'next' && record !== null ? verdictOf(record) : '',
  )
  const tasks = useConversation(({ record }) => (phase === 'implementation' ? record?.tasks : undefined))
  return [
    tasks === undefined ? '' : tasksText(tasks),
    verdict,
    working > 0 ? `${working} working` : '',
    reports > 0 ? count(reports, 'report') : '',
  ]
    .filter((part) => part !== '')
    .join(' · ')
}

/** The last verdict since the phase began last: "passed", "failed" or "unclear". */
function verdictOf({ phases, verifications }: ConversationRecord): string {
  const begun = phases.findLast(({ phase }) => phase === 'verification')?.at ?? 0
  return verifications.findLast(({ state, at }) => state === 'done' && at >= begun)?.verdict ?? ''
}

function tasksText(tasks: readonly TeamTask[]): string {
  const wanted = tasks.filter(({ status }) => status !== 'canceled')
  if (wanted.length === 0) return ''
  const done = wanted.filter(({ status }) => status === 'completed').length
  return `${done} of ${count(wanted.length, 'task')}`
}

function Entry({ entry }: { readonly entry: PhaseEntry }) {
  return (
    <li className="flex min-w-0 gap-2">
      <span className="shrink-0 pt-px text-fg-2 text-xs">
        <Moment at={entry.at} />
      </span>
      <span className="w-28 shrink-0 font-medium text-fg-0">{NAMES[entry.phase]}</span>
      <span dir="auto" className="min-w-0 break-words text-fg-1">
        {entry.note === '' ? '—' : makeVisible(entry.note)}
      </span>
    </li>
  )
}

/** The same steps until a figure changes: agents' text streams through the same store. */
function useSteps(): readonly PhaseStep[] {
  const select = ({ record, agents }: ShownConversation): readonly PhaseStep[] =>
    record === null ? [] : phaseSteps(record, agents.values())
  return useConversation(useStable(select, isSame))
}

function isSame(before: readonly PhaseStep[], after: readonly PhaseStep[]): boolean {
  const figures = ({ state, reports, working, pastMs, since }: PhaseStep) => [
    state,
    reports,
    working,
    pastMs,
    since,
  ]
  return before.flatMap(figures).join() === after.flatMap(figures).join() && before.length === after.length
}

/** Whether the phase goes on: somebody works, or waits for the user. */
const isWorking = ({ agents }: ShownConversation): boolean => [...agents.values()].some(isLive)

/** The end of the last run, ms since the epoch. */
const lastEnd = ({ record, agents }: ShownConversation): number =>
  [...agents.values()].reduce((last, { endedAt }) => Math.max(last, endedAt ?? 0), record?.outcome?.at ?? 0)

// What a coordinator's phases look like at one moment: a pure function of the conversation's state.

/**
 * `current`: the phase that began last. `done`: it began, and a later one followed. `again`: it began, but the coordinator
 * went back before it. `next`: it has not begun.
 */
type StepState = 'done' | 'current' | 'again' | 'next'

export interface PhaseStep {
  readonly phase: Phase
  readonly state: StepState
  /** Agents that the coordinator started in the phase and that have ended. */
  readonly reports: number
  /** Agents that were started in the phase and work. */
  readonly working: number
  /** The time in the phase in ms, without the current stretch. */
  readonly pastMs: number
  /** When the current stretch began, ms since the epoch; null: the phase is not the current one. */
  readonly since: number | null
}

/** One step for each phase, in order. */
export function phaseSteps(
  { phases: begun, mainAgentId }: Pick<ConversationRecord, 'phases' | 'mainAgentId'>,
  agents: Iterable<AgentState>,
): readonly PhaseStep[] {
  const current = begun.at(-1)
  const now = current === undefined ? -1 : phases.indexOf(current.phase)
  const started = [...agents].filter(({ parentId }) => parentId === mainAgentId)
  return phases.map((phase, at) => {
    const stretches = begun.flatMap((entry, index) =>
      entry.phase === phase ? [{ from: entry.at, to: begun[index + 1]?.at ?? null }] : [],
    )
    const mine = started.filter(({ spawnedAt }) =>
      stretches.some(({ from, to }) => spawnedAt >= from && (to === null || spawnedAt < to)),
    )
    const working = mine.filter(isLive).length
    return {
      phase,
      state: stretches.length === 0 ? 'next' : at === now ? 'current' : at < now ? 'done' : 'again',
      reports: mine.length - working,
      working,
      pastMs: stretches.reduce((sum, { from, to }) => sum + (to === null ? 0 : to - from), 0),
      since: at === now ? (current?.at ?? null) : null,
    }
  })
}
