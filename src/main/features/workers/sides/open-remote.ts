/** Opens the side of remote workers. */
import type { ModelAccess } from '../../../../shared/models/model-access.ts'
import type { ComposeOptions } from '../../../compose-options.ts'
import type { Git } from '../../../platform/git/git-client.ts'
import type { Ports } from '../../../runtime/ports.ts'
import type { RemoteSide } from './remote-side.ts'

/** Loaded only where a NATS server is set up, and not by a worker, which starts no agents. */
export async function openRemote(
  options: ComposeOptions,
  { ports, git, access }: { readonly ports: Ports; readonly git: Git; readonly access: () => ModelAccess },
): Promise<RemoteSide | null> {
  const { dataFolder, settings, rehearsal, onProblem = () => {} } = options
  if (settings.current.natsUrl === '' || options.conversationsFolder) return null
  const { remoteSide } = await import('./remote-side.ts')
  const opened = await remoteSide({
    dataFolder,
    settings: settings.current,
    git,
    ports,
    access,
    rehearsal: () => (access().kind === 'rehearsal' ? { scenarioFile: rehearsal.scenarioFile } : undefined),
    onProblem,
  })
  if (opened.ok) return opened.value
  onProblem(opened.failure.message)
  return null
}
