/** The agents that there are for a folder, as the editor and the command line show them: those in use, and those that are shadowed, broken or locked. */
import type { Diagnostic } from './agent-definition/agent-definition.ts'

export const agentSources = ['built-in', 'plugin', 'user', 'project', 'command-line', 'managed'] as const
/** In the order of precedence: of two agents with one name the later source's holds. */
export type AgentSource = (typeof agentSources)[number]

export interface CatalogEntry {
  /** The file's absolute path; `built-in:Explore.md`, `command-line:name` where there is no file. */
  readonly id: string
  /** As it is called: `plugin:sub:name` for a plugin's. The file's stem where it can't be read. */
  readonly name: string
  readonly source: AgentSource
  /** The plugin's name, where it is one's; else null. */
  readonly plugin: string | null
  readonly file: string | null
  /** Below its agents folder, with `/`: `review/security.md`. */
  readonly path: string
  /** One of the eight colours, or `#hex`. */
  readonly color: string
  readonly description: string
  /** Whether it is in use; if not, why not. */
  readonly state:
    | 'offered'
    /** In use, but the main agent is not told of it. */
    | 'hidden'
    | 'shadowed'
    /** A wrong value makes it unsafe, or the file can't be read. */
    | 'refused'
    /** The file is no agent. */
    | 'no-agent'
  /** Whether it is changed elsewhere only: built-in, plugin, managed, from the command line. */
  readonly locked: boolean
  /** The id of the entry that holds in its place. */
  readonly shadowedBy: string | null
  /** The ids of those it holds in place of. */
  readonly overrides: readonly string[]
  readonly diagnostics: readonly Pick<Diagnostic, 'code' | 'severity' | 'line' | 'column' | 'message'>[]
}

export interface SkillInfo {
  readonly name: string
  readonly description: string
  readonly source: Extract<AgentSource, 'project' | 'user' | 'plugin'>
  /** Its SKILL.md. */
  readonly file: string
}

export interface AgentCatalog {
  /** Project first, nearest folder first, then user, plugins, managed, command line, built in; by path in each. */
  readonly entries: readonly CatalogEntry[]
  /** What is wrong with whole folders. */
  readonly problems: readonly string[]
  /** The names of all tools this program has. */
  readonly tools: readonly string[]
  readonly skills: readonly SkillInfo[]
  /** MCP servers that are connected. */
  readonly servers: readonly string[]
  /** The agents folders that are watched, for people: `.claude/agents`. */
  readonly watched: readonly string[]
}

/** The text of a definition, and the state of its file that it was read from. */
export interface DefinitionText {
  readonly id: string
  readonly text: string
  /** Another one for every change of the file; null where there is no file. */
  readonly version: string | null
}

/** A definition that can be started, as completion and the command palette list it. */
export interface DefinitionInfo {
  readonly name: string
  readonly description: string
  readonly source: string
  readonly color: string
  readonly model: string
  readonly tools: readonly string[] | null
  readonly hidden: boolean
}
