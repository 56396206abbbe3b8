/**
 * Reads the program's environment variables, and prepares the environment of child processes. Called once, by
 * each composition root.
 */

import type { EnvironmentAccess } from '../shared/models/model-access.ts'
import { type RehearsalPace, rehearsalPaces } from '../shared/models/rehearsal-pace.ts'
import { coordinatorModeIn } from '../shared/teams/team.ts'
import type { CommandSources } from './platform/launch-options.ts'

export interface Environment {
  /** The folder for conversations and settings; null: the system's default. */
  readonly dataFolder: string | null
  readonly api: EnvironmentAccess
  readonly rehearsal: {
    /** Tokens per second, 0: no delay; or a named pace. Null: the shell's default. */
    readonly pace: number | RehearsalPace | null
    /** A scenario to play instead of the survey. */
    readonly scenarioFile: string | null
  }
  /** An agents folder with the highest precedence, in addition to the system's policy folders. */
  readonly managedAgents: string | null
  /** Makes a subagent without a type a fork, regardless of the settings. */
  readonly forkSubagents: boolean
  /** Whether new conversations are in coordinator mode; null: the settings decide. */
  readonly coordinatorMode: boolean | null
  /** `all`: the environment gives subagents all MCP tools; null: the settings decide. */
  readonly mcpToolsForSubagents: 'all' | null
  /** The pane of tmux that this program runs in, as tmux's own id; null: it does not run in tmux. */
  readonly tmuxPane: string | null
  /** The file for screenshots of the window. */
  readonly pictureFile: string | null
  /** In development: the URL of the server for the window's page. */
  readonly developmentServer: string | null
  /** The environment of commands, git, editors and terminals: without keys and Troupe's own variables. */
  readonly forChildren: Readonly<NodeJS.ProcessEnv>
  readonly forCommands: CommandSources
}

/** Variables that children must not see or have no use for. */
const hidden = /^(ANTHROPIC_|TROUPE_|ELECTRON_|NODE_OPTIONS$|NO_SANDBOX$|CHROME_DESKTOP$|ORIGINAL_XDG_)/

/** This program's own variables, which mean nothing to commands. */
const ownVariables = /^(TROUPE_|ELECTRON_|NO_SANDBOX$|CHROME_DESKTOP$|ORIGINAL_XDG_)/

/** The variables with keys. */
export const KEY_VARIABLES = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'] as const

/** The warning where the keys could not be erased from the environment that the program started with. */
export const KEY_READABLE =
  'The API key could not be erased from the environment of this process, so commands of agents can read it there. Allow only commands that you know.'

/**
 * Reads the environment, and deletes the keys from it, so that no child can inherit them by accident.
 *
 * @param environment `process.env`; keys are deleted from it
 */
export function readEnvironment(environment: NodeJS.ProcessEnv): Environment {
  const text = (name: string): string | null => {
    const value = environment[name]?.trim()
    return value === undefined || value === '' ? null : value
  }
  const given: Environment = {
    dataFolder: text('TROUPE_HOME'),
    api: {
      key: text('ANTHROPIC_API_KEY'),
      authToken: text('ANTHROPIC_AUTH_TOKEN'),
      baseUrl: text('ANTHROPIC_BASE_URL'),
    },
    rehearsal: { pace: paceOf(text('TROUPE_REHEARSAL_PACE')), scenarioFile: text('TROUPE_SCENARIO') },
    managedAgents: text('TROUPE_MANAGED_AGENTS'),
    forkSubagents: ['TROUPE_FORK_SUBAGENT', 'CLAUDE_CODE_FORK_SUBAGENT'].some((name) => isOn(text(name))),
    coordinatorMode: coordinatorModeIn(environment),
    mcpToolsForSubagents: isOn(text('CLAUDE_CODE_ALLOW_MCP_TOOLS_FOR_SUBAGENTS')) ? 'all' : null,
    tmuxPane: text('TMUX') === null ? null : text('TMUX_PANE'),
    pictureFile: text('TROUPE_PICTURE_FILE'),
    developmentServer: text('ELECTRON_RENDERER_URL'),
    forChildren: Object.fromEntries(Object.entries(environment).filter(([name]) => !hidden.test(name))),
    forCommands: { exported: withoutOwn(environment), ofSettings: {} },
  }
  for (const name of KEY_VARIABLES) delete environment[name]
  return given
}

/**
 * The environment with the variables of the user's settings files (`env`). The environment itself counts first.
 * Variables that say where the settings are, and those for development, count only from the environment.
 */
export function withVariables(given: Environment, variables: Readonly<Record<string, string>>): Environment {
  const other = readEnvironment({ ...variables })
  const isKeyed = given.api.key !== null || given.api.authToken !== null
  return {
    ...given,
    api: {
      key: isKeyed ? given.api.key : other.api.key,
      authToken: isKeyed ? given.api.authToken : other.api.authToken,
      baseUrl: given.api.baseUrl ?? other.api.baseUrl,
    },
    forkSubagents: given.forkSubagents || other.forkSubagents,
    coordinatorMode: given.coordinatorMode ?? other.coordinatorMode,
    forChildren: { ...other.forChildren, ...given.forChildren },
    forCommands: { ...given.forCommands, ofSettings: withoutOwn(variables) },
  }
}

/** What agents' commands may get. */
function withoutOwn<T extends string | undefined>(variables: Readonly<Record<string, T>>): Record<string, T> {
  const isKey = (name: string) => KEY_VARIABLES.some((key) => key === name)
  return Object.fromEntries(
    Object.entries(variables).filter(([name]) => !isKey(name) && !ownVariables.test(name)),
  )
}

const isOn = (text: string | null): boolean => text !== null && /^(1|true|yes|on)$/i.test(text)

function paceOf(text: string | null): number | RehearsalPace | null {
  const named = rehearsalPaces.find((name) => name === text)
  if (named !== undefined) return named
  const pace = text === null ? Number.NaN : Number(text)
  return Number.isFinite(pace) && pace >= 0 ? pace : null
}
