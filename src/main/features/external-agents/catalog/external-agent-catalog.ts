/** The external agents that Troupe knows: their state, and the definitions of those that the user uses. */
import { realpath } from 'node:fs/promises'
import {
  isNewer,
  type KnownPrograms,
  type ProgramCheck,
  type ProgramId,
  type ProgramOffer,
  type ProgramState,
} from '../../../../shared/external-agents/known-program.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { Settings, SettingsPatch } from '../../../../shared/settings/settings.ts'
import type { Clock } from '../../../runtime/ports/ports.ts'
import { agentEnvironment } from '../backing/agent-environment.ts'
import { checkProgram } from './check-program.ts'
import {
  type FoundProgram,
  findKnownProgram,
  type ProgramsOnDisk,
  type SearchOptions,
} from './find-programs.ts'
import { KNOWN_PROGRAMS, type KnownProgram } from './known-programs.ts'
import type { Npm } from './npm.ts'
import { createProgramInstaller, type ProgramInstaller } from './program-installer.ts'
import {
  isInProject,
  nodeProblem,
  type ProgramStartOptions,
  partnerNote,
  programDefinition,
  programStartOf,
} from './program-start.ts'
import { ProgramWorks } from './program-work.ts'

interface ExternalAgentCatalogOptions extends SearchOptions, ProgramStartOptions {
  readonly settings: {
    readonly current: Pick<Settings, 'programs' | 'mainAgent'>
    change?(patch: SettingsPatch): Promise<Result<unknown>>
  }
  readonly npm: Npm
  readonly clock: Clock
  /** The variables that each program gets. */
  readonly environment: Readonly<Record<string, string>>
  /** Default: those of known-programs.ts. */
  readonly known?: readonly KnownProgram[]
}

/** The programs as agents. */
interface ProgramDefinitions {
  /**
   * The texts of the definitions by file name. Programs inside the project are left out: a project must not choose what
   * is started.
   *
   * @param project the project's root, links resolved
   */
  definitions(project: string): Promise<Readonly<Record<string, string>>>
  /** @returns the function that stops watching */
  watch(changed: () => void): () => void
}

export interface ExternalAgentCatalog extends KnownPrograms {
  readonly agents: ProgramDefinitions
  /** Ends what runs. */
  close(): Promise<void>
}

export function createExternalAgentCatalog(options: ExternalAgentCatalogOptions): ExternalAgentCatalog {
  return new Catalog(options)
}

class Catalog implements ExternalAgentCatalog {
  readonly agents: ProgramDefinitions = {
    definitions: (project) => this.definitions(project),
    watch: (changed) => {
      this.agentListeners.add(changed)
      return () => this.agentListeners.delete(changed)
    },
  }
  private readonly options: ExternalAgentCatalogOptions
  private readonly known: readonly KnownProgram[]
  private readonly installer: ProgramInstaller
  private readonly works = new ProgramWorks(() => this.tell())
  private readonly listeners = new Set<(programs: readonly ProgramState[]) => void>()
  private readonly agentListeners = new Set<() => void>()
  /** The version of the last offer. */
  private readonly offered = new Map<ProgramId, string>()
  private looked: Promise<ReadonlyMap<ProgramId, ProgramsOnDisk>> | null = null

  constructor(options: ExternalAgentCatalogOptions) {
    this.options = options
    this.known = options.known ?? KNOWN_PROGRAMS
    this.installer = createProgramInstaller(options)
  }

  async list({ again = false } = {}): Promise<readonly ProgramState[]> {
    if (again) this.looked = null
    return Promise.all(this.known.map((each) => this.stateOf(each)))
  }

  watch(changed: (programs: readonly ProgramState[]) => void): () => void {
    this.listeners.add(changed)
    return () => this.listeners.delete(changed)
  }

  async use(id: ProgramId, used: boolean): Promise<Result<void>> {
    const program = this.programOf(id)
    if (used && bestOf(await this.found(id)) === null) return fail(notInstalled(program))
    const { settings } = this.options
    if (settings.change === undefined)
      return fail({ type: 'not-saved', message: 'The settings can’t be changed here.' })
    const changed = await settings.change({
      programs: { ...settings.current.programs, [id]: used },
      ...(!used && settings.current.mainAgent === id && { mainAgent: null }),
    })
    if (!changed.ok) return changed
    await this.agentsChanged()
    return ok(undefined)
  }

  offer(id: ProgramId): Promise<Result<ProgramOffer>> {
    const program = this.programOf(id)
    return this.works.during(program, 'offer', async ({ signal }) => {
      const { own } = await this.found(id)
      const offered = await this.installer.offer(program, own?.version ?? null, signal)
      if (!offered.ok) return offered
      const { node, ...offer } = offered.value
      this.offered.set(id, offer.version)
      const needed = { ...program, node: Math.max(program.node ?? 0, node ?? 0) || null }
      const problem = await nodeProblem(needed, null, this.options.nodes)
      return ok({ ...offer, problem: problem ?? offer.problem })
    })
  }

  async install(id: ProgramId, version: string): Promise<Result<void>> {
    const program = this.programOf(id)
    const expected = this.offered.get(id) ?? program.version
    if (version !== expected)
      return fail({
        type: 'moved',
        message: `Troupe installs version ${expected} of ${program.title} now, not ${version}. Look at the offer again.`,
      })
    const kind = (await this.found(id)).own === null ? 'install' : 'update'
    const installed = await this.works.during(program, kind, (work) =>
      this.installer.install({ ...program, version }, work),
    )
    if (!installed.ok) return installed
    const { settings } = this.options
    // Who installs it wants to use it, also after it was turned off once.
    if (kind === 'install' && settings.current.programs[id] === false)
      await settings.change?.({ programs: { ...settings.current.programs, [id]: true } })
    await this.agentsChanged()
    return installed
  }

  cancel(id: ProgramId): void {
    this.works.cancel(id)
  }

  async remove(id: ProgramId): Promise<Result<void>> {
    const program = this.programOf(id)
    const removed = await this.works.during(program, 'remove', async () => {
      const { own, onPath } = await this.found(id)
      if (own !== null) return this.installer.remove(program)
      if (onPath[0] === undefined) return fail(notInstalled(program))
      return fail({
        type: 'not-here',
        message: `Troupe did not install ${program.title} (${onPath[0].file}), so it does not remove it. To keep it out of the agents, turn it off instead.`,
      })
    })
    if (!removed.ok) return removed
    await this.agentsChanged()
    const { settings } = this.options
    // What was removed can’t begin the next conversation. Another one of this name may be on PATH.
    if (settings.current.mainAgent === id && !(await this.stateOf(program)).isUsed)
      await settings.change?.({ mainAgent: null })
    return removed
  }

  check(id: ProgramId): Promise<Result<ProgramCheck>> {
    const program = this.programOf(id)
    return this.works.during(program, 'check', async ({ signal }) => {
      const best = bestOf(await this.found(id))
      if (best === null) return fail(notInstalled(program))
      const { nodes, environment, variables, clock } = this.options
      const start = await programStartOf(program, best, this.options)
      if (start === null)
        return fail({ type: 'no-node', message: (await nodeProblem(program, best, nodes)) ?? '' })
      const env = agentEnvironment(start, variables, environment)
      if (!env.ok) return env
      const { title } = program
      const checked = await checkProgram({ title, start, environment: env.value, clock, signal })
      return checked.ok ? ok({ id, ...checked.value }) : checked
    })
  }

  close(): Promise<void> {
    return this.works.close()
  }

  private async definitions(project: string): Promise<Readonly<Record<string, string>>> {
    const real = await realpath(project).catch(() => project)
    const isOfProject = (each: FoundProgram) => isInProject(project, each) || isInProject(real, each)
    const texts = await Promise.all(
      this.known.map(async (program): Promise<readonly [string, string][]> => {
        const { own, onPath } = await this.found(program.id)
        const best = own ?? onPath.find((each) => !isOfProject(each)) ?? null
        if (best === null || !this.isUsed(program.id, best)) return []
        const start = await programStartOf(program, best, this.options)
        return start === null ? [] : [[`${program.id}.md`, programDefinition(program, start)]]
      }),
    )
    return Object.fromEntries(texts.flat())
  }

  private async found(id: ProgramId): Promise<ProgramsOnDisk> {
    this.looked ??= this.look()
    return (await this.looked).get(id) ?? NOTHING
  }

  private async look(): Promise<ReadonlyMap<ProgramId, ProgramsOnDisk>> {
    await this.installer.clean()
    const found = this.known.map(
      async (each) => [each.id, await findKnownProgram(each, this.options)] as const,
    )
    return new Map(await Promise.all(found))
  }

  private async stateOf(program: KnownProgram): Promise<ProgramState> {
    const { id, title, maker, about, version, login, lacks } = program
    const here = await this.found(id)
    const best = bestOf(here)
    return {
      ...{ id, title, maker, about, login, lacks },
      package: program.package,
      pinned: version,
      place: best?.place ?? 'none',
      file: best?.file ?? null,
      version: best?.version ?? null,
      isUsed: best !== null && this.isUsed(id, best),
      update: newerOf(here.own?.version ?? null, [version, this.offered.get(id)]),
      problem: await nodeProblem(program, best, this.options.nodes),
      note: best === null ? partnerNote(program, here.partner) : null,
      work: this.works.shown(id),
    }
  }

  private isUsed(id: ProgramId, { place }: FoundProgram): boolean {
    return this.options.settings.current.programs[id] ?? place === 'own'
  }

  private programOf(id: ProgramId): KnownProgram {
    const program = this.known.find((each) => each.id === id)
    if (program === undefined) throw new Error(`There is no program ${id}.`)
    return program
  }

  private async tell(): Promise<void> {
    const programs = await this.list()
    for (const listener of this.listeners) listener(programs)
  }

  private async agentsChanged(): Promise<void> {
    this.looked = null
    for (const changed of this.agentListeners) changed()
    await this.tell()
  }
}

/** The newest of the versions, if it is newer than the installed one. */
function newerOf(installed: string | null, versions: readonly (string | undefined)[]): string | null {
  if (installed === null) return null
  return versions.reduce<string | null>(
    (best, one) => (one !== undefined && isNewer(one, best ?? installed) ? one : best),
    null,
  )
}

const NOTHING: ProgramsOnDisk = { own: null, onPath: [], partner: null }

const bestOf = ({ own, onPath }: ProgramsOnDisk): FoundProgram | null => own ?? onPath[0] ?? null

const notInstalled = ({ title }: KnownProgram) => ({
  type: 'not-here',
  message: `${title} is not installed. Install it first.`,
})
