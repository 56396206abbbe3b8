/**
 * What the verbs of the command line run with: where things are, and the program composed for one command. Each feature
 * declares its verbs in its `verbs.ts`; cli.ts finds the one that is meant.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../shared/settings/settings.ts'
import { nearestName } from '../shared/tools/nearest-name.ts'
import { type Environment, KEY_READABLE } from './environment.ts'
import type { CommandLineAgents } from './features/definitions/command-line-agents.ts'
import type { Npm } from './features/external-agents/catalog/npm.ts'
import { eraseProviderKeys } from './features/models/erase-provider-keys.ts'
import type { RunRules } from './features/run/run-rules.ts'
import type { SettingsStore } from './features/settings/settings-store.ts'
import { readUserSettings, type UserSettings } from './features/settings/user-settings.ts'
import type { ComposeForJob } from './features/workers/command-line/worker-command.ts'
import type { ComposedRuntime } from './features.ts'
import { folderAt } from './platform/command-line/given-paths.ts'
import { complain, EXIT, type Spoken, spoken } from './platform/command-line/terminal.ts'
import { declareVerb, type Verb } from './platform/command-line/verb.ts'
import type { WorkerProgram } from './platform/launch-options.ts'
import { realFolderOf } from './platform/system/real-folder.ts'
import type { Clock, Ids } from './runtime/ports/ports.ts'

export interface CommandLineRoot {
  /** Absolute; created on the first write. */
  readonly dataFolder: string
  /** The user's home folder. */
  readonly home: string
  /** What the environment and the user's settings files give. */
  readonly given: Environment
  readonly userSettings: UserSettings
  /** The folder that holds `agents/`, `docs/` and package.json. */
  readonly programFolder: string
  readonly clock: Clock
  readonly ids: Ids
  /** ms, for durations. */
  readonly elapsed: () => number
}

/** Declares a verb of `troupe`. */
export const verb = declareVerb<CommandLineRoot>()

/** Verbs of `troupe`, in the order of the help. */
export type Verbs = readonly Verb<CommandLineRoot>[]

/** The version in the program's package.json. */
export async function programVersion({
  programFolder,
}: Pick<CommandLineRoot, 'programFolder'>): Promise<string> {
  const { version } = JSON.parse(await readFile(join(programFolder, 'package.json'), 'utf8')) as {
    version: string
  }
  return version
}

/**
 * What `troupe help` prints about a topic.
 * @returns null: there is no page of that name; a near name is `near`
 */
export async function helpPage(
  programFolder: string,
  topic: string,
): Promise<{ readonly text: string } | { readonly near: string } | null> {
  const folder = join(programFolder, 'docs', 'using')
  const names = (await readdir(folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => name.slice(0, -3))
  const read = (name: string) => readFile(join(folder, `${name}.md`), 'utf8')
  if (topic === 'topics') {
    const titles = await Promise.all(names.map(async (name) => [name, titleOf(await read(name))] as const))
    const width = Math.max(...names.map(({ length }) => length))
    return { text: titles.map(([name, title]) => `${name.padEnd(width)}  ${title}`).join('\n') }
  }
  const name = topic.replace(/\.md$/, '').replaceAll(' ', '-')
  if (names.includes(name)) return { text: (await read(name)).trimEnd() }
  const near = nearestName(name, names)
  return near === null ? null : { near }
}

const titleOf = (page: string): string => /^# (.+)$/m.exec(page)?.[1] ?? ''

/** The settings of this run. A command may trust or mark further folders for it. */
export type RunSettings = Omit<Settings, 'trustedFolders' | 'bypassFolders'> & {
  readonly trustedFolders: string[]
  readonly bypassFolders: string[]
}

/** What a command composes the program with. By default it has nothing of its own. */
export interface Composition {
  /** Folders to trust for this run, in addition to those of the settings. */
  readonly trusted?: readonly string[]
  /** Folders to mark for bypassPermissions for this run, in addition to those of the settings. */
  readonly marked?: readonly string[]
  /** Files with MCP servers for this run. Absolute. */
  readonly mcpConfig?: readonly string[]
  /** MCP servers that an editor gave for a folder. */
  readonly mcpServersOf?: (folder: string) => Readonly<Record<string, object>>
  /** Whether a user answers permission requests. By default only the program of a worker's job has one. */
  readonly attended?: boolean
  readonly rules?: RunRules
  readonly scenarioFile?: string | null
  readonly agents?: CommandLineAgents
  /** Set for the runtime of a worker's job. */
  readonly worker?: ComposeForJob | null
  /** Verifies the changes of this run, whatever the settings say. */
  readonly verify?: boolean
}

export interface ComposedRun {
  readonly program: ComposedRuntime
  readonly settings: RunSettings
  /** Saves a change of the settings. */
  readonly change: SettingsStore['change']
  /** Reads again which folders are trusted and marked: another program may have changed it a moment ago. */
  readonly readFolders: () => Promise<void>
}

/** Composes the program for one command, and closes it when the command has ended. @returns the exit code */
export async function withProgram(
  root: CommandLineRoot,
  options: { readonly json: boolean },
  work: (composed: ComposedRun & Spoken) => Promise<number>,
  composition: Composition = {},
): Promise<number> {
  const speech = spoken(options)
  const composed = await compose(root, composition)
  try {
    return await work({ ...composed, ...speech })
  } finally {
    await composed.program.close()
  }
}

/** What a command for a folder works with. */
export interface InFolder extends ComposedRun, Spoken {
  /** Real path. */
  readonly folder: string
  readonly trusted: boolean
}

/** As `withProgram`, for the folder that the command names, or the one it was called in. */
export async function inFolder(
  root: CommandLineRoot,
  options: { readonly cwd: string | null; readonly trust: boolean; readonly json: boolean },
  work: (composed: InFolder) => Promise<number>,
  composition: Composition = {},
): Promise<number> {
  const found = folderAt(options.cwd ?? '.')
  if (!found.ok) return complain(found.failure.message, EXIT.usage)
  const folder = found.value
  return await withProgram(
    root,
    options,
    (composed) => work({ ...composed, folder, trusted: composed.program.policy.trusted(folder) }),
    { trusted: options.trust ? [folder] : [], ...composition },
  )
}

/** What a command works with that needs the settings and not the runtime. */
export interface WithSettings extends Spoken {
  readonly settings: SettingsStore
  /** The environment of child processes. */
  readonly environment: Readonly<Record<string, string>>
  readonly npm: Npm
}

/** Loads the settings for one command, and closes them when it has ended. @returns the exit code */
export async function withSettings(
  { dataFolder, given, home }: CommandLineRoot,
  options: { readonly json: boolean },
  work: (context: WithSettings) => Promise<number>,
): Promise<number> {
  const speech = spoken(options)
  const [{ createSettingsStore }, { childEnvironment }, { composeNpm }] = await Promise.all([
    import('./features/settings/settings-store.ts'),
    import('./platform/shell/child-environment.ts'),
    import('./features/external-agents/feature.ts'),
  ])
  const settings = createSettingsStore({ file: join(dataFolder, 'settings.json') })
  try {
    for (const problem of await settings.load()) complain(problem, 0)
    const environment = childEnvironment(given.forChildren)
    const npm = composeNpm({ environment, variables: given.forChildren, home })
    return await work({ ...speech, settings, environment, npm })
  } finally {
    settings.close()
  }
}

/** Composes the program. The caller closes it. */
export async function compose(root: CommandLineRoot, composition: Composition): Promise<ComposedRun> {
  const {
    trusted = [],
    marked = [],
    rules,
    mcpConfig = [],
    mcpServersOf,
    attended,
    scenarioFile = null,
    agents = { json: null, files: [] },
    worker = null,
    verify = false,
  } = composition
  const { dataFolder, home, given, userSettings, programFolder } = root
  const [{ composeRuntime }, { createSettingsStore }] = await Promise.all([
    import('./features.ts'),
    import('./features/settings/settings-store.ts'),
  ])
  const store = createSettingsStore({
    file: join(dataFolder, 'settings.json'),
    below: userSettings.below,
    above: userSettings.above,
    others: { files: userSettings.files, read: () => readUserSettings({ dataFolder, home }) },
  })
  for (const problem of [...userSettings.problems, ...(await store.load())]) complain(problem, 0)
  if (!eraseProviderKeys(store.current.providers)) complain(KEY_READABLE, 0)
  const { trustedFolders, bypassFolders } = store.current
  const settings = {
    ...store.current,
    coordinatorMode: given.coordinatorMode ?? store.current.coordinatorMode,
    trustedFolders: [...trustedFolders, ...trusted.map((path) => realFolderOf(path) ?? path)],
    bypassFolders: [...bypassFolders, ...marked],
  }
  followFolders(store, settings)
  const program = await composeRuntime({
    dataFolder,
    home,
    environment: given.forChildren,
    forCommands: given.forCommands,
    keys: [given.api.key, given.api.authToken].filter((key) => key !== null),
    settings: { current: settings, change: store.change },
    agentsFolder: join(programFolder, 'agents'),
    ...(rules && { rules }),
    commandLineAgents: { json: agents.json, files: agents.files.map((file) => resolve(file)) },
    docsFolder: join(programFolder, 'docs'),
    managedAgents: given.managedAgents,
    mcpConfig,
    ...(mcpServersOf && { mcpServersOf }),
    ...(given.mcpToolsForSubagents && { mcpToolsForSubagents: given.mcpToolsForSubagents }),
    forkSubagents: given.forkSubagents,
    apiKeyHelper: userSettings.apiKeyHelper,
    turnedOffPlugins: userSettings.turnedOffPlugins,
    // The user of the program that sent the job answers a worker's requests.
    attended: attended ?? worker !== null,
    rehearsal: { pace: worker?.pace ?? given.rehearsal.pace ?? 0, scenarioFile },
    ...(worker === null
      ? { workerProgram: workerProgram(root) }
      : {
          conversationsFolder: worker.conversationsFolder,
          ...(worker.tasks && { tasks: worker.tasks }),
          ...(worker.limits && { limits: worker.limits }),
        }),
    ...(worker !== null
      ? { verification: 'off' as const }
      : verify
        ? { verification: 'always' as const }
        : {}),
    onProblem: (problem) => complain(problem, 0),
  })
  const readFolders = async () => {
    for (const problem of await store.load()) complain(problem, 0)
  }
  return { program, settings, change: store.change, readFolders }
}

/** Trust that is given or revoked elsewhere counts at once. Folders that this run added stay. */
function followFolders(store: SettingsStore, settings: RunSettings): void {
  let saved = store.current
  store.watch((current) => {
    settings.trustedFolders.splice(0, saved.trustedFolders.length, ...current.trustedFolders)
    settings.bypassFolders.splice(0, saved.bypassFolders.length, ...current.bypassFolders)
    saved = current
  })
}

/** The program and arguments that start this program again. */
export function ownCommand(): readonly [string, ...string[]] {
  const script = process.argv[1] ?? fileURLToPath(import.meta.url)
  return [process.execPath, ...process.execArgv, resolve(script)]
}

/** How this program starts a worker: as itself. */
function workerProgram({ given, dataFolder }: CommandLineRoot): WorkerProgram {
  return {
    command: ownCommand(),
    environment: {
      ...given.forChildren,
      TROUPE_HOME: dataFolder,
      // The command line of a desktop package is run by Electron, which is Node with this variable.
      ...(process.versions['electron'] !== undefined && { ELECTRON_RUN_AS_NODE: '1' }),
      ...(given.managedAgents !== null && { TROUPE_MANAGED_AGENTS: given.managedAgents }),
    },
    tmux: given.tmuxPane !== null,
  }
}
