/** Finds the forge of a remote, and the program that Troupe asks about its pull requests. */
import type { Forge, ForgeKind } from '../../../shared/pull-requests/pull-request.ts'
import type { ForgeDriver } from './forge-driver.ts'
import { createForgeProgram, type ForgeProgram, type ProgramName } from './forge-program.ts'
import { forgeKindOf, type HostedRepository, type RemoteAddress } from './remote-address.ts'

export interface FoundForge {
  readonly forge: Forge
  readonly repository: HostedRepository
  /** Null: pull requests are made on the forge's page. */
  readonly driver: ForgeDriver | null
}

/** @returns null for a folder: it has no forge */
export type FindForge = (address: RemoteAddress) => Promise<FoundForge | null>

/** ms for which the answer about an unknown host holds. */
const KEPT = 300_000

export function createForges(options: {
  /** Holds PATH, and where the programs have their logins. */
  readonly environment: Readonly<Record<string, string>>
  /** A folder without a repository. */
  readonly cwd: string
  readonly now: () => number
}): FindForge {
  const gh = createForgeProgram({ ...options, name: 'gh' })
  const glab = createForgeProgram({ ...options, name: 'glab' })
  const guesses = new Map<string, { readonly kind: ForgeKind; readonly at: number }>()

  /** A host whose name does not tell: the one of the programs that is logged in there knows. */
  async function guess(host: string): Promise<ForgeKind> {
    const known = guesses.get(host)
    if (known !== undefined && options.now() - known.at < KEPT) return known.kind
    const kind = (await gh.knows(host)) ? 'github' : (await glab.knows(host)) ? 'gitlab' : 'other'
    guesses.set(host, { kind, at: options.now() })
    return kind
  }

  return async (address) => {
    if (address.kind === 'folder') return null
    const { host, port, path } = address
    const repository = { host, port, path }
    const kind = forgeKindOf(host) ?? (await guess(host))
    const name = NAMES[kind] ?? host
    const program = kind === 'github' ? gh : kind === 'gitlab' ? glab : null
    const problem = problemOf({ kind, name, program, repository })
    const asked =
      problem === null && program !== null ? (kind === 'github' ? ('gh' as const) : ('glab' as const)) : null
    return {
      forge: { kind, name, host, program: asked, problem },
      repository,
      driver: asked === null || program === null ? null : await DRIVERS[asked](program, repository),
    }
  }
}

const NAMES: Partial<Readonly<Record<ForgeKind, string>>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  bitbucket: 'Bitbucket',
  gitea: 'Gitea',
}

type MakeDriver = (program: ForgeProgram, repository: HostedRepository) => Promise<ForgeDriver>

/** Loaded when one is needed: their schemas are large, and most starts of Troupe ask no forge. */
const DRIVERS: Readonly<Record<ProgramName, MakeDriver>> = {
  gh: async (program, repository) => (await import('./github.ts')).githubDriver(program, repository),
  glab: async (program, repository) => (await import('./gitlab.ts')).gitlabDriver(program, repository),
}

function problemOf({
  kind,
  name,
  program,
  repository,
}: {
  readonly kind: ForgeKind
  readonly name: string
  readonly program: ForgeProgram | null
  readonly repository: HostedRepository
}): string | null {
  if (program === null)
    return `Troupe reads pull requests of GitHub and GitLab. At ${name} you make and follow them in the browser.`
  const command = kind === 'github' ? 'gh' : 'glab'
  if (program.find() === null)
    return `${command} was not found. Install it and run ${command} auth login, and Troupe shows checks and comments. Until then you make pull requests in the browser.`
  if (kind === 'github' && (repository.path.length !== 2 || repository.port !== null))
    return `gh can’t reach ${name} at this address. You make and follow pull requests in the browser.`
  return null
}
