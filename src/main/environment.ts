/**
 * What the program was started with: reads its environment variables, prepares the environment of child processes, and
 * reads the command line of the desktop. Called once, by each composition root.
 */
import { resolve } from 'node:path'
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

interface StartedWith {
  readonly argv: readonly string[]
  /** Electron was started with the program's folder: `electron . [FOLDER]`. */
  readonly isDefaultApp: boolean
  readonly cwd: string
}

interface StartArguments {
  /** Absolute, or null. */
  readonly folder: string | null
  /** Permission rules until the program ends, as given. */
  readonly rules: { readonly allow: readonly string[]; readonly deny: readonly string[] }
  /** Files with MCP servers until the program ends. Absolute. */
  readonly mcpConfig: readonly string[]
  /** An option without a value, such as `--deny` at the end; null if there is none. */
  readonly incomplete: string | null
}

/**
 * Reads the desktop's command line: `troupe [FOLDER] [--allow RULE] [--deny RULE] [--mcp-config FILE]`.
 * All other options belong to Electron and Chromium. Each option's value follows it, or an equals sign.
 */
export function startArguments({ argv, isDefaultApp, cwd }: StartedWith): StartArguments {
  const named: string[] = []
  const values = { allow: [] as string[], deny: [] as string[], 'mcp-config': [] as string[] }
  let incomplete: string | null = null
  for (let at = 1; at < argv.length; at++) {
    const argument = argv[at] ?? ''
    const [, option, given] = /^--(allow|deny|mcp-config)(?:=(.*))?$/s.exec(argument) ?? []
    if (option === 'allow' || option === 'deny' || option === 'mcp-config') {
      const value = given ?? argv[++at]
      if (value === undefined || value === '' || (given === undefined && value.startsWith('-')))
        incomplete ??= `--${option}`
      else values[option].push(value)
    } else if (argument === '-r' || argument === '--require') at++
    else if (argument === '--') named.push(...argv.slice(at + 1))
    else if (!argument.startsWith('-')) named.push(argument)
    if (argument === '--') break
  }
  const folder = named[isDefaultApp ? 1 : 0]
  return {
    folder: folder === undefined || folder === '' ? null : resolve(cwd, folder),
    rules: { allow: values.allow, deny: values.deny },
    mcpConfig: values['mcp-config'].map((file) => resolve(cwd, file)),
    incomplete,
  }
}
