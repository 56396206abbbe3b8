/** What the plans of all agents of a conversation have in common: agents, skills, memory, and facts about the folder. */
import { noLimits } from '../../../shared/events/agent-event.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { KnownFolder } from '../conversation/shared-state.ts'
import { folderPolicy } from '../definitions/permissions-text.ts'
import { type ProgramPaths, readsDocs, withProgramPaths } from '../definitions/program-paths.ts'
import { parseRules } from '../permissions/permission-rule.ts'
import type {
  AgentMemory,
  FolderFacts,
  GitState,
  LoadedDefinition,
  LoadedSkill,
} from '../ports/definitions.ts'
import type { Ports } from '../ports/ports.ts'
import type { FolderCatalog } from './agent-tools.ts'
import type { PlanDeps } from './plan-agent.ts'

/** The tools, models and limits that plans of the conversation use, as they are at each call. */
export function planDepsOf({ ports, tools, file, knownFolder }: Conversation): PlanDeps {
  const { policy, models } = ports
  const { folder } = file.record
  return {
    models,
    toolNames: knownFolder.toolNames,
    tools: () => tools.all(),
    maxDepth: () => policy.maxDepth,
    coordinator: () => file.record.coordinator,
    mcpToolsForSubagents: () => policy.mcpToolsForSubagents,
    situation: () => {
      const trusted = policy.trusted(folder)
      return {
        ...knownFolder.situation,
        attended: policy.attended,
        trusted,
        bypassAllowed: policy.bypassAllowed(folder, trusted),
        coordinator: file.record.coordinator,
        hasTeam: file.record.teams.some(({ endedAt }) => endedAt === null),
      }
    },
  }
}

/** Folders below the conversation's folder in which notebooks are looked for: a home folder is large. */
const DEEPEST_NOTEBOOK = 6

/** Whether there is a notebook in the folder or a few levels below. */
export async function hasNotebooks(folder: string, { search }: Pick<Ports, 'search'>): Promise<boolean> {
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

/** Reads what decides which tools are of use: rules change while agents run, notebooks are looked for once. */
export async function situate({ knownFolder, file, ports }: Conversation): Promise<void> {
  const { folder } = file.record
  knownFolder.notebooks ??= hasNotebooks(folder, ports)
  const [rules, found] = await Promise.all([rulesIn(folder, ports), knownFolder.notebooks])
  knownFolder.situation = { hasNotebooks: found, ...rules }
}

/** The user's rules that allow and deny in a folder. */
export async function rulesIn(folder: string, { rules, policy }: Pick<Ports, 'rules' | 'policy'>) {
  const { deny, allow } = await rules.of(folder)
  const { home } = policy.ownPaths
  return { deny: parseRules(deny, home), allow: parseRules(allow, home) }
}

/** An agent has read or written a notebook: agents that start from here on can change notebooks. */
export function noteNotebook({ knownFolder }: { readonly knownFolder: KnownFolder }): void {
  knownFolder.notebooks = Promise.resolve(true)
}

function factsOf({ knownFolder, ports, file }: Conversation): Promise<FolderFacts> {
  knownFolder.facts ??= ports.folders.facts(file.record.folder)
  return knownFolder.facts
}

/** For a main agent's prompt. Null: there is no repository, the user does not trust it, or git failed. */
export async function gitStateOf(conversation: Conversation, folder: string): Promise<GitState | null> {
  const { ports, file } = conversation
  const { isRepository } = await factsOf(conversation)
  const { trusted } = folderPolicy(file.record.folder, ports)
  return trusted && isRepository ? ports.folders.gitState(folder) : null
}

/** Whether agents can have worktrees: the user trusts the folder, and it is in a repository. */
export async function hasWorktrees(conversation: Conversation): Promise<boolean> {
  const facts = factsOf(conversation)
  return conversation.ports.policy.trusted(conversation.file.record.folder) && (await facts).isRepository
}

/** The plan's input that a spawn does not set itself. */
export async function planInputOf(
  conversation: Conversation,
  definition: LoadedDefinition,
  catalog: FolderCatalog,
) {
  const { id: conversationId, ports, assembly, file, agents } = conversation
  const { folder, test } = file.record
  // What a test case allows and denies counts for all agents of the attempt.
  const { allowed, deniedToAll } = (test && agents.main?.state().definition.rules) || {}
  const facts = factsOf(conversation)
  // An untrusted folder runs no commands.
  const sandbox = ports.policy.trusted(folder) ? ports.sandbox?.policy(folder) : null
  const serverProblems = (await ports.serverTools?.need(folder, definition)) ?? []
  await Promise.all([sandbox, situate(conversation)])
  return {
    serverProblems,
    ...(await surroundingsOf(definition, { folder, catalog, programPaths: assembly.programPaths }, ports)),
    conversationId,
    ...(allowed && { allowed }),
    ...(deniedToAll && { deniedToAll }),
    fork: null,
    background: false,
    name: null,
    limits: noLimits,
    folder,
    worktree: null,
    facts: await facts,
    gitState: null,
    policy: folderPolicy(folder, ports),
    date: new Date(ports.clock.now()).toISOString().slice(0, 10),
  }
}

type SurroundingsPorts = Pick<Ports, 'definitions' | 'skills' | 'policy' | 'files' | 'memory'>

/** The agents and skills of the conversation's folder at this moment. */
export const catalogOf = ({ file, ports }: Conversation): Promise<FolderCatalog> =>
  loadFolderCatalog(file.record.folder, ports)

/** The agents and skills of a folder at this moment. */
export async function loadFolderCatalog(folder: string, ports: SurroundingsPorts): Promise<FolderCatalog> {
  const options = { trusted: ports.policy.trusted(folder) }
  const [{ definitions, problems }, skills] = await Promise.all([
    ports.definitions.load(folder, options),
    ports.skills.list(folder, options),
  ])
  return { definitions, skills, refused: problems.filter(({ refuses }) => refuses !== undefined) }
}

interface SpawnSurroundings {
  /** With the program's paths filled into its prompt. */
  readonly definition: LoadedDefinition
  /** The agents and skills that it can start. */
  readonly catalog: FolderCatalog
  readonly skills: readonly LoadedSkill[]
  /** Skills that the definition names and that do not exist. */
  readonly missingSkills: readonly string[]
  readonly readFolders: readonly string[]
  readonly memory: AgentMemory
}

async function surroundingsOf(
  definition: LoadedDefinition,
  {
    folder,
    catalog,
    programPaths,
  }: { readonly folder: string; readonly catalog: FolderCatalog; readonly programPaths: ProgramPaths },
  ports: SurroundingsPorts,
): Promise<SpawnSurroundings> {
  const options = { trusted: ports.policy.trusted(folder) }
  const names = [...new Set(definition.skills)]
  const [memory, ...loaded] = await Promise.all([
    ports.memory.load(folder, definition, options),
    ...names.map((name) => ports.skills.load(folder, name, options)),
  ])
  const skills = loaded.filter((skill) => skill !== null)
  const docs = readsDocs(definition) && programPaths.docsFolder !== null ? [programPaths.docsFolder] : []
  const own = memory.folder === null ? [] : [memory.folder]
  const folders = [...skills.map((skill) => skill.folder), ...docs, ...own]
  const real = await Promise.all(folders.map((path) => ports.files.realPath(path)))
  return {
    definition: withProgramPaths(definition, programPaths),
    catalog,
    skills,
    missingSkills: names.filter((_, index) => loaded[index] === null),
    memory,
    readFolders: real.flatMap((path) => (path.ok ? [path.value] : [])),
  }
}
