/** How a run ended: its outcome with the exit code, the limit that stopped it, its report, and the line of `--json`. */

import type { AgentEvent, SpendLimits, Usage } from '../../../shared/events/agent-event.ts'
import { addUsage } from '../../../shared/events/model-requests.ts'
import type { Failure } from '../../../shared/kernel/result.ts'
import { textOf } from '../../../shared/messages/text-of.ts'
import { noUsage } from '../../../shared/models/no-usage.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import { describeLimit } from '../../../shared/state/spending.ts'
import { EXIT } from '../../platform/command-line/terminal.ts'
import type { GoalEnd } from './goal.ts'

/** How a run ended. */
export type RunCommandOutcome =
  | { readonly type: 'completed' }
  /** Every other outcome has a message for standard error. */
  | {
      readonly type:
        | 'usage'
        | 'not-started'
        | 'agent-failed'
        | 'check-failed'
        | 'wrong-report'
        | 'not-merged'
        | 'limit-reached'
        | 'no-access'
        | 'interrupted'
      readonly message: string
    }

const exitCodes: Readonly<Record<RunCommandOutcome['type'], number>> = {
  completed: EXIT.done,
  usage: EXIT.usage,
  'not-started': EXIT.failed,
  'agent-failed': EXIT.failed,
  'check-failed': EXIT.failedCheck,
  'wrong-report': EXIT.wrongReport,
  'not-merged': EXIT.notMerged,
  'limit-reached': EXIT.limit,
  'no-access': EXIT.noAccess,
  interrupted: EXIT.interrupted,
}

export const exitCodeOf = ({ type }: RunCommandOutcome): number => exitCodes[type]

/** Failures that another command line would avoid. */
const usageFailures: ReadonlySet<string> = new Set([
  'usage',
  'folder-gone',
  'unknown-agent',
  'not-allowed',
  'not-found',
])

/** The outcome of a run whose conversation could not be created or resumed. */
export const notStarted = ({ type, message }: Failure): RunCommandOutcome => ({
  type: usageFailures.has(type) ? 'usage' : 'not-started',
  message,
})

/** Only the limits given. */
export type RunLimits = Partial<Pick<SpendLimits, 'tokens' | 'usd' | 'ms'>>

/** The limit that ended an agent. */
export interface StoppedAt {
  readonly limit: 'turns' | 'tokens' | 'money' | 'time'
  readonly of: 'agent' | 'parent' | 'conversation'
  /** Tokens, US dollars or ms; null if no longer known. */
  readonly most: number | null
}

/** Null if no limit ended the agent. */
export function stoppedAt(state: AgentState, conversationLimits: SpendLimits): StoppedAt | null {
  const { reachedLimit: limit, limitOf } = state
  if (limit === null) return null
  const of = limitOf ?? 'agent'
  if (limit === 'turns') return { limit, of, most: state.maxTurns }
  const limits = of === 'conversation' ? conversationLimits : of === 'agent' ? state.limits : null
  const most = { tokens: limits?.tokens, money: limits?.usd, time: limits?.ms }[limit] ?? null
  return { limit, of, most }
}

/** The limit reached, and how to resume. */
export function stoppedText({ limit, of, most }: StoppedAt, mainAgentId: string): string {
  const what = most === null ? `a limit of ${limit}` : describeLimit({ limit, of, most })
  if (limit === 'turns')
    return `Stopped at ${what}. Turns count from each message. To resume: troupe run "…" --resume ${mainAgentId}`
  const flag = of === 'conversation' ? FLAG_OF[limit] : undefined
  const raised = flag === undefined ? '' : ` --${flag} N`
  return `Stopped at ${what}. To resume with a higher limit: troupe run "…" --resume ${mainAgentId}${raised}`
}

const FLAG_OF: Partial<Record<StoppedAt['limit'], string>> = {
  tokens: 'max-tokens',
  money: 'max-usd',
  time: 'max-minutes',
}

/** Stop reasons after which the next message continues the same answer. */
const CONTINUED: ReadonlySet<string> = new Set(['max_tokens', 'pause_turn', 'model_context_window_exceeded'])

interface Said {
  /** The complete answers. */
  readonly answers: readonly string[]
  /** The beginning of an answer whose message was cut off. */
  readonly begun: string
  /** The last text in a message with tool calls; the report of an agent that never answered. */
  readonly remark: string
}

const nothing: Said = { answers: [], begun: '', remark: '' }

/**
 * The answers of each agent since the user's last message. A later answer to a notice does not replace an earlier
 * answer.
 */
export class FinalReports {
  private readonly said = new Map<string, Said>()

  take(event: AgentEvent): void {
    if (event.type === 'user-message' && (event.from === 'user' || event.from === 'parent'))
      this.said.delete(event.agentId)
    if (event.type === 'assistant-message')
      this.said.set(event.agentId, saidAfter(this.said.get(event.agentId) ?? nothing, event))
  }

  of(agentId: string): string {
    const all = this.answersOf(agentId)
    return all.length === 0 ? (this.said.get(agentId) ?? nothing).remark : all.join('\n\n')
  }

  /** The answers, oldest first; one that was cut off is the last. */
  answersOf(agentId: string): readonly string[] {
    const { answers, begun } = this.said.get(agentId) ?? nothing
    return begun.trim() === '' ? answers : [...answers, begun]
  }
}

function saidAfter(
  said: Said,
  { content, stopReason }: Extract<AgentEvent, { type: 'assistant-message' }>,
): Said {
  const text = said.begun + textOf(content)
  if (CONTINUED.has(stopReason)) return { ...said, begun: text }
  if (text.trim() === '') return { ...said, begun: '' }
  return stopReason === 'tool_use'
    ? { ...said, begun: '', remark: text }
    : { ...said, begun: '', answers: [...said.answers, text] }
}

/** The last line of `troupe run --json`. */
export interface ResultLine {
  readonly type: 'result'
  readonly ok: boolean
  readonly report: string
  /** The value of a report that has the form of `--output-schema`. */
  readonly output?: unknown
  /** With `--until` or `--output-schema`: how often something went back to the agent, and what was still missing. */
  readonly goal?: { readonly rounds: number; readonly missed: string | null }
  readonly conversationId: string
  /** The limit that ended the main agent; null: none. */
  readonly stoppedAt: StoppedAt | null
  /** Branches with work of the run's agents that is not merged. */
  readonly unmerged: readonly UnmergedBranch[]
  readonly agents: readonly {
    readonly id: string
    readonly type: string
    readonly description: string
    readonly parentId: string | null
    readonly status: string
    /** ms since the epoch. */
    readonly startedAt: number
    readonly endedAt: number | null
    readonly turns: number
    /** The kind of limit that ended the agent; null: none. */
    readonly reachedLimit: AgentState['reachedLimit']
    readonly usage: Usage
  }[]
  readonly usage: Usage
  /** Null if a model has no known price. */
  readonly costUsd: number | null
  /** The sum of the known costs. */
  readonly knownCostUsd: number
}

export interface UnmergedBranch {
  readonly branch: string
  readonly agentId: string
}

/** `report`: the main agent's last text; `free`: the rehearsal's script answered, so nothing cost money. */
export function resultLine(
  conversationId: string,
  states: readonly AgentState[],
  outcome: {
    readonly ok: boolean
    readonly report: string
    readonly goal: GoalEnd | null
    readonly free: boolean
    readonly stoppedAt: StoppedAt | null
    readonly unmerged: readonly UnmergedBranch[]
  },
): ResultLine {
  const knownCostUsd = states.reduce((sum, state) => sum + state.costUsd, 0)
  return {
    type: 'result',
    ok: outcome.ok,
    report: outcome.report,
    ...(outcome.goal && {
      ...(outcome.goal.output !== undefined && { output: outcome.goal.output }),
      goal: { rounds: outcome.goal.rounds, missed: outcome.goal.missed?.message ?? null },
    }),
    conversationId,
    stoppedAt: outcome.stoppedAt,
    unmerged: outcome.unmerged,
    agents: states.map((state) => ({
      id: state.id,
      type: state.definition.name,
      description: state.task,
      parentId: state.parentId,
      status: isIdle(state) ? 'completed' : state.status,
      startedAt: state.spawnedAt,
      endedAt: state.endedAt ?? (isIdle(state) ? state.lastAt : null),
      turns: state.turns,
      reachedLimit: state.reachedLimit,
      usage: state.usage,
    })),
    usage: states.reduce((sum, state) => addUsage(sum, state.usage), noUsage),
    costUsd: outcome.free || states.every((state) => state.priced) ? knownCostUsd : null,
    knownCostUsd,
  }
}

/** A main agent that waits for a message has completed its task. */
const isIdle = (state: AgentState): boolean => state.status === 'waiting' && state.waitingFor === 'message'
