/** Worker processes on this machine, as the runtime's backing `pane`. */
import type { ModelAccess } from '../../../../shared/models/model-access.ts'
import type { Ports } from '../../../runtime/ports.ts'
import type { RehearsalOptions } from '../../models/model-switch.ts'
import { createWorkerLauncher, type WorkerProgram } from '../launch-worker.ts'
import { createPaneLink } from '../pane-link.ts'
import { encodeAccess } from '../worker-access.ts'
import { always, type WorkerSide } from './compose-workers.ts'

interface PaneSideOptions {
  readonly dataFolder: string
  readonly workerProgram: WorkerProgram
  readonly rehearsal: RehearsalOptions
  /** The permission rules of this run, which are not saved. */
  readonly rules?: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  readonly ports: Ports
  readonly access: () => ModelAccess
  /** The stored keys of providers, by their names. */
  readonly keys: () => Readonly<Record<string, string>>
  readonly onProblem: (message: string) => void
}

export function paneSide(options: PaneSideOptions): {
  readonly side: WorkerSide
  /** Ends the idle processes that this program started. */
  close(): Promise<void>
} {
  const { dataFolder, ports, rehearsal, rules, access } = options
  const pace = () => (typeof rehearsal.pace === 'function' ? rehearsal.pace() : rehearsal.pace)
  const { command, environment } = options.workerProgram
  const launcher = createWorkerLauncher({
    command,
    environment,
    get tmux() {
      return options.workerProgram.tmux
    },
    access: () => encodeAccess(access(), { pace: pace(), keys: options.keys() }),
    onProblem: options.onProblem,
  })
  const link = createPaneLink({ dataFolder, launcher, now: ports.clock.now })
  const side: WorkerSide = {
    link,
    check: always,
    conversations: () => link.conversations(),
    release: (agentId) => link.release(agentId),
    forget: (agentIds) => link.forget(agentIds),
    deps: {
      clock: ports.clock,
      ids: ports.ids,
      trusted: (folder) => ports.policy.trusted(folder),
      rules: async () => ({ allow: [...(rules?.allow ?? [])], deny: [...(rules?.deny ?? [])] }),
      rehearsal: () => (access().kind === 'rehearsal' ? { scenarioFile: rehearsal.scenarioFile } : undefined),
    },
  }
  return { side, close: () => link.close() }
}
