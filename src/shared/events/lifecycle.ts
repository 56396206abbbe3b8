/** The life of an agent, from its start to its end: how the events change its state, and how the transcript shows them. */
import { COORDINATOR } from '../teams/team.ts'
import type { AgentState, EventOf, WorkTime } from './agent-event.ts'
import { prefixTokens } from './context.ts'
import { type EventParts, instructionRow, newRow, noticeRow } from './event-parts.ts'
import { turnEnded } from './model-requests.ts'
import { actionEnded } from './tool-calls.ts'

const REPORT_LENGTH = 4000

/** Nothing has ended the agent's run. */
const goesOn = {
  endedAt: null,
  failure: null,
  reachedLimit: null,
  limitOf: null,
  stopId: null,
  stoppedBy: null,
} satisfies Partial<AgentState>

export const lifecycleStart = {
  ...goesOn,
  status: 'queued',
  waitingFor: null,
  pauseWanted: false,
  runStartedAt: null,
  heldAt: null,
  workedMs: 0,
  report: '',
} satisfies Partial<AgentState>

export const lifecycleParts: EventParts<
  | 'agent-spawned'
  | 'status-changed'
  | 'pause-changed'
  | 'moved-to-background'
  | 'awaited-again'
  | 'limits-changed'
  | 'definition-renewed'
  | 'agent-ended'
> = {
  // The state begins with it: see `startAgent`.
  'agent-spawned': { rows: (event) => instructionRow(event, event.instructions) },
  'status-changed': {
    fold(state, event) {
      const { status, waitingFor, reachedLimit = null } = event
      return {
        ...goesOn,
        status,
        waitingFor,
        ...(waitingFor === 'message' && turnEnded(state)),
        // A pause ends the countdown of a retry, and so does a new request.
        retry: null,
        limitedUntil: null,
        reachedLimit,
        limitOf: reachedLimit === null ? null : 'agent',
        ...workTimeAfter(state, event),
        pauseWanted: state.pauseWanted && waitingFor !== 'message',
      }
    },
  },
  'pause-changed': {
    fold: (_, { paused }) => ({ pauseWanted: paused }),
    rows: (event) => noticeRow(event, event.paused ? 'You paused this agent.' : 'You resumed this agent.'),
  },
  'moved-to-background': {
    fold: (_, { by, bubbles }) => ({ background: by === 'user' ? 'moved' : 'started', bubbles }),
    rows: (event) =>
      noticeRow(
        event,
        event.by === 'user'
          ? 'You moved this agent to the background: its parent continues without it.'
          : 'This agent continues in the background: its parent does not wait for it.',
      ),
  },
  'awaited-again': {
    fold: () => ({ background: 'no', bubbles: false }),
    rows: (event) => noticeRow(event, 'Its parent waits for this agent again.'),
  },
  'limits-changed': {
    fold: (_, { limits }) => ({ limits }),
    rows: (event) => noticeRow(event, "You changed this agent's limits."),
  },
  'definition-renewed': {
    fold(state, event) {
      const { definition, permissionMode, neverAsks, maxTurns } = event
      const context = { ...state.context, prefix: prefixTokens(event) }
      return { definition, context, permissionMode, neverAsks, maxTurns }
    },
    rows: (event) =>
      event.by === 'program'
        ? []
        : noticeRow(
            event,
            event.definition.name === COORDINATOR
              ? 'The main agent has the prompt and the tools of a coordinator.'
              : 'You updated this agent to its current definition.',
          ),
  },
  'agent-ended': {
    fold(state, { status, report, failure, reachedLimit, limitOf, stopId, stoppedBy, at }) {
      return {
        status,
        waitingFor: null,
        ...turnEnded(state),
        endedAt: at,
        requests: [],
        forms: [],
        retry: null,
        limitedUntil: status === 'interrupted' || stoppedBy === 'program' ? state.limitedUntil : null,
        report: report.slice(0, REPORT_LENGTH),
        failure,
        reachedLimit,
        limitOf,
        stopId: stopId ?? null,
        stoppedBy: stoppedBy ?? null,
        // The event is written at the next start, so its time is not the end of the work.
        ...workTimeEnded(state, status === 'interrupted' ? state.lastAt : at),
        pauseWanted: false,
        ...actionEnded(state),
      }
    },
    rows(event) {
      const { status, failure, reachedLimit, limitOf } = event
      return [newRow(event, 'ended', { kind: 'ended', status, failure, reachedLimit, limitOf })]
    },
  },
}

/** The clock after a change of status. */
export function workTimeAfter(time: WorkTime, event: EventOf<'status-changed'>): WorkTime {
  const { waitingFor, at } = event
  // For the time limit, a main agent that waits for a message has ended.
  if (waitingFor === 'message') return workTimeEnded(time, at)
  const { runStartedAt, heldAt, workedMs } = time
  if (isHeldIn(event))
    return { runStartedAt, heldAt: runStartedAt === null ? null : (heldAt ?? at), workedMs }
  if (runStartedAt === null) return { runStartedAt: at, heldAt: null, workedMs }
  const heldMs = heldAt === null ? 0 : Math.max(0, at - heldAt)
  return { runStartedAt: runStartedAt + heldMs, heldAt: null, workedMs }
}

const isHeldIn = ({ status, waitingFor, held }: EventOf<'status-changed'>): boolean =>
  status === 'paused' ||
  status === 'queued' ||
  waitingFor === 'permission' ||
  waitingFor === 'answer' ||
  waitingFor === 'limit' ||
  held === true

/** The clock after the period of work ended at the given time. */
export function workTimeEnded(time: WorkTime, at: number): WorkTime {
  return { runStartedAt: null, heldAt: null, workedMs: workedUntil(time, at) }
}

/** The work up to the given time, in ms. */
export function workedUntil(time: WorkTime, at: number): number {
  return time.workedMs + periodUntil(time, at)
}

/** The work in the current period up to the given time, in ms; 0 without a period. */
export function periodUntil({ runStartedAt, heldAt }: WorkTime, at: number): number {
  return runStartedAt === null ? 0 : Math.max(0, Math.min(at, heldAt ?? at) - runStartedAt)
}

/** Whether the clock runs. */
export function isClockRunning({ runStartedAt, heldAt }: WorkTime): boolean {
  return runStartedAt !== null && heldAt === null
}
