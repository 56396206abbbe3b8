/** Agents that something else carries out, a worker or an external agent: how their events change the state, and how the transcript shows them. */
import type { ExternalAgent } from '../external-agents/external-agent.ts'
import type { AgentState, EventOf } from './agent-event.ts'
import { type EventParts, noticeRow } from './event-parts.ts'

export const backingStart = {
  worker: null,
  workerState: null,
  jobId: null,
  program: null,
} satisfies Partial<AgentState>

export const backingParts: EventParts<
  | 'worker-changed'
  | 'program-connected'
  | 'program-options'
  | 'program-commands'
  | 'program-login'
  | 'child-changed'
> = {
  'worker-changed': {
    fold: (before, { worker, state, jobId }) => ({
      worker: worker ?? before.worker,
      workerState: state,
      jobId: jobId ?? before.jobId,
    }),
    rows(event) {
      const { note, state } = event
      const isLost = state === 'gone' || state === 'silent'
      return note === '' ? [] : noticeRow(event, note, isLost ? 'warning' : 'info')
    },
  },
  // The panel shows the program, its options and its login.
  'program-connected': {
    fold: (state, { program, sessionId, can }) =>
      withProgram(state, { ...program, sessionId, can, login: null }),
  },
  'program-options': { fold: (state, { options }) => withProgram(state, { options }) },
  'program-commands': { fold: (state, { commands }) => withProgram(state, { commands }) },
  'program-login': {
    fold: (state, { program, methods, message }) =>
      withProgram(state, { ...program, login: { methods, message } }),
  },
  // The panel's title shows it.
  'child-changed': {
    fold: ({ child, definition, cwd: before }, { name, task, cwd = before, canStop }) => ({
      child: child && { ...child, canStop },
      task,
      cwd,
      definition: { ...definition, name },
    }),
  },
}

/** The program of an agent after news of it; nothing is known before the first. */
function withProgram({ program }: AgentState, news: Partial<ExternalAgent>): Pick<AgentState, 'program'> {
  return { program: { ...(program ?? UNKNOWN), ...news } }
}

/** The program after a message of its agent, which may have reported tokens and cost. */
export function programAfterMessage(
  program: ExternalAgent | null,
  { usage, costUsd }: Pick<EventOf<'assistant-message'>, 'usage' | 'costUsd'>,
): ExternalAgent | null {
  if (program === null) return null
  const reportsTokens = program.reportsTokens || usage.input + usage.output > 0
  const reportsCost = program.reportsCost || costUsd !== null
  if (reportsTokens === program.reportsTokens && reportsCost === program.reportsCost) return program
  return { ...program, reportsTokens, reportsCost }
}

const UNKNOWN: ExternalAgent = {
  name: '',
  title: '',
  version: '',
  sessionId: null,
  can: { resume: false, images: false },
  options: [],
  commands: [],
  login: null,
  reportsCost: false,
  reportsTokens: false,
}
