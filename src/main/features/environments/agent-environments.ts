/** What agents wait for and are told: the set-up of their worktree, its ports, and its servers. */
import type { EnvironmentState } from '../../../shared/environments/environment.ts'
import { type FolderCommands, portOf } from '../../../shared/environments/environments.ts'
import type { WorktreeEnvironments } from '../../runtime/ports/environments.ts'
import type { EnvironmentService } from './create-environments.ts'
import type { PortBlocks } from './port-blocks.ts'

interface Seen {
  readonly commands: FolderCommands
  readonly state: EnvironmentState
}

/** @param options `attended`: whether a user can approve commands in this run */
export function createAgentEnvironments(options: {
  readonly service: EnvironmentService
  readonly ports: Pick<PortBlocks, 'of'>
  readonly waits: () => boolean
  readonly attended: () => boolean
}): WorktreeEnvironments {
  const { service, ports, waits, attended } = options

  /** Whether the set-up runs, or waits for the user. */
  function isPending({ commands: { approval, commands }, state: { setup } }: Seen): boolean {
    if (setup.kind === 'running') return true
    const mayCome =
      approval.state === 'approved' ||
      (attended() && (approval.state === 'new' || approval.state === 'changed'))
    return setup.kind === 'none' && commands.setup.length > 0 && mayCome
  }

  /** Resolves when nothing is to be waited for any more. */
  async function settled(path: string, signal: AbortSignal): Promise<Seen | null> {
    for (;;) {
      // Before the look: no change falls between them.
      const change = nextChange(service, signal)
      const seen = await service.stateOf({ path })
      if (seen === null || signal.aborted || !isPending(seen)) return seen
      await change
    }
  }

  return {
    async enter({ path }, { signal, waits: tell, ended }) {
      const seen = await service.stateOf({ path })
      const base = ports.of(path)
      if (seen === null || base === null) return { text: null }
      if (!isPending(seen)) return { text: textFor(seen, base) }
      if (!waits() || isUnasked(seen)) {
        void settled(path, signal).then((after) => {
          if (after !== null && !signal.aborted) ended(setupText(after, false))
        })
        return { text: textFor(seen, base) }
      }
      tell(waitText(seen))
      const after = await settled(path, signal)
      return { text: after === null ? null : textFor(after, ports.of(path) ?? base) }
    },
  }
}

/** Commands that Troupe itself proposes keep no agent waiting: nobody may have thought of a set-up. */
const isUnasked = ({ commands: { isProposed, approval } }: Seen): boolean =>
  isProposed && approval.state !== 'approved'

function nextChange(service: EnvironmentService, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop()
      resolve()
    }
    const stop = service.subscribe((what) => what === 'state' && done())
    signal.addEventListener('abort', done, { once: true })
  })
}

const waitText = ({ commands: { approval } }: Seen): string =>
  approval.state === 'approved'
    ? 'Waits for the set-up of its worktree. Its log is in Environments.'
    : 'Waits for your approval of the commands that set up its worktree. Approve or skip them in Environments.'

/** For the agent. */
function textFor(seen: Seen, base: number): string {
  const { run } = seen.commands.commands
  const servers = run.map(({ name, command }) => {
    const state = seen.state.runs[name]
    const port = portOf(run, name, base)
    return `${name} (\`${command}\`) at http://localhost:${port}${state?.kind === 'running' ? ', which runs now' : ''}`
  })
  return [
    setupText(seen, true),
    `The ports ${base} to ${base + 9} are yours alone: TROUPE_PORT is ${base}, TROUPE_PORT_1 to TROUPE_PORT_9 are the next nine. Let servers that you start listen there.`,
    ...(servers.length === 0
      ? []
      : [
          `The user can run ${servers.join(' and ')}. While one runs, your commands reach it there, and its port is taken.`,
        ]),
  ].join(' ')
}

function setupText({ commands: { commands, approval }, state: { setup } }: Seen, isStart: boolean): string {
  const steps = commands.setup.map((command) => `\`${command}\``).join(', ')
  switch (setup.kind) {
    case 'ready':
      return `Your worktree is set up: ${steps === '' ? 'nothing was needed' : `${steps} ended well`}.`
    case 'failed':
      return `The set-up of your worktree failed${setup.command === null ? '' : ` in \`${setup.command}\``}: ${setup.error} What it installs may be missing. Do what you can without it, and say in your report what you could not check.`
    case 'skipped':
      return 'The user skipped the set-up of your worktree, so what it installs is missing.'
    case 'running':
      return `The set-up of your worktree (${steps}) still runs: what it installs may be missing. Begin with what needs none of it. A message tells you when it has ended.`
    case 'none':
      if (commands.setup.length === 0) return isStart ? 'Your worktree needs no set-up.' : ''
      return approval.state === 'approved'
        ? `The set-up of your worktree (${steps}) begins: what it installs may be missing. A message tells you when it has ended.`
        : 'Your worktree is not set up, because the user has not approved the commands for it. What they install is missing.'
  }
}
