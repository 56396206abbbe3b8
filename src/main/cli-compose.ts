/** Composes the program for a command of the command line. */
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Settings } from '../shared/settings/settings.ts'
import { type CommandLineRoot, complain } from './cli-root.ts'
import { KEY_READABLE } from './environment.ts'
import type { GivenAgents } from './features/definitions/command-line/parse-agents.ts'
import { eraseProviderKeys } from './features/models/erase-provider-keys.ts'
import type { RunRules } from './features/run/run-rules.ts'
import type { SettingsStore } from './features/settings/settings-store.ts'
import { readUserSettings } from './features/settings/user-settings.ts'
import type { ComposeForJob } from './features/workers/command-line/worker-command.ts'
import type { ComposedRuntime } from './features.ts'
import type { WorkerProgram } from './platform/launch-options.ts'
import { realFolderOf } from './platform/system/real-folder.ts'

/** The settings of this run. A command may trust or mark further folders for it. */
export type RunSettings = Omit<Settings, 'trustedFolders' | 'bypassFolders'> & {
  readonly trustedFolders: string[]
  readonly bypassFolders: string[]
}

export interface Composition {
  /** Folders to trust for this run, in addition to those of the settings. */
  readonly trusted: readonly string[]
  /** Folders to mark for bypassPermissions for this run, in addition to those of the settings. */
  readonly marked?: readonly string[]
  /** Files with MCP servers for this run. Absolute. */
  readonly mcpConfig?: readonly string[]
  /** MCP servers that an editor gave for a folder. */
  readonly mcpServersOf?: (folder: string) => Readonly<Record<string, object>>
  /** Whether a user answers permission requests. By default only the program of a worker's job has one. */
  readonly attended?: boolean
  readonly rules?: RunRules
  readonly scenarioFile: string | null
  readonly agents?: GivenAgents
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
  composition: Composition,
  work: (composed: ComposedRun) => Promise<number>,
): Promise<number> {
  const composed = await compose(root, composition)
  try {
    return await work(composed)
  } finally {
    await composed.program.close()
  }
}

/** The caller closes the program. */
export async function compose(root: CommandLineRoot, composition: Composition): Promise<ComposedRun> {
  const {
    trusted,
    marked = [],
    rules,
    mcpConfig = [],
    mcpServersOf,
    attended,
    scenarioFile,
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
    settings: { current: settings },
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

/** How this program starts a worker: as itself. */
function workerProgram({ given, dataFolder }: CommandLineRoot): WorkerProgram {
  const script = process.argv[1] ?? fileURLToPath(import.meta.url)
  return {
    command: [process.execPath, ...process.execArgv, script],
    environment: {
      ...given.forChildren,
      TROUPE_HOME: dataFolder,
      ...(given.managedAgents !== null && { TROUPE_MANAGED_AGENTS: given.managedAgents }),
    },
    tmux: given.tmuxPane !== null,
  }
}
