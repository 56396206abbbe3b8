/**
 * The agent catalog of a folder, for the editor and the command line: the agents in use, and the shadowed, broken and
 * locked ones.
 */
import type { AgentDefinition, Diagnostic } from './agent-definition.ts'

export const agentSources = ['built-in', 'plugin', 'user', 'project', 'command-line', 'managed'] as const
/** In order of precedence: if two agents have the same name, the agent of the later source is used. */
export type AgentSource = (typeof agentSources)[number]

export interface CatalogEntry {
  /** The file's absolute path. Without a file: `built-in:Explore.md`, `command-line:name`. */
  readonly id: string
  /** The name that callers use; `plugin:sub:name` for a plugin's agent. The file's stem if the file can't be read. */
  readonly name: string
  readonly source: AgentSource
  /** The plugin's name; null if the agent is not from a plugin. */
  readonly plugin: string | null
  readonly file: string | null
  /** The path below the agents folder, with `/`: `review/security.md`. */
  readonly path: string
  /** One of the eight colors, or `#hex`. */
  readonly color: string
  readonly description: string
  /** Whether the agent is in use, or the reason why not. */
  readonly state:
    | 'offered'
    /** In use, but not announced to the main agent. */
    | 'hidden'
    | 'shadowed'
    /** An invalid value makes the agent unsafe, or the file can't be read. */
    | 'refused'
    /** A project's definition that is new, or that changed since the user approved it. */
    | 'waits'
    /** The file is not an agent. */
    | 'no-agent'
  /** Whether this program can't edit the definition: built-in, plugin, managed, or from the command line. */
  readonly locked: boolean
  /** The id of the entry that shadows this one. */
  readonly shadowedBy: string | null
  /** The ids of the entries that this one shadows. */
  readonly overrides: readonly string[]
  readonly diagnostics: readonly Pick<Diagnostic, 'code' | 'severity' | 'line' | 'column' | 'message'>[]
  /** For search and filters; null if the file is not an agent or not readable. */
  readonly content: EntryContent | null
}

interface EntryContent
  extends Pick<
    AgentDefinition,
    | 'model'
    | 'tools'
    | 'disallowedTools'
    | 'background'
    | 'readOnly'
    | 'mcpServers'
    | 'forkContext'
    | 'memory'
  > {
  /** Set for an external agent. */
  readonly program?: true
  /** The start of the system prompt, at most `SEARCHED_BODY` characters. */
  readonly body: string
}

const SEARCHED_BODY = 20_000

/** What the catalog says about the content of a definition. */
export function contentOf(definition: AgentDefinition): EntryContent {
  const { model, tools, disallowedTools, background, readOnly, mcpServers, forkContext, memory } = definition
  return {
    model,
    tools,
    disallowedTools,
    background,
    readOnly,
    mcpServers,
    forkContext,
    memory,
    ...(definition.program && { program: true }),
    body: definition.prompt.slice(0, SEARCHED_BODY),
  }
}

export interface SkillInfo {
  readonly name: string
  readonly description: string
  readonly source: Extract<AgentSource, 'project' | 'user' | 'plugin'>
  /** The path of its SKILL.md. */
  readonly file: string
  /** Fields of its frontmatter that have no effect, as sentences. */
  readonly notes?: readonly string[]
  /** Only the user runs it, as a command. */
  readonly isOnlyForUser?: true
  /** Only agents load it. */
  readonly isOnlyForAgents?: true
  readonly argumentHint?: string
  /** An agent of its own carries it out, of this type. Its model; null: as its definition says. */
  readonly fork?: { readonly agent: string; readonly model: string | null }
}

export interface AgentCatalog {
  /**
   * By source: project (nearest folder first), user, plugins, managed, command line, built-in. By path in each source.
   */
  readonly entries: readonly CatalogEntry[]
  /** Problems of whole folders. */
  readonly problems: readonly string[]
  /** The names of all tools of this program, and of the folder's MCP servers. */
  readonly tools: readonly string[]
  readonly conditions: ToolConditions
  readonly skills: readonly SkillInfo[]
  /** The connected MCP servers. */
  readonly servers: readonly string[]
  /** The watched agents folders, for display: `.claude/agents`. */
  readonly watched: readonly string[]
}

/** The text of a definition and the version of its file. */
export interface DefinitionText {
  readonly id: string
  readonly text: string
  /** Changes with every change of the file; null if there is no file. */
  readonly version: string | null
  /** Set if the file is not UTF-8: then no program uses it, and only a save that converts it is accepted. */
  readonly notUtf8?: NotUtf8
}

export interface NotUtf8 {
  /** For display: "UTF-16 (little-endian)". */
  readonly encoding: string
  /** From 1: the first line with bytes that are not UTF-8. */
  readonly line: number
}

/** A definition that is back from the trash. */
export interface RestoredDefinition extends DefinitionText {
  /** What was in the editor and not in the file when it was deleted; null: the same text. */
  readonly unsaved: string | null
}

/** A project's definition that waits for the user. */
export interface PendingDefinition extends DefinitionText {
  /** The text that the user approved; null: the definition is new. */
  readonly former: string | null
  /** Rights that it has and the approved text had not, as short phrases. Of a new definition: only a program that it starts. */
  readonly gained: readonly string[]
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
  /** Whether an external agent carries it out, which needs no access to a model. */
  readonly isProgram?: true
  /** Set if it only reads. */
  readonly readOnly?: true
}

/** A tool that is of no use in the folder now. */
export interface LeftOutTool {
  readonly tool: string
  /** Continues the tool's name. */
  readonly because: string
  readonly agents: 'main' | 'subagents'
  /** Set if a definition that names the tool has it. */
  readonly unlessNamed?: true
}

/** What decides the tools of a folder's agents besides their definitions: settings, rules, trust, MCP servers. */
export interface ToolConditions {
  readonly maxDepth: number
  readonly mcpToolsForSubagents: 'all' | 'listed' | 'none'
  /** Tools of servers that a definition describes itself. */
  readonly ownedTools: readonly string[]
  /** Added tools that only read. */
  readonly readingTools: readonly string[]
  readonly leftOut: readonly LeftOutTool[]
}
