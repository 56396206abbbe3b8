/** The last line of `troupe run --json`. */

import type { Usage } from '../../../shared/events/agent-event.ts'
import { addUsage } from '../../../shared/events/model-requests.ts'
import { noUsage } from '../../../shared/models/no-usage.ts'
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { StoppedAt } from './run-limits.ts'

export interface ResultLine {
  readonly type: 'result'
  readonly ok: boolean
  readonly report: string
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
