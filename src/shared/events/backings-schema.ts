/** Agents that something else carries out, a worker or an external agent: the events, and what is known of it. */
import { z } from 'zod'
import {
  externalAgent,
  externalAgentAbilities,
  externalAgentCommand,
  externalAgentName,
  externalAgentOption,
  loginMethod,
  sessionBeginning,
} from '../external-agents/external-agent.ts'
import { backingKind } from '../teams/team-schema.ts'
import { declareEvent } from './event-schema.ts'

/** The process that carries out an agent. */
export const agentWorker = z.object({
  /** `w-…` */
  workerId: z.string(),
  host: z.string(),
  pid: z.number().int(),
  cores: z.number().int(),
  /** The tmux pane that shows the worker: `pay:2.1`; null: none. */
  tmux: z.string().nullable(),
  epoch: z.number().int().nonnegative(),
})
export type AgentWorker = z.infer<typeof agentWorker>

/** `gone`: the process died or was given up. `silent`: no heartbeat arrives. */
const workerState = z.enum(['waiting', 'running', 'silent', 'gone'])

export const backingEvents = [
  /** The process that carries out an agent of another backing changed. Only the runtime writes this event. */
  declareEvent('worker-changed', {
    worker: agentWorker.nullable(),
    state: workerState,
    /** The job that carries out the agent's run; null: unchanged. */
    jobId: z.string().nullable().default(null),
    /** What happened, and what follows, as a sentence for the user; may be empty. */
    note: z.string(),
  }),
  /** The external agent has a session for the agent; a login that it wanted is done. */
  declareEvent('program-connected', {
    program: externalAgentName,
    sessionId: z.string(),
    began: sessionBeginning,
    can: externalAgentAbilities,
  }),
  /** The choices of the session with their current values: always the whole list. */
  declareEvent('program-options', { options: z.array(externalAgentOption).readonly() }),
  /** The commands that the program takes as prompts: always the whole list. */
  declareEvent('program-commands', { commands: z.array(externalAgentCommand).readonly() }),
  /** The program wants a login before it begins a session. Without methods it offers none. */
  declareEvent('program-login', {
    program: externalAgentName,
    methods: z.array(loginMethod).readonly(),
    /** What the user can do, as a sentence. */
    message: z.string(),
  }),
  /**
   * What a program says of a subagent of its own, each time as a whole: what it calls the agent, what the agent does, and
   * in which folder (missing: unchanged). `canStop`: the user can stop this agent by itself; otherwise only together with the agent that started it.
   */
  declareEvent('child-changed', {
    name: z.string(),
    task: z.string(),
    cwd: z.string().optional(),
    canStop: z.boolean(),
  }),
] as const

export const backingState = {
  /** Where the agent runs. */
  backing: backingKind,
  /**
   * Set for a subagent that an external agent started by itself. `sessionId`: the program's id of it. `canStop`:
   * it can be stopped by itself; otherwise only together with its parent.
   */
  child: z.object({ sessionId: z.string(), canStop: z.boolean() }).nullable().default(null),
  /** The process that carries out the agent, or did last. Null: in-process, or none has begun. */
  worker: agentWorker.nullable(),
  workerState: workerState.nullable(),
  /** The job of the current or last run in another process. Null: none was sent. */
  jobId: z.string().nullable(),
  /** The external agent that carries out the agent. Null: there is none, or it was never reached. */
  program: externalAgent.nullable(),
}
