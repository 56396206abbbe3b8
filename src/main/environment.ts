/**
 * What the environment says to the program, and what the programs it starts may see of it. Read once, at
 * the composition roots.
 */

export interface Given {
  /** Where conversations and settings lie; null: where the system keeps such things. */
  readonly dataFolder: string | null
  readonly api: {
    readonly key: string | null
    readonly authToken: string | null
    readonly baseUrl: string | null
  }
  readonly rehearsal: {
    /** Tokens a second; 0: at once; null: as the script likes it. */
    readonly pace: number | null
    /** A scenario that is played instead of the survey. */
    readonly scenarioFile: string | null
  }
  /** Definitions that hold before all others, beside those of the system's policy folders. */
  readonly managedAgents: string | null
  /** Whether a subagent without a type is a fork, whatever the settings say. */
  readonly forkSubagents: boolean
  /** Where a fresh picture of the window is kept. */
  readonly pictureFile: string | null
  /** While developing: what serves the window's page. */
  readonly developmentServer: string | null
  /** For commands of agents, git, editors and terminals: without keys, and without what concerns only us. */
  readonly forChildren: Readonly<NodeJS.ProcessEnv>
}

/** Names that are of no use to a child, or that it must not see. */
const kept = /^(ANTHROPIC_|TROUPE_|ELECTRON_|NODE_OPTIONS$|NO_SANDBOX$|CHROME_DESKTOP$|ORIGINAL_XDG_)/

/**
 * Reads the environment and takes out of it what no child may inherit by accident.
 *
 * @param environment `process.env`; keys are deleted from it
 */
export function takeEnvironment(environment: NodeJS.ProcessEnv): Given {
  const text = (name: string): string | null => {
    const value = environment[name]?.trim()
    return value === undefined || value === '' ? null : value
  }
  const given: Given = {
    dataFolder: text('TROUPE_HOME'),
    api: {
      key: text('ANTHROPIC_API_KEY'),
      authToken: text('ANTHROPIC_AUTH_TOKEN'),
      baseUrl: text('ANTHROPIC_BASE_URL'),
    },
    rehearsal: { pace: paceOf(text('TROUPE_REHEARSAL_PACE')), scenarioFile: text('TROUPE_SCENARIO') },
    managedAgents: text('TROUPE_MANAGED_AGENTS'),
    forkSubagents: ['TROUPE_FORK_SUBAGENT', 'CLAUDE_CODE_FORK_SUBAGENT'].some((name) => isOn(text(name))),
    pictureFile: text('TROUPE_PICTURE_FILE'),
    developmentServer: text('ELECTRON_RENDERER_URL'),
    forChildren: Object.fromEntries(Object.entries(environment).filter(([name]) => !kept.test(name))),
  }
  for (const name of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN']) delete environment[name]
  return given
}

const isOn = (text: string | null): boolean => text !== null && /^(1|true|yes|on)$/i.test(text)

function paceOf(text: string | null): number | null {
  const pace = text === null ? Number.NaN : Number(text)
  return Number.isFinite(pace) && pace >= 0 ? pace : null
}
