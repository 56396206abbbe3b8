/** MCP servers as the window and the command line see them: where they are configured, their state, their tools. */

/** Where a server is configured, from the strongest to the weakest. `agent`: inline in an agent definition. */
export type McpSource = 'managed' | 'command-line' | 'project' | 'local' | 'user' | 'plugin' | 'agent'

interface McpTool {
  /** The server's own name of the tool; agents call it `mcp__<server>__<name>`. */
  readonly name: string
  readonly description: string
  /** The server says that the tool changes nothing. */
  readonly onlyReads: boolean
  /** Why no agent can have it, as a clause; missing: agents have it. */
  readonly unusable?: string
}

export interface McpLogLine {
  /** ms since the epoch. */
  readonly at: number
  readonly kind: 'start' | 'ready' | 'end' | 'call' | 'denied' | 'stderr' | 'message' | 'error'
  readonly text: string
}

export type McpStatus =
  /** The user turned it off. */
  | { readonly kind: 'off' }
  /** Nothing of it runs until the user approves it. `former`: the definition that was approved; null: it is new. */
  | { readonly kind: 'waits'; readonly former: unknown }
  /** It starts when an agent needs it. */
  | { readonly kind: 'idle' }
  /** The user has to sign in at this address. */
  | { readonly kind: 'sign-in' }
  | { readonly kind: 'starting'; readonly since: number }
  | { readonly kind: 'connected'; readonly since: number }
  /** `retryAt`: the next attempt, ms since the epoch; null: no automatic attempt. */
  | { readonly kind: 'failed'; readonly message: string; readonly retryAt: number | null }

export interface McpServerState {
  /** Unique in the folder; the name in its tools. */
  readonly name: string
  readonly source: McpSource
  /** Absolute; null: the command line. */
  readonly file: string | null
  readonly line: number | null
  /** How the server is reached. `http`, until the server turned out to answer only `sse`. */
  readonly transport: 'stdio' | 'http' | 'sse'
  /** The command with its arguments, or the address; variables as written. */
  readonly target: string
  /** The entry as written, for display and comparison. */
  readonly definition: unknown
  readonly status: McpStatus
  readonly pid: number | null
  /** `linear 1.4.0`; null before the first connection. */
  readonly version: string | null
  readonly protocol: string | null
  readonly tools: readonly McpTool[]
  readonly prompts: readonly string[]
  readonly resources: readonly { readonly uri: string; readonly name: string }[]
  /** The last lines, oldest first. */
  readonly log: readonly McpLogLine[]
}

export interface McpState {
  readonly folder: string
  readonly servers: readonly McpServerState[]
  /** Broken entries and files, as sentences for the user. */
  readonly problems: readonly {
    readonly file: string
    readonly line: number | null
    readonly message: string
  }[]
}

/** A prompt of a server: a command for the composer, `/mcp__server__prompt`. */
export interface McpPrompt {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
}

/**
 * Where a server is written: `.mcp.json` of the folder, `.claude/settings.local.json` of the folder, or
 * `~/.claude/settings.json`.
 */
export type McpPlace = 'project' | 'local' | 'user'

export interface McpAddition {
  readonly name: string
  readonly place: McpPlace
  readonly definition: Readonly<Record<string, unknown>>
  /** Replaces the server of this name in the same file; otherwise the name must be free. */
  readonly replace: boolean
  /** Written in front of this server; null: at the end. */
  readonly before: string | null
}
