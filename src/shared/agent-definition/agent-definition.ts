/** An agent as its file describes it, with the diagnostics of the file. */
import type { PermissionMode } from '../events/agent-event.ts'
import type { Effort } from '../models/effort.ts'
import type { Thinking } from '../models/thinking.ts'

/** The external agent that carries out an agent, over the Agent Client Protocol. */
export interface ExternalAgentLaunch {
  readonly command: string
  readonly args: readonly string[]
  /** Variables that the program gets besides the basic ones. `${NAME}` refers to the user's environment. */
  readonly env: Readonly<Record<string, string>>
}

/** A definition with defaults filled in. The code that reads the file knows its source. */
export interface AgentDefinition {
  readonly name: string
  readonly description: string
  /** The body of the file. */
  readonly prompt: string
  /** As written: null if absent, `['*']` for all, `[]` for none. */
  readonly tools: readonly string[] | null
  readonly disallowedTools: readonly string[]
  /** `inherit`, an alias in lower case, or an id. */
  readonly model: string
  /** As written, or null; `stableColor` computes the color to show. */
  readonly color: string | null
  readonly permissionMode: PermissionMode | 'bubble' | null
  readonly forkContext: boolean
  readonly background: boolean
  readonly isolation: 'worktree' | null
  /** Whether the agent's worktree starts with the uncommitted changes of its parent's folder. They stay uncommitted. */
  readonly carryOver: boolean
  readonly memory: MemoryScope | null
  readonly skills: readonly string[]
  readonly maxTurns: number | null
  readonly effort: Effort | null
  readonly thinking: Thinking | null
  /** Names, or inline servers by name; null: all connected servers. */
  readonly mcpServers: readonly (string | Readonly<Record<string, unknown>>)[] | null
  /** Event → matchers → commands, as written. */
  readonly hooks: Readonly<Record<string, unknown>> | null
  readonly initialPrompt: string | null
  /** `criticalSystemReminder`: a line repeated every turn. */
  readonly reminder: string | null
  readonly omitProjectInstructions: boolean
  readonly readOnly: boolean
  readonly oneShot: boolean
  readonly aliases: readonly string[]
  readonly hidden: boolean
  /** `backing: acp` with `command`, `args` and `env`; missing: a model carries out the agent. */
  readonly program?: ExternalAgentLaunch
}

/** A definition with only a name and a description. */
export function plainDefinition(name: string, description: string): AgentDefinition {
  return {
    name,
    description,
    prompt: '',
    tools: null,
    disallowedTools: [],
    model: 'inherit',
    color: null,
    permissionMode: null,
    forkContext: false,
    background: false,
    isolation: null,
    carryOver: false,
    memory: null,
    skills: [],
    maxTurns: null,
    effort: null,
    thinking: null,
    mcpServers: null,
    hooks: null,
    initialPrompt: null,
    reminder: null,
    omitProjectInstructions: false,
    readOnly: false,
    oneShot: false,
    aliases: [],
    hidden: false,
  }
}

export const memoryScopes = ['user', 'project', 'local'] as const
export type MemoryScope = (typeof memoryScopes)[number]

/** Replaces [from, to), in UTF-16 units. The edits of one list refer to the original text, in order, without overlaps. */
export interface TextEdit {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** A change that fixes a problem. */
export interface Fix {
  /** The label of a button: "Quote the description". */
  readonly label: string
  /** Edits of the file's text. */
  readonly edits: readonly TextEdit[]
  /** Whether fixing everything at once includes this fix. False: only the user can decide, for example about a tool of another program. */
  readonly isCertain: boolean
  /** Set if the user sees the change before it is made. */
  readonly isShownFirst?: true
}

/** A problem in a definition file. */
export interface Diagnostic {
  /** For programs: `invalid-yaml`, `bad-maxTurns`, `quote-description` … */
  readonly code: string
  /** With an error the agent is not in use. */
  readonly severity: 'notice' | 'warning' | 'error'
  /** From 1, in the file as written. */
  readonly line: number
  readonly column: number
  /** The range of the problem, in UTF-16 units of the file's text. */
  readonly from: number
  readonly to: number
  readonly message: string
  /** The entry of a list that causes the problem, and the name that was probably meant. */
  readonly about?: { readonly name: string; readonly nearest: string | null }
  /** The first fix is the preferred one. */
  readonly fixes: readonly Fix[]
}

export interface ReadDefinition {
  /** Null: not an agent, or not readable at all. */
  readonly definition: AgentDefinition | null
  /** Whether the agent may be used: false without a definition, or if an invalid value makes it unsafe. */
  readonly offered: boolean
  /** The recovery steps for a frontmatter that is not valid YAML: `quote-description`, `line-by-line`. */
  readonly recovered: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Applies edits that refer to the given text. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let done = ''
  let at = 0
  for (const { from, to, insert } of edits) {
    done += text.slice(at, from) + insert
    at = to
  }
  return done + text.slice(at)
}

/** The difference between an agent's definition at its start and the definition now. */
export interface DefinitionChange {
  /** `same`; `changed`: the file is different; `gone`: no definition of this name can be started. */
  readonly kind: 'same' | 'changed' | 'gone'
  /** The changed parts, for display: "its prompt", "its tools". */
  readonly what: readonly string[]
}

/** A definition in the trash of deleted definitions. */
export interface TrashedDefinition {
  readonly trashId: string
  /** The name in its text; the file's stem if the text can't be read. */
  readonly name: string
  /** The absolute path that it was deleted from, and that a restore writes. */
  readonly file: string
  /** Milliseconds since the epoch. */
  readonly trashedAt: number
}

export interface DefinitionTrash {
  /** The folder of the trash on disk. */
  readonly folder: string
  /** The last deleted first. */
  readonly definitions: readonly TrashedDefinition[]
}
