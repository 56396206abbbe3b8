/** Composes the workers that carry out agents for a runtime: panes on this machine, and remote ones. */
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import {
  type AgentBacking,
  plainBacking,
  type RuntimeWorkers,
  type WantedWorker,
} from '../../../runtime/agent-backing.ts'
import type { WorkerLink } from '../../../runtime/worker-link.ts'
import { createWorkerBacking, type WorkerBackingDeps } from '../worker-backing.ts'

/** One way to reach workers. */
export interface WorkerSide {
  readonly link: WorkerLink
  /** Why no agent can run there now. */
  readonly check: (wanted: WantedWorker) => Promise<Result<void>>
  /** The conversations with agents that workers went on with. */
  readonly conversations: () => Promise<readonly string[]>
  readonly deps: WorkerBackingDeps
  /** The agent left its team: its worker is not needed until a message resumes the agent. */
  readonly release?: (agentId: string) => Promise<void>
  /** The conversation of these agents was deleted. */
  readonly forget?: (agentIds: readonly string[]) => Promise<void>
}

/** A kind without a side can't be used. */
export function composeWorkers(
  sides: Readonly<Partial<Record<'pane' | 'remote', WorkerSide>>>,
): RuntimeWorkers {
  return {
    check: async (kind, wanted) => (await sides[kind]?.check(wanted)) ?? fail(NO_SIDE[kind]),
    backing(agent) {
      const { backing } = agent.state()
      if (backing !== 'pane' && backing !== 'remote') return null
      const side = sides[backing]
      return side ? createWorkerBacking(agent, side.link, side.deps) : unavailable(backing)
    },
    async isAlive({ id, backing, jobId }) {
      if ((backing !== 'pane' && backing !== 'remote') || jobId === null) return false
      return (await sides[backing]?.link.isAlive({ agentId: id, jobId })) ?? false
    },
    released(_conversationId, agentId) {
      // A worker that can't be ended now ends by itself when it has had nothing to do for a while.
      sides.pane?.release?.(agentId).catch(() => undefined)
    },
    async forget(agentIds) {
      await sides.pane?.forget?.(agentIds)
    },
    async conversations() {
      const ids = [sides.pane, sides.remote].map((side) => side?.conversations() ?? [])
      return [...new Set((await Promise.all(ids)).flat())]
    },
  }
}

/** An agent of another backing never runs in this process. */
const unavailable = (kind: keyof typeof NO_SIDE): AgentBacking =>
  plainBacking(kind, async () => ({ kind: 'failed', type: 'worker', message: NO_SIDE[kind].message }))

const NO_SIDE = {
  pane: {
    type: 'no-worker',
    message: 'This program can’t start worker processes. Use the backing in-process.',
  },
  remote: {
    type: 'no-worker',
    message:
      'No NATS server is set up, so no remote worker can be reached. Set natsUrl in the settings, or use the backing in-process or pane.',
  },
} as const

/** A side that is always ready. */
export const always = async (): Promise<Result<void>> => ok(undefined)
