/** What a program is composed from: its places, the user's settings, and the options of this start. */

import type { Result } from '../../shared/kernel/result.ts'
import type { RehearsalPace } from '../../shared/models/rehearsal-pace.ts'
import type { Settings, SettingsPatch } from '../../shared/settings/settings.ts'
import type { SharedLimits } from '../runtime/ports/ports.ts'
import type { TaskBoard } from '../runtime/ports/task-board.ts'

export interface ProgramLaunch {
  /** Absolute; created on the first write. */
  readonly dataFolder: string
  /** The user's home folder. */
  readonly home: string
  /** The environment for commands; secrets are filtered out. */
  readonly environment: Readonly<NodeJS.ProcessEnv>
  /** What commands get beyond that: everything that the user exported, and `env` of the settings. */
  readonly forCommands?: CommandSources
  /** Keys of the user that this start was given, beside its access to a model. They never leave the program. */
  readonly keys?: readonly string[]
  /** Read again whenever a setting matters. */
  readonly settings: {
    readonly current: Settings
    change?(patch: SettingsPatch): Promise<Result<Settings>>
  }
  /** The folder of the built-in agents. */
  readonly agentsFolder: string
  /** Definitions from the command line: JSON by name, and absolute paths. */
  readonly commandLineAgents?: { readonly json: string | null; readonly files: readonly string[] }
  /** Permission rules from the command line, which are not saved. */
  readonly rules?: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** An administrator's agents folder, in addition to the system's own. */
  readonly managedAgents?: string | null
  /** An administrator's settings files, the strongest first; by default those of this platform. */
  readonly managedSettings?: readonly string[]
  /** The program's docs, which the guide agent reads. */
  readonly docsFolder: string
  readonly rehearsal: RehearsalOptions
  /** Opens an address in the user's browser. Missing: the address is reported, for the user to open. */
  readonly openBrowser?: (url: URL) => void | Promise<void>
  /** Whether a model may name new conversations, as the setting says: where a list shows them. */
  readonly showsTitles?: boolean
  /** Replaces the setting for this run. */
  readonly mcpToolsForSubagents?: Settings['mcpToolsForSubagents']
  /** Files with MCP servers from the command line. Absolute. */
  readonly mcpConfig?: readonly string[]
  /** MCP servers by name that the user's editor gave for a folder. Read again whenever a folder is. */
  readonly mcpServersOf?: (folder: string) => Readonly<Record<string, object>>
  /** How this program starts worker processes; missing: it can't. */
  readonly workerProgram?: WorkerProgram
  /** The folder for conversations, if they are not in the data folder: those of a worker. Absolute. */
  readonly conversationsFolder?: string
  /** The task lists, if they are not in the data folder. */
  readonly tasks?: TaskBoard
  /** Rate limits that a worker shares with others; otherwise those of the NATS server in the settings. */
  readonly limits?: SharedLimits
  /** Makes a subagent without a type a fork, regardless of the settings. */
  readonly forkSubagents?: boolean
  /** Whether a user answers permission requests. True by default. */
  readonly attended?: boolean
  /** Plugins that the user's settings turn off, by name. */
  readonly turnedOffPlugins?: readonly string[]
  /** The shell command that prints the API key for an access without a key. */
  readonly apiKeyHelper?: string | null
  /** Replaces the setting for this run. */
  readonly verification?: Settings['verification']
  /** Called with problems outside the agents' work: an unreadable file, a repaired log. */
  readonly onProblem?: (message: string, about?: 'sandbox') => void
}

/** Where the variables of commands come from; neither has this program's keys. */
export interface CommandSources {
  /** All that the user exported. */
  readonly exported: Readonly<NodeJS.ProcessEnv>
  /** `env` of the user's settings files. */
  readonly ofSettings: Readonly<Record<string, string>>
}

/** The model that a script plays. */
export interface RehearsalOptions {
  /** Tokens per second, 0: no delay; or a named pace. A function is asked again during each reply. */
  readonly pace: number | RehearsalPace | (() => RehearsalPace)
  /** A scenario to play instead of the survey. */
  readonly scenarioFile: string | null
}

/** How this program starts itself as a worker. */
export interface WorkerProgram {
  /** The program and its arguments before the verb. */
  readonly command: readonly [string, ...string[]]
  /** The environment of the process. It must not contain a key. */
  readonly environment: Readonly<NodeJS.ProcessEnv>
  /** Whether this program runs inside tmux. */
  readonly tmux: boolean
}
