/** The files of a remote agent, as the backing of its worker needs them. */
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { CheckoutState, JobRepository } from '../../../../shared/workers/worker-protocol.ts'
import type { BackedAgent } from '../../../runtime/ports/agent-backing.ts'
import type { JobFiles } from './job-files.ts'

interface BackingFiles {
  repository(agent: BackedAgent): Promise<Result<JobRepository>>
  progressed(jobId: string, work: CheckoutState): Promise<Result<void>>
  land(jobId: string): Promise<Result<string>>
}

export function createBackingFiles(files: JobFiles): BackingFiles {
  return {
    async repository(agent) {
      const { worktree, jobId } = agent.state()
      if (worktree?.own !== true || jobId === null) return fail(noWorktree)
      const sent = await files.send({ location: worktree, jobId })
      if (!sent.ok) return sent
      for (const note of sent.value.notes) agent.workerChanged({ worker: null, state: 'waiting', note })
      return ok(sent.value.repository)
    },
    progressed: (jobId, work) => files.progressed(jobId, work),
    async land(jobId) {
      const landed = await files.land(jobId, new AbortController().signal)
      if (!landed.ok) return landed
      return ok(landed.value?.kind === 'beside' ? landed.value.message : '')
    },
  }
}

const noWorktree = {
  type: 'refused',
  message:
    'An agent can work on another machine only in a git worktree of its own. Start it with isolation: worktree, in a git repository.',
}
