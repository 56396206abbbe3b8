/** The planning data that all agents of one conversation share. */
import { noLimits } from '../../../shared/events/agent-event.ts'
import type { ConversationRecord } from '../../../shared/events/conversation.ts'
import { folderPolicy } from '../definitions/permissions-text.ts'
import type { ProgramPaths } from '../definitions/program-paths.ts'
import { parseRules } from '../permissions/permission-rule.ts'
import type { FolderFacts, GitState, LoadedDefinition, Ports } from '../ports.ts'
import type { FolderCatalog } from './agent-tools.ts'
import type { ToolSituation } from './left-out-tools.ts'
import type { PlanDeps } from './plan-agent.ts'
import { loadCatalog, surroundingsOf } from './spawn-surroundings.ts'

interface SpawnContextOptions {
  readonly conversationId: string
  readonly folder: string
  readonly ports: Ports
  readonly programPaths: ProgramPaths
  readonly planDeps: Omit<PlanDeps, 'situation'>
  record(): Pick<ConversationRecord, 'teams' | 'coordinator'>
}

/** Folders below the conversation's folder in which notebooks are looked for: a home folder is large. */
const DEEPEST_NOTEBOOK = 6

async function hasNotebooks(folder: string, { search }: Pick<Ports, 'search'>): Promise<boolean> {
  const found = await search.first(
    {
      path: folder,
      hidden: false,
      ignored: false,
      filters: ['--glob=*.ipynb', `--max-depth=${DEEPEST_NOTEBOOK}`],
      passes: () => true,
    },
    new AbortController().signal,
  )
  return found.ok && found.value !== null
}

export class SpawnContext {
  readonly planDeps: PlanDeps
  private readonly options: SpawnContextOptions
  /** Read once, so that siblings share one cached prefix. */
  private facts: Promise<FolderFacts> | null = null
  private notebooks: Promise<boolean> | null = null
  /** As `situate` read them last. */
  private situation: Pick<ToolSituation, 'hasNotebooks' | 'deny' | 'allow'> = {
    hasNotebooks: false,
    deny: [],
    allow: [],
  }

  constructor(options: SpawnContextOptions) {
    this.options = options
    this.planDeps = { ...options.planDeps, situation: () => this.situationNow() }
  }

  /** Reads what decides which tools are of use: rules change while agents run, notebooks are looked for once. */
  async situate(): Promise<void> {
    const { folder, ports } = this.options
    this.notebooks ??= hasNotebooks(folder, ports)
    const [{ deny, allow }, found] = await Promise.all([ports.rules.of(folder), this.notebooks])
    const { home } = ports.policy.ownPaths
    this.situation = { hasNotebooks: found, deny: parseRules(deny, home), allow: parseRules(allow, home) }
  }

  /** An agent has read or written a notebook: agents that start from here on can change notebooks. */
  noteNotebook(): void {
    this.notebooks = Promise.resolve(true)
  }

  private situationNow(): ToolSituation {
    const { folder, ports, record } = this.options
    const { teams, coordinator } = record()
    return {
      ...this.situation,
      attended: ports.policy.attended,
      trusted: ports.policy.trusted(folder),
      bypassAllowed: ports.policy.bypassAllowed(folder),
      coordinator,
      hasTeam: teams.some(({ endedAt }) => endedAt === null),
    }
  }

  catalog(): Promise<FolderCatalog> {
    return loadCatalog(this.options.folder, this.options.ports)
  }

  /** For a main agent's prompt. Null: there is no repository, the user does not trust it, or git failed. */
  async gitState(folder: string): Promise<GitState | null> {
    const { ports } = this.options
    this.facts ??= ports.folders.facts(this.options.folder)
    const { isRepository } = await this.facts
    const { trusted } = folderPolicy(this.options.folder, ports)
    return trusted && isRepository ? ports.folders.gitState(folder) : null
  }

  /** Whether agents can have worktrees: the user trusts the folder, and it is in a repository. */
  async hasWorktrees(): Promise<boolean> {
    const { folder, ports } = this.options
    this.facts ??= ports.folders.facts(folder)
    return ports.policy.trusted(folder) && (await this.facts).isRepository
  }

  /** The plan's input that a spawn does not set itself. */
  async planInput(definition: LoadedDefinition, catalog: FolderCatalog) {
    const { conversationId, folder, ports, programPaths } = this.options
    this.facts ??= ports.folders.facts(folder)
    // An untrusted folder runs no commands.
    const sandbox = ports.policy.trusted(folder) ? ports.sandbox?.policy(folder) : null
    const serverProblems = (await ports.outsideTools?.need(folder, definition)) ?? []
    await Promise.all([sandbox, this.situate()])
    return {
      serverProblems,
      ...(await surroundingsOf(definition, { folder, catalog, programPaths }, ports)),
      conversationId,
      fork: null,
      background: false,
      name: null,
      limits: noLimits,
      folder,
      worktree: null,
      facts: await this.facts,
      gitState: null,
      policy: folderPolicy(folder, ports),
      date: new Date(ports.clock.now()).toISOString().slice(0, 10),
    }
  }
}
