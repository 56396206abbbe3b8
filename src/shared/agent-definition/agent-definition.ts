/** An agent as its file describes it, and what reading the file tells besides. */
import type { PermissionMode } from '../agent-event.ts'

/** A definition with its defaults filled in; where it came from is for whoever read the file to know. */
export interface AgentDefinition {
  readonly name: string
  readonly description: string
  /** The body: the system prompt. */
  readonly prompt: string
  /** As written: null where it is absent, `['*']` for all, `[]` for none. */
  readonly tools: readonly string[] | null
  readonly disallowedTools: readonly string[]
  /** `inherit`, an alias in lower case, or an id. */
  readonly model: string
  /** As written, or null: `stableColor` makes of it what is shown. */
  readonly color: string | null
  readonly permissionMode: PermissionMode | 'bubble' | null
  readonly forkContext: boolean
  readonly background: boolean
  readonly isolation: 'worktree' | null
  readonly memory: MemoryScope | null
  readonly skills: readonly string[]
  readonly maxTurns: number | null
  readonly effort: Effort | null
  /** Names, or inline servers by their name; null: all that are connected. */
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
}

/** A definition that says nothing but its name and when to use it. */
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
    memory: null,
    skills: [],
    maxTurns: null,
    effort: null,
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

export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

/** A change of a text: what lies in [from, to), in UTF-16 units, is replaced. Edits of one list refer to the text as it was before all of them, in order, and do not overlap. */
export interface TextEdit {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** What puts a problem right. */
export interface Mend {
  /** For a button: "Quote the description". */
  readonly label: string
  /** Of the file's text. */
  readonly edits: readonly TextEdit[]
}

/** What a person should know about a file. */
export interface Diagnostic {
  /** For programs: `invalid-yaml`, `bad-maxTurns`, `quote-description` … */
  readonly code: string
  /** An error keeps the agent from being offered. */
  readonly severity: 'notice' | 'warning' | 'error'
  /** From 1, in the file as it is. */
  readonly line: number
  readonly column: number
  /** The same place, and where it ends, in UTF-16 units of the file's text. */
  readonly from: number
  readonly to: number
  readonly message: string
  /** The first is the one to take. */
  readonly mends: readonly Mend[]
}

export interface ReadDefinition {
  /** Null: not an agent, or one that can't be read at all. */
  readonly definition: AgentDefinition | null
  /** Whether the agent may be used: false without a definition, or where a wrong value makes it unsafe. */
  readonly offered: boolean
  /** The steps that were needed to read what is not valid YAML: `quote-description`, `line-by-line`. */
  readonly rescued: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Makes the edits, which refer to the text as it is. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let done = ''
  let at = 0
  for (const { from, to, insert } of edits) {
    done += text.slice(at, from) + insert
    at = to
  }
  return done + text.slice(at)
}
