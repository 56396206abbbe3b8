/** Where an agent runs, in words: the same in the view of teams, in panels and in the tree. */
import type { AgentState } from '../../../shared/state/agent-state.ts'
import type { BackingKind } from '../../../shared/teams/team-schema.ts'
import type { WorkerPresence } from '../../../shared/workers/worker-presence.ts'

export type BackingBadge = BackingKind | 'tmux'

type Placed = Pick<AgentState, 'backing' | 'worker' | 'workerState'>

export function backingBadge({ backing, worker }: Placed): BackingBadge {
  return backing === 'pane' && worker?.tmux != null ? 'tmux' : backing
}

/** A sentence for the tooltip of the badge. */
export function backingMeaning(agent: Placed): string {
  const place = placeOf(agent)
  switch (agent.backing) {
    case 'in-process':
      return 'Runs inside this program.'
    case 'pane':
      return `Runs in a process of its own on this machine${place === null ? '' : `: ${place}`}. It goes on when the window closes.`
    case 'remote':
      return place === null
        ? 'Runs on another machine. No machine has taken it yet.'
        : `Runs on another machine: ${place}.`
    case 'acp':
      return 'An external agent carries it out, over the Agent Client Protocol. Troupe sees what it reports.'
    case 'acp-child':
      return 'A subagent that the agent above started by itself, in an external agent. Only that agent can write to it.'
  }
}

/** "process 4711 · tmux pay:2.1", "build-7 · 16 cores". Null: this program, or no process has begun. */
export function placeOf({ backing, worker }: Placed): string | null {
  if (worker === null || backing === 'in-process') return null
  if (backing === 'remote') return `${worker.host} · ${worker.cores} ${worker.cores === 1 ? 'core' : 'cores'}`
  return `process ${worker.pid}${worker.tmux === null ? '' : ` · tmux ${worker.tmux}`}`
}

/** "in process 4711", "on build-7": where a request of the agent would act. Null: in this program. */
export function requestPlace({ backing, worker }: Placed): string | null {
  if (worker === null || backing === 'in-process') return null
  return backing === 'remote' ? `on ${worker.host}` : `in process ${worker.pid}`
}

/** What is wrong with an agent's worker, and what happens next. Null: nothing is. */
export function workerProblem(
  { backing, workerState, worker }: Placed,
  presence: WorkerPresence | undefined,
): string | null {
  const host = worker?.host ?? 'its machine'
  if (workerState === 'gone')
    return backing === 'remote'
      ? `${host} is lost. Its job goes to another worker; until then its messages are kept.`
      : 'Its process has ended. Resume starts a new one with the whole dialogue.'
  if (workerState === 'silent')
    return backing === 'remote'
      ? `No heartbeat from ${host}. If it stays silent, another worker takes the job.`
      : 'Its process does not answer. If it stays silent, it is given up and can be resumed.'
  if (presence?.problem != null) return `Takes no new jobs: ${presence.problem}.`
  if (workerState === 'waiting' && backing === 'remote') return 'Waits for a worker that takes its job.'
  return null
}
